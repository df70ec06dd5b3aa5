use std::fs::File;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use super::udisks::{PAUSE, Udisks};
use super::{Drive, Error, Volume};

/// An automounter that has left a new volume alone for so long, once the system knew of it, is not
/// there, or is through.
const QUIET: Duration = Duration::from_secs(2);
/// Where the computer is slow, so is an automounter: it is given the time that so many looks at
/// UDisks2 take, by their mean, where that is longer.
const LOOKS: u32 = 40;
/// How many times longer at most.
const LONGER: u32 = 5;
/// How long it is waited for that in all, unless three times of quiet take longer.
const LIMIT: Duration = Duration::from_secs(20);

/// Whether udev still finds out what is on a device. In a sandbox nobody can tell.
fn is_looking() -> bool {
    Path::new("/run/udev/queue").exists()
}

impl Udisks {
    /// The end of a drive whose contents are new, behind [`Udisks::rescan`]: what the system finds
    /// on it an automounter mounts at once, and that is unmounted again and flushed.
    ///
    /// True says that nothing is mounted and nothing left on the way to it; false, that somebody
    /// goes on using it.
    pub fn settle(&self, drive: &Drive) -> Result<bool, Error> {
        self.settle_within(drive, QUIET, LIMIT)
    }

    pub(super) fn settle_within(
        &self,
        drive: &Drive,
        quiet: Duration,
        limit: Duration,
    ) -> Result<bool, Error> {
        let (begun, mut since, mut was_mounted) = (Instant::now(), Instant::now(), false);
        let (mut looking, mut looks) = (Duration::ZERO, 0);
        let mut enough = quiet;
        while since.elapsed() < enough {
            if begun.elapsed() > limit.max(enough * 3) {
                return Ok(false);
            }
            let look = Instant::now();
            match self.unmount_volumes(drive, None) {
                Ok(unmounted) if unmounted.is_empty() => {
                    looking += look.elapsed();
                    looks += 1;
                    enough = (looking * LOOKS / looks).clamp(quiet, quiet * LONGER);
                    if is_looking() {
                        since = Instant::now();
                    }
                }
                // Whoever looks at what is new, as programs that search files do, soon lets go.
                Ok(_) | Err(Error::Busy { .. }) => {
                    was_mounted = true;
                    since = Instant::now();
                }
                Err(error) => return Err(error),
            }
            thread::sleep(PAUSE);
        }
        if !was_mounted {
            return Ok(true);
        }
        let now = self.same(drive)?;
        let mut volumes = now.volumes.iter();
        // All others flush the device when they are unmounted.
        match volumes.find(|volume| volume.file_system == "vfat") {
            Some(volume) => self.flush_unmounted(drive, volume).map(|()| true),
            None => Ok(true),
        }
    }

    /// Unmounting FAT writes two more sectors (the mark that all is well) and flushes nothing.
    /// A read-only mount writes nothing, and syncing its folder flushes the device.
    pub fn flush_unmounted(&self, drive: &Drive, volume: &Volume) -> Result<(), Error> {
        let folder = self.mount_read_only(volume)?;
        let flushed = File::open(&folder).and_then(|folder| folder.sync_all());
        self.unmount(drive)?;
        flushed.map_err(|error| Error::Failed {
            operation: "flush",
            message: error.to_string(),
        })
    }
}
