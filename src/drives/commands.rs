use std::fs;
use std::path::Path;

use super::Drive;

/// How the commands to a drive have ended since it was plugged in, as the kernel counts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Commands {
    /// That ended, well or not.
    pub done: u64,
    /// That ended with an error.
    pub failed: u64,
    /// That got no answer in time.
    pub unanswered: u64,
}

impl Commands {
    /// Those of the drive; `None` where the kernel counts none, as for cards in readers without USB.
    pub fn of(drive: &Drive) -> Option<Self> {
        let name = drive.device.file_name()?;
        Self::read(&Path::new("/sys/class/block").join(name).join("device"))
    }

    fn read(device: &Path) -> Option<Self> {
        // `0x1f`: https://docs.kernel.org/scsi/scsi_mid_low_api.html, members of scsi_device.
        let count = |file: &str| {
            let text = fs::read_to_string(device.join(file)).ok()?;
            u64::from_str_radix(text.trim().strip_prefix("0x")?, 16).ok()
        };
        Some(Self {
            done: count("iodone_cnt")?,
            failed: count("ioerr_cnt")?,
            // Since Linux 6.0.
            unanswered: count("iotmo_cnt").unwrap_or_default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_counts_are_read_as_it_writes_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |file: &str, text: &str| {
            fs::write(folder.path().join(file), text).expect("a file");
        };
        assert_eq!(Commands::read(folder.path()), None);
        write("iodone_cnt", "0x1f4\n");
        write("ioerr_cnt", "0x2\n");
        let mut expected = Commands {
            done: 500,
            failed: 2,
            unanswered: 0,
        };
        assert_eq!(Commands::read(folder.path()), Some(expected));
        write("iotmo_cnt", "0x1\n");
        expected.unanswered = 1;
        assert_eq!(Commands::read(folder.path()), Some(expected));
    }
}
