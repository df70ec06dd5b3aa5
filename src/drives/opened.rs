use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{SeekFrom, fstat, major, minor, seek};

use super::{Drive, Error};

/// What an open descriptor says of the disk behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Opened {
    device_number: u64,
    /// As [`Drive::sequence`].
    sequence: Option<u64>,
    /// Bytes.
    size: u64,
}

impl Opened {
    pub(super) fn read(descriptor: &OwnedFd) -> Result<Self, Error> {
        let failed = |error: rustix::io::Errno| Error::Failed {
            operation: "look at the open device",
            message: error.to_string(),
        };
        let device_number = fstat(descriptor).map_err(failed)?.st_rdev;
        let size = seek(descriptor, SeekFrom::End(0)).map_err(failed)?;
        seek(descriptor, SeekFrom::Start(0)).map_err(failed)?;
        // The kernel gives the number to no other disk while this one is open.
        let (major, minor) = (major(device_number), minor(device_number));
        let folder = format!("/sys/dev/block/{major}:{minor}");
        Ok(Self {
            device_number,
            sequence: sequence(Path::new(&folder)),
            size,
        })
    }

    /// Whether this is the drive `chosen` earlier, which is now in the list as `now`.
    pub(super) fn is(&self, chosen: &Drive, now: &Drive) -> bool {
        let same_sequence = match (self.sequence, chosen.sequence) {
            (Some(opened), Some(chosen)) => opened == chosen,
            _ => true,
        };
        same_sequence && self.device_number == now.device_number && self.size == chosen.size
    }
}

/// The running number of the disk whose folder in `/sys` this is.
pub(super) fn sequence(folder: &Path) -> Option<u64> {
    let text = fs::read_to_string(folder.join("diskseq")).ok()?;
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_reused_by_another_stick_is_noticed() {
        let drive = |device_number, size, sequence| Drive {
            device_number,
            sequence,
            size,
            ..Drive::default()
        };
        let opened = |device_number, size, sequence| Opened {
            device_number,
            sequence,
            size,
        };
        let chosen = drive(2064, 2_000_000_000, Some(7));
        for (opened, expected) in [
            (opened(2064, 2_000_000_000, Some(7)), true),
            // An old kernel counts no disks.
            (opened(2064, 2_000_000_000, None), true),
            (opened(2064, 2_000_000_000, Some(8)), false),
            (opened(2064, 2_000_000_512, Some(7)), false),
            (opened(2080, 2_000_000_000, Some(7)), false),
            // No block device at all.
            (opened(0, 2_000_000_000, None), false),
        ] {
            assert_eq!(opened.is(&chosen, &chosen), expected, "{opened:?}");
        }
        let unknown = drive(2064, 2_000_000_000, None);
        assert!(opened(2064, 2_000_000_000, Some(7)).is(&unknown, &unknown));
    }

    #[test]
    fn the_running_number_is_read() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert_eq!(sequence(folder.path()), None);
        fs::write(folder.path().join("diskseq"), "12\n").expect("a file");
        assert_eq!(sequence(folder.path()), Some(12));
    }
}
