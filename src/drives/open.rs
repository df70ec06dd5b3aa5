use std::os::fd::OwnedFd;
use std::thread;
use std::time::Instant;

use rustix::fs::OFlags;
use zbus::zvariant::{self, Value};

use super::opened::Opened;
use super::udisks::{AUTOMOUNTER, BLOCK, Options, PAUSE, Udisks, sort};
use super::unmount::Mount;
use super::{Drive, Error, Refusal};

const OPEN: &str = "OpenDevice";

impl Udisks {
    /// Asks for the password that [`Udisks::open`] will need, and waits for it without limit; it
    /// holds for this process for some minutes. Before anything long, and before anything is
    /// unmounted or locked: [`Error::Dismissed`] has touched nothing.
    ///
    /// Rechecks. An unlocked volume is no obstacle yet: [`Udisks::lock`] comes afterwards.
    pub fn authorize(&self, drive: &Drive) -> Result<(), Error> {
        match self.recheck(drive) {
            Ok(_) | Err(Error::Refused(Refusal::Unlocked)) => {}
            Err(error) => return Err(error),
        }
        // An exclusive open fails while the stick is mounted; this one does not.
        match self.open_device(drive, "r", OFlags::empty()) {
            Err(Error::NotAuthorized(_)) if self.password_opens() => Err(Error::Dismissed),
            result => result.map(drop),
        }
    }

    /// The whole drive for reading and writing past the page cache, with nothing mounted and
    /// nobody else using it for as long as the descriptor is open.
    ///
    /// Rechecks before and after opening, unmounts everything, and fights an automounter (at most
    /// 5 s). After an error nothing has been written, and what was mounted is mounted again.
    pub fn open(&self, drive: &Drive) -> Result<OwnedFd, Error> {
        let mut unmounted = Vec::new();
        let result = self.open_unmounted(drive, &mut unmounted);
        if result.is_err() {
            self.mount_again(&unmounted);
        }
        result
    }

    /// Has the partitions of a drive looked at again that was written; close its descriptor first.
    pub fn rescan(&self, drive: &Drive) -> Result<(), Error> {
        self.call(&drive.block, BLOCK, "Rescan", &(Options::new(),))
            .map(drop)
            .map_err(|error| sort("Rescan", &drive.id, &error))
    }

    fn open_unmounted(&self, drive: &Drive, unmounted: &mut Vec<Mount>) -> Result<OwnedFd, Error> {
        let flags = OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC;
        let mut deadline = None;
        loop {
            self.recheck(drive)?;
            unmounted.extend(self.unmount_volumes(drive, None)?);
            match self.open_device(drive, "rw", flags) {
                Ok(descriptor) => {
                    // Another stick may have come in between, even under the same node.
                    let now = self.recheck(drive)?;
                    return if Opened::read(&descriptor)?.is(drive, &now) {
                        Ok(descriptor)
                    } else {
                        Err(Error::Changed(now.id))
                    };
                }
                // Only what comes after the password is counted.
                Err(Error::Busy { .. })
                    if Instant::now()
                        < *deadline.get_or_insert_with(|| Instant::now() + AUTOMOUNTER) =>
                {
                    thread::sleep(PAUSE);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn open_device(&self, drive: &Drive, mode: &str, flags: OFlags) -> Result<OwnedFd, Error> {
        let mut options = Options::new();
        if !flags.is_empty() {
            // UDisks2 takes the kernel's numbers as they are.
            options.insert("flags", Value::from(flags.bits().cast_signed()));
        }
        self.call(&drive.block, BLOCK, OPEN, &(mode, options))
            .and_then(|body| body.deserialize::<zvariant::OwnedFd>())
            .map(OwnedFd::from)
            .map_err(|error| sort(OPEN, &drive.id, &error))
    }
}
