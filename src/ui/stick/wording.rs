use gettextrs::gettext;

use crate::drives::{Distinction, Drive, DriveKind, Refusal, Volume};
use crate::tasks::{Failure, Kind, Wording, shown_name};
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
        shown_name(name)
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
            tail if same.count() > 1 && !tail.is_empty() => {
                format!("{name} (…{})", shown_name(tail))
            }
            _ => name,
        }
    };
    drives.iter().map(name_of).collect()
}

/// Size, names and, where two look alike, what tells them apart: “2.0 GB · MUSIC · …1A2B”.
pub(super) fn stick_details(drive: &Drive) -> String {
    let mut details = Vec::new();
    if drive.size > 0 {
        details.push(size(drive.size));
    }
    if drive.kind == DriveKind::Disk {
        details.push(gettext("external disk"));
    }
    let labels = labels(drive);
    if !labels.is_empty() {
        details.push(labels);
    }
    details.extend(distinction_text(drive));
    details.join(" · ")
}

/// What tells the drive from one that looks just like it, beside the names that are told anyway.
fn distinction_text(drive: &Drive) -> Option<String> {
    match drive.distinction.as_ref()? {
        Distinction::Label(_) => None,
        Distinction::Serial(tail) => Some(serial_text(tail)),
        Distinction::Port(port) => Some(gettext_f("USB port {port}", &[("port", port)])),
        // Translators: the system's name of a drive, such as sdb
        Distinction::Node(node) => Some(gettext_f("device {node}", &[("node", node)])),
    }
}

fn serial_text(tail: &str) -> String {
    // Translators: the end of a serial number
    gettext_f("serial number …{tail}", &[("tail", tail)])
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
        label => format!("{} · {size}", shown_name(label)),
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
    let mut lines = vec![if labels.is_empty() {
        gettext_f(
            "Everything on this stick of {size} will be lost. This can’t be undone.",
            &[("size", &size)],
        )
    } else {
        gettext_f(
            "Everything on this stick of {size} will be lost: {names}. This can’t be undone.",
            &[("size", &size), ("names", &labels)],
        )
    }];
    if drive.kind == DriveKind::Disk {
        lines.push(gettext(
            "It is an external disk, not a stick. Make sure that it is the right one.",
        ));
    }
    lines.extend(distinction_text(drive));
    lines.join("\n")
}

/// How large it is and what is on it, before it is erased: “2.0 GB · “MUSIC””.
pub(in crate::ui) fn contents_text(drive: &Drive) -> String {
    let mut details = stick_details(drive);
    if drive.distinction.is_none() && !drive.serial.is_empty() {
        details = format!("{details} · {}", serial_text(&tail(&drive.serial)));
    }
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
        .map(|volume| gettext_f("“{label}”", &[("label", &shown_name(&volume.label))]))
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
    fn d06_what_tells_two_apart_is_told_where_it_helps_and_again_before_erasing() {
        let mut drive = stick("a");
        drive.serial = "0123456789AB".into();
        drive.volumes = vec![volume("MUSIC")];
        assert_eq!(stick_details(&drive), "2.0 GB · “MUSIC”");
        for (distinction, told) in [
            (
                Distinction::Serial("6789AB".into()),
                "serial number …6789AB",
            ),
            (Distinction::Port("2-1.4".into()), "USB port 2-1.4"),
            (Distinction::Node("sdb".into()), "device sdb"),
        ] {
            drive.distinction = Some(distinction);
            let details = format!("2.0 GB · “MUSIC” · {told}");
            assert_eq!(stick_details(&drive), details);
            assert!(loss_text(&drive).ends_with(&format!("\n{told}")));
        }
        drive.distinction = Some(Distinction::Label("MUSIC".into()));
        assert_eq!(stick_details(&drive), "2.0 GB · “MUSIC”");
    }

    #[test]
    fn d04_an_external_disk_is_called_one() {
        let mut drive = stick("a");
        drive.kind = DriveKind::Disk;
        assert_eq!(stick_details(&drive), "2.0 GB · external disk");
        assert!(loss_text(&drive).contains("not a stick"));
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
