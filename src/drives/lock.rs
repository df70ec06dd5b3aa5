use std::time::Duration;

use super::snapshot::Snapshot;
use super::udisks::{Options, Udisks, sort};
use super::{Drive, Error, Refusal};

/// How long an unlocked volume may take to vanish.
const VANISHING: Duration = Duration::from_secs(30);

const ENCRYPTED: &str = "org.freedesktop.UDisks2.Encrypted";

impl Udisks {
    /// Unmounts everything on the drive and locks its unlocked volumes, after the person has
    /// agreed. Tells how the drive is now; nothing to lock is no error.
    ///
    /// Rechecks; only [`Refusal::Unlocked`] may stand against it. After an error it is mounted as
    /// it was, as far as that goes.
    pub fn lock(&self, drive: &Drive) -> Result<Drive, Error> {
        match self.recheck(drive) {
            Err(Error::Refused(Refusal::Unlocked)) => {}
            result => return result,
        }
        let unmounted = self.unmount_volumes(drive, None)?;
        let locked = self.lock_unmounted(drive);
        if locked.is_err() {
            self.mount_again(&unmounted);
        }
        locked?;
        self.recheck(drive)
    }

    fn lock_unmounted(&self, drive: &Drive) -> Result<(), Error> {
        for encrypted in unlocked(&self.snapshot()?, &drive.block) {
            self.call(&encrypted, ENCRYPTED, "Lock", &(Options::new(),))
                .map_err(|error| sort("Lock", &drive.id, &error))?;
        }
        let gone = self.wait(VANISHING, |snapshot| {
            unlocked(snapshot, &drive.block).is_empty().then_some(())
        })?;
        gone.ok_or_else(|| Error::busy(None, "the unlocked volume does not vanish"))
    }
}

/// Encrypted blocks of a disk that are unlocked.
fn unlocked(snapshot: &Snapshot, disk: &str) -> Vec<String> {
    snapshot
        .disk_and_partitions(disk)
        .into_iter()
        .filter(|(path, _)| snapshot.clear_text_of(path).is_some())
        .map(|(path, _)| path.to_owned())
        .collect()
}
