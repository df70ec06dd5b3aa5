use std::path::{Path, PathBuf};

use rustix::process::geteuid;

use super::{Failure, Kind, shown_name};
use crate::drives::{self, Drive, Udisks, direct_drives};

/// All drives, offered or not, in a stable order. Blocks.
pub fn list_sticks() -> Result<Vec<Drive>, Failure> {
    Ok(match connect()? {
        Some(udisks) => udisks.drives()?,
        None => direct_drives(),
    })
}

/// The way to the sticks of this computer; `None` is the direct one, of an administrator where
/// UDisks2 is not there.
pub(super) fn connect() -> Result<Option<Udisks>, Failure> {
    match Udisks::connect() {
        Ok(udisks) => Ok(Some(udisks)),
        Err(drives::Error::NoUdisks(_)) if geteuid().is_root() => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The stick that a person means on the command line: by its device or that of one of its parts,
/// its id, or a part of its serial that no other stick has.
pub fn find_stick(named: &str) -> Result<Drive, Failure> {
    pick(list_sticks()?, named)
}

fn pick(drives: Vec<Drive>, named: &str) -> Result<Drive, Failure> {
    // A link such as those under /dev/disk/by-id means its device.
    let device = Path::new(named).canonicalize().unwrap_or_default();
    let exact = drives.iter().position(|drive| {
        let is_part = drive.volumes.iter().any(|volume| volume.device == device);
        drive.id == named || drive.device == Path::new(named) || drive.device == device || is_part
    });
    let found = exact.or_else(|| {
        let mut by_serial = drives
            .iter()
            .enumerate()
            .filter(|(_, drive)| !named.is_empty() && drive.serial.contains(named));
        match (by_serial.next(), by_serial.next()) {
            (Some((only, _)), None) => Some(only),
            _ => None,
        }
    });
    found
        .and_then(|place| drives.into_iter().nth(place))
        .ok_or_else(|| Failure::new(Kind::NoSuchStick, named))
}

/// The node of one part of the stick, where that was named on the command line.
pub fn find_volume(drive: &Drive, named: &str) -> Option<PathBuf> {
    let device = Path::new(named).canonicalize().ok()?;
    let mut volumes = drive.volumes.iter();
    // A file system without a partition is the whole stick's.
    let part = volumes.find(|volume| volume.device == device && volume.device != drive.device);
    part.map(|volume| volume.device.clone())
}

/// What people call a stick: maker and model as it says itself, harmless for whoever shows it.
pub fn stick_name(drive: &Drive) -> String {
    let name = format!("{} {}", drive.vendor.trim(), drive.model.trim());
    match name.trim() {
        "" => "USB drive".to_owned(),
        name => shown_name(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stick(id: &str, device: &str, serial: &str) -> Drive {
        Drive {
            id: id.into(),
            device: device.into(),
            serial: serial.into(),
            bus: "usb".into(),
            can_power_off: true,
            ..Drive::default()
        }
    }

    #[test]
    fn a_stick_cannot_name_itself_into_anything_but_a_name() {
        let mut drive = stick("a-1", "/dev/sdx", "");
        drive.vendor = "Acme\u{1b}[2J".into();
        drive.model = "\u{202e}".to_owned() + &"x".repeat(10_000);
        let name = stick_name(&drive);
        assert!(name.starts_with("Acme�[2J �xx"), "{name}");
        assert!(name.chars().count() < 100);
    }

    #[test]
    fn a_stick_is_found_by_device_id_or_unique_part_of_its_serial() {
        let drives = || {
            vec![
                stick("a-1", "/dev/sdx", "AB1234"),
                stick("b-2", "/dev/sdy", "CD1234"),
            ]
        };
        let device = |named| pick(drives(), named).map(|drive| drive.device);
        assert_eq!(
            device("/dev/sdy").as_deref().ok(),
            Some(Path::new("/dev/sdy"))
        );
        assert_eq!(device("a-1").as_deref().ok(), Some(Path::new("/dev/sdx")));
        assert_eq!(device("CD").as_deref().ok(), Some(Path::new("/dev/sdy")));
        for ambiguous_or_unknown in ["1234", "", "/dev/sdz", "/"] {
            let failure = device(ambiguous_or_unknown).expect_err("should not be found");
            assert_eq!(failure.kind, Kind::NoSuchStick, "{ambiguous_or_unknown}");
        }
    }

    #[test]
    fn d06_of_twins_none_is_taken_for_the_other() {
        let drives = || {
            vec![
                stick("acme-0123:sdx", "/dev/sdx", "0123"),
                stick("acme-0123:sdy", "/dev/sdy", "0123"),
            ]
        };
        let found = pick(drives(), "acme-0123:sdy").expect("its own id");
        assert_eq!(found.device, Path::new("/dev/sdy"));
        for shared in ["0123", "acme-0123", "acme"] {
            pick(drives(), shared).expect_err(shared);
        }
    }
}
