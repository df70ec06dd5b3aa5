use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use super::{AtEnd, Failure, Kind, Known};
use crate::drives::{self, Drive, PowerOff, Refusal, Udisks, open_directly};
use crate::engine::device::{BlockDevice, Device};

/// How a stick is got hold of, and let go.
pub(super) trait Access: Send + 'static {
    type Device: Device;

    /// The stick, if it is one that can be remembered.
    fn drive(&self) -> Option<&Drive>;

    /// Asks for the password, if one is needed, and touches nothing.
    fn authorize(&self) -> Result<(), Failure>;

    /// Opens it, with nothing mounted and nobody else using it.
    fn open(&self) -> Result<Arc<Self::Device>, Failure>;

    /// Closes it, flushed as it is, and brings it to its end: true says that nothing is left on
    /// the way to it, and nothing mounted.
    fn let_go(&self, device: Arc<Self::Device>, at_end: AtEnd) -> Result<bool, Failure>;

    /// Whether it was found before to have all the room that it claims.
    fn is_genuine(&self) -> bool;

    /// Whether it has.
    fn remember_genuine(&self, genuine: bool);
}

/// A real stick.
#[derive(Debug)]
pub(super) struct Stick {
    /// `None`: an administrator opens it directly.
    pub(super) udisks: Option<Udisks>,
    pub(super) drive: Drive,
    /// An encrypted part is open, and closed before it is written.
    locks: bool,
}

impl Stick {
    /// Looks at it again. With `lock`, an encrypted part that is open is no obstacle.
    pub(super) fn find(
        udisks: Option<&Udisks>,
        drive: &Drive,
        lock: bool,
    ) -> Result<Self, Failure> {
        let found = match udisks {
            Some(udisks) => udisks.recheck(drive),
            None => drives::recheck_directly(drive),
        };
        let locks = match found {
            Ok(_) => false,
            Err(drives::Error::Refused(Refusal::Unlocked)) if lock && udisks.is_some() => true,
            Err(error) => return Err(error.into()),
        };
        Ok(Self {
            udisks: udisks.cloned(),
            drive: drive.clone(),
            locks,
        })
    }

    /// Whether an encrypted part of it will be closed.
    pub(super) fn locks(&self) -> bool {
        self.locks
    }
}

impl Access for Stick {
    type Device = BlockDevice;

    fn drive(&self) -> Option<&Drive> {
        Some(&self.drive)
    }

    fn authorize(&self) -> Result<(), Failure> {
        match &self.udisks {
            Some(udisks) => Ok(udisks.authorize(&self.drive)?),
            None => Ok(()),
        }
    }

    fn open(&self) -> Result<Arc<BlockDevice>, Failure> {
        let descriptor = match &self.udisks {
            Some(udisks) => {
                if self.locks {
                    udisks.lock(&self.drive)?;
                }
                udisks.open(&self.drive)?
            }
            None => open_directly(&self.drive)?,
        };
        let device = BlockDevice::new(descriptor);
        let device = device.map_err(|error| Failure::new(Kind::IoError, format!("open: {error}")));
        device.map(Arc::new)
    }

    fn let_go(&self, device: Arc<BlockDevice>, at_end: AtEnd) -> Result<bool, Failure> {
        wait_for_sole(&device);
        drop(device);
        let Some(udisks) = &self.udisks else {
            return Ok(true);
        };
        // Switching off comes first: the system would mount what it found on the stick.
        if at_end == AtEnd::PowerOff {
            match udisks.power_off(&self.drive) {
                Ok(PowerOff::Off) => return Ok(true),
                Ok(PowerOff::NotPossible) => {}
                // All is on the stick; only it may not be unplugged yet.
                Err(drives::Error::Busy { .. }) => return Ok(false),
                Err(error) => return Err(error.into()),
            }
        }
        udisks.rescan(&self.drive)?;
        Ok(at_end != AtEnd::KeepMounted && udisks.settle(&self.drive)?)
    }

    fn is_genuine(&self) -> bool {
        Known::of(&self.drive).is_some_and(|known| known.is_genuine())
    }

    fn remember_genuine(&self, genuine: bool) {
        Known::change(&self.drive, |known| known.set_genuine(genuine));
    }
}

/// The thread that read it back may be about to let go of it.
fn wait_for_sole(device: &Arc<BlockDevice>) {
    const PATIENCE: Duration = Duration::from_secs(5);
    let begun = Instant::now();
    while Arc::strong_count(device) > 1 && begun.elapsed() < PATIENCE {
        thread::sleep(Duration::from_millis(5));
    }
}
