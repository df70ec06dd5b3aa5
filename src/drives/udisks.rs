use std::path::PathBuf;

use super::{Drive, Error, FormatSpec, Volume};

/// A connection to UDisks2. Every call blocks, for as long as a password prompt is open or a
/// stick takes: call on a worker thread.
#[derive(Debug, Clone)]
pub struct Udisks {}

/// How switching a stick off ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerOff {
    /// It has no power any more.
    Off,
    /// It stays on (a card reader, an internal slot, another drive in the same device): once flushed
    /// and unmounted it may be unplugged all the same.
    NotPossible,
}

const EARLY: &str = "not built yet";

fn early<T>(operation: &'static str) -> Result<T, Error> {
    Err(Error::Failed {
        operation,
        message: EARLY.to_owned(),
    })
}

impl Udisks {
    /// Connects to the system bus (`DBUS_SYSTEM_BUS_ADDRESS` honoured) and to UDisks2 on it.
    pub fn connect() -> Result<Self, Error> {
        early("connect")
    }

    /// All drives, offered or not, in a stable order.
    pub fn drives(&self) -> Result<Vec<Drive>, Error> {
        early("GetManagedObjects")
    }

    /// Looks again: the drive as it is now, if it is still the one that was chosen (id, serial,
    /// size, node). [`Error::Gone`] or [`Error::Changed`] otherwise. Right before each writing.
    pub fn recheck(&self, drive: &Drive) -> Result<Drive, Error> {
        let _ = drive;
        early("GetManagedObjects")
    }

    /// Erases the drive and gives it one volume. Rechecks, unmounts, formats, waits until the
    /// volume is there.
    ///
    /// [`Error::LeftEmpty`] when the old contents are gone and there is no new volume.
    pub fn format(&self, drive: &Drive, spec: &FormatSpec) -> Result<Volume, Error> {
        let _ = (drive, spec);
        early("Format")
    }

    /// Mounts a volume with `noatime`, or tells where it is mounted already.
    pub fn mount(&self, volume: &Volume) -> Result<PathBuf, Error> {
        let _ = volume;
        early("Mount")
    }

    /// Unmounts everything on the drive, at all its mount points, again while an automounter
    /// brings them back (at most 5 s). Never lazy, never forced.
    ///
    /// It flushes no device cache: that is the engine's part, before.
    pub fn unmount(&self, drive: &Drive) -> Result<(), Error> {
        let _ = drive;
        early("Unmount")
    }

    /// Switches the drive off, if that takes no other with it, and waits until it has vanished.
    pub fn power_off(&self, drive: &Drive) -> Result<PowerOff, Error> {
        let _ = drive;
        early("PowerOff")
    }
}
