use gettextrs::gettext;

use crate::drives::{Drive, Refusal, Volume};
use crate::tasks::{Failure, Kind, Wording};
use crate::ui::text::{gettext_f, size, tr};

/// What people call the stick: what is printed on it.
pub(in crate::ui) fn stick_name(drive: &Drive) -> String {
    let (vendor, model) = (drive.vendor.trim(), drive.model.trim());
    // Some devices repeat the vendor in the model.
    let name = if model.to_lowercase().starts_with(&vendor.to_lowercase()) {
        model.to_owned()
    } else {
        format!("{vendor} {model}")
    };
    let name = name.trim();
    if !name.is_empty() {
        name.to_owned()
    } else if drive.bus == "sdio" {
        gettext("Memory card")
    } else {
        gettext("USB drive")
    }
}

/// What people call each of several sticks, told apart where two are called the same.
pub(in crate::ui) fn stick_names(drives: &[Drive]) -> Vec<String> {
    let name_of = |drive: &Drive| {
        let name = stick_name(drive);
        let same = drives.iter().filter(|other| stick_name(other) == name);
        match tail(&drive.serial).as_str() {
            tail if same.count() > 1 && !tail.is_empty() => format!("{name} (…{tail})"),
            _ => name,
        }
    };
    drives.iter().map(name_of).collect()
}

/// Size, names and, where two look alike, the end of the serial number: “2.0 GB · MUSIC · …1A2B”.
pub(super) fn stick_details(drive: &Drive, with_serial: bool) -> String {
    let mut details = Vec::new();
    if drive.size > 0 {
        details.push(size(drive.size));
    }
    let labels = labels(drive);
    if !labels.is_empty() {
        details.push(labels);
    }
    if with_serial && !drive.serial.is_empty() {
        let tail = tail(&drive.serial);
        // Translators: the end of a serial number
        details.push(gettext_f("serial number …{tail}", &[("tail", &tail)]));
    }
    details.join(" · ")
}

/// So much of a serial number as tells two sticks apart.
fn tail(serial: &str) -> String {
    const TAIL: usize = 6;
    let length = serial.chars().count();
    serial.chars().skip(length.saturating_sub(TAIL)).collect()
}

/// A part of a stick, so that it can be told from the others: “MUSIC · 12.0 GB”.
pub(super) fn part_text(part: &Volume) -> String {
    let size = size(part.size);
    match part.label.as_str() {
        "" => size,
        label => format!("{label} · {size}"),
    }
}

/// Why the stick is not offered.
pub(super) fn refusal_text(refusal: Refusal) -> String {
    tr(&Wording::of_failure(&Failure::new(Kind::from(refusal), "")))
}

/// Whether a person may look for the drive in the list, though it is not offered.
pub(super) fn may_be_looked_for(drive: &Drive) -> bool {
    match drive.refusal {
        None => true,
        Some(Refusal::NotAStick | Refusal::Optical) => false,
        // Internal disks are on no such bus.
        Some(_) => matches!(drive.bus.as_str(), "usb" | "sdio"),
    }
}

/// What formatting will cost.
pub(in crate::ui) fn loss_text(drive: &Drive) -> String {
    let size = size(drive.size);
    let labels = labels(drive);
    if labels.is_empty() {
        gettext_f(
            "Everything on this stick of {size} will be lost. This can’t be undone.",
            &[("size", &size)],
        )
    } else {
        gettext_f(
            "Everything on this stick of {size} will be lost: {names}. This can’t be undone.",
            &[("size", &size), ("names", &labels)],
        )
    }
}

/// How large it is and what is on it, before it is erased: “2.0 GB · “MUSIC””.
pub(in crate::ui) fn contents_text(drive: &Drive) -> String {
    let details = stick_details(drive, true);
    if drive.volumes.is_empty() {
        // Translators: of a stick on which nothing was recognised
        format!("{details} · {}", gettext("nothing known is on it"))
    } else if labels(drive).is_empty() {
        format!("{details} · {}", gettext("without a name"))
    } else {
        details
    }
}

fn labels(drive: &Drive) -> String {
    let labels: Vec<_> = drive
        .volumes
        .iter()
        .filter(|volume| !volume.label.is_empty())
        .map(|volume| gettext_f("“{label}”", &[("label", &volume.label)]))
        .collect();
    labels.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing::{stick, volume};

    #[test]
    fn the_name_is_what_is_printed_on_the_stick() {
        let name = |vendor: &str, model: &str, bus: &str| {
            let mut drive = stick("a");
            drive.vendor = vendor.into();
            drive.model = model.into();
            drive.bus = bus.into();
            stick_name(&drive)
        };
        assert_eq!(
            name("Intenso ", "Rainbow Line", "usb"),
            "Intenso Rainbow Line"
        );
        assert_eq!(name("SanDisk", "SanDisk Ultra", "usb"), "SanDisk Ultra");
        assert_eq!(name("", "Flash Disk", "usb"), "Flash Disk");
        assert_eq!(name("", " ", "usb"), "USB drive");
        assert_eq!(name("", "", "sdio"), "Memory card");
    }

    #[test]
    fn the_serial_number_is_told_only_where_it_helps() {
        let mut drive = stick("a");
        drive.serial = "0123456789AB".into();
        drive.volumes = vec![volume("MUSIC")];
        assert_eq!(stick_details(&drive, false), "2.0 GB · “MUSIC”");
        assert_eq!(
            stick_details(&drive, true),
            "2.0 GB · “MUSIC” · serial number …6789AB"
        );
    }

    #[test]
    fn of_several_two_of_the_same_name_are_told_apart() {
        let mut other = stick("c");
        other.model = "Ultra".into();
        assert_eq!(
            stick_names(&[stick("a"), stick("b"), other]),
            [
                "Intenso Rainbow Line (…1234a)",
                "Intenso Rainbow Line (…1234b)",
                "Intenso Ultra"
            ]
        );
    }

    #[test]
    fn internal_disks_are_not_even_listed() {
        let mut drive = stick("a");
        assert!(may_be_looked_for(&drive));
        drive.refusal = Some(Refusal::WriteProtected);
        assert!(may_be_looked_for(&drive));
        drive.bus = String::new();
        assert!(!may_be_looked_for(&drive));
        drive.refusal = Some(Refusal::NotAStick);
        drive.bus = "usb".into();
        assert!(!may_be_looked_for(&drive));
    }

    #[test]
    fn the_loss_is_named() {
        let mut drive = stick("a");
        drive.volumes = vec![volume("MUSIC"), volume(""), volume("BOOT")];
        assert_eq!(
            loss_text(&drive),
            "Everything on this stick of 2.0 GB will be lost: “MUSIC”, “BOOT”. This can’t be undone."
        );
    }
}
