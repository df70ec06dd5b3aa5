use std::collections::HashMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use async_io::block_on;
use serde::Serialize;
use zbus::message::Body;
use zbus::zvariant::{DynamicType, OwnedValue, Value};

use super::mount_table::MountTable;
use super::recheck::{same_drive, writable_drive};
use super::snapshot::{Snapshot, path_from};
use super::unmount::Mount;
use super::{Drive, Error, PowerOff, Volume, bus, bus_error};

/// How long an automounter is fought that brings mounts back.
pub(super) const AUTOMOUNTER: Duration = Duration::from_secs(5);
/// How long a switched-off stick may take to vanish.
const VANISHING: Duration = Duration::from_secs(30);
/// Between two looks at UDisks2 while something is awaited.
pub(super) const PAUSE: Duration = Duration::from_millis(100);

pub(super) const FILE_SYSTEM: &str = "org.freedesktop.UDisks2.Filesystem";
pub(super) const BLOCK: &str = "org.freedesktop.UDisks2.Block";
const DRIVE: &str = "org.freedesktop.UDisks2.Drive";

pub(super) type Options = HashMap<&'static str, Value<'static>>;

/// A connection to UDisks2. Every call blocks, for as long as a password prompt is open or a
/// stick takes: call on a worker thread.
#[derive(Debug, Clone)]
pub struct Udisks {
    pub(super) connection: zbus::Connection,
}

impl Udisks {
    /// Connects to the system bus (`DBUS_SYSTEM_BUS_ADDRESS` honoured) and starts UDisks2 where
    /// it does not run yet. [`Error::NoUdisks`] when either is missing.
    pub fn connect() -> Result<Self, Error> {
        let connection = block_on(zbus::Connection::system())
            .map_err(|error| Error::NoUdisks(error.to_string()))?;
        Self::on(connection)
    }

    /// UDisks2 on any bus.
    pub(super) fn on(connection: zbus::Connection) -> Result<Self, Error> {
        let udisks = Self { connection };
        udisks.snapshot()?;
        Ok(udisks)
    }

    /// All drives, offered or not, in a stable order.
    pub fn drives(&self) -> Result<Vec<Drive>, Error> {
        block_on(bus::drives(&self.connection))
    }

    /// Looks again: the drive as it is now, if it is still the one that was chosen (id, serial
    /// number, size, node) and may be written. Right before each writing.
    ///
    /// Otherwise [`Error::Gone`], [`Error::Changed`], [`Error::WriteProtected`] or
    /// [`Error::Refused`].
    pub fn recheck(&self, drive: &Drive) -> Result<Drive, Error> {
        writable_drive(drive, self.drives()?)
    }

    /// The drive as it is now, if it is still the one that was chosen; its medium and whether it may
    /// be written are not looked at.
    pub(super) fn same(&self, drive: &Drive) -> Result<Drive, Error> {
        same_drive(drive, self.drives()?)
    }

    /// Mounts a volume with `noatime`, or tells where it is mounted already.
    pub fn mount(&self, volume: &Volume) -> Result<PathBuf, Error> {
        if let Some(place) = self.mount_points(volume)?.into_iter().next() {
            return Ok(place);
        }
        let deadline = Instant::now() + AUTOMOUNTER;
        let mut options = Options::from([("options", Value::from("noatime"))]);
        loop {
            let answer = self
                .call(&volume.object, FILE_SYSTEM, "Mount", &(&options,))
                .and_then(|body| body.deserialize::<String>());
            match answer {
                Ok(place) => return Ok(PathBuf::from(place)),
                Err(error) if is(&error, "OptionNotPermitted") && !options.is_empty() => {
                    options.clear();
                }
                // An automounter was quicker; it may still be at it.
                Err(error) if is(&error, "AlreadyMounted") => {
                    if let Some(place) = self.mount_points(volume)?.into_iter().next() {
                        return Ok(place);
                    }
                    if Instant::now() > deadline {
                        return Err(sort("Mount", &volume.object, &error));
                    }
                    thread::sleep(PAUSE);
                }
                Err(error) => return Err(sort("Mount", &volume.object, &error)),
            }
        }
    }

    /// Mounts a volume for writing, or tells where it is. Where it is mounted so that each write
    /// waits for the stick, it is mounted anew without that, unless a program uses it.
    pub fn mount_for_writing(&self, drive: &Drive, volume: &Volume) -> Result<PathBuf, Error> {
        if volume.mount_options.is_some_and(|it| it.sync || it.dirsync) {
            match self.unmount_volumes(drive, Some(&volume.object)) {
                Ok(_) | Err(Error::Busy { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        self.mount(volume)
    }

    /// Mounts a volume for reading only, which writes nothing to it, not even a mark. Where an
    /// automounter was quicker and mounted it for writing, it is unmounted again (at most 5 s).
    ///
    /// [`Error::Busy`] when that does not end, or a program uses it.
    pub fn mount_read_only(&self, volume: &Volume) -> Result<PathBuf, Error> {
        let deadline = Instant::now() + AUTOMOUNTER;
        let options = Options::from([("options", Value::from("ro"))]);
        loop {
            let answer = self
                .call(&volume.object, FILE_SYSTEM, "Mount", &(&options,))
                .and_then(|body| body.deserialize::<String>());
            match answer {
                Ok(place) => return Ok(PathBuf::from(place)),
                Err(error) => match sort("Mount", &volume.object, &error) {
                    Error::Busy { .. } if Instant::now() < deadline => {}
                    error => return Err(error),
                },
            }
            if let Some(place) = self.mount_points(volume)?.into_iter().next() {
                let options = MountTable::read().options(volume.device_number, &place);
                if options.is_some_and(|it| it.read_only) {
                    return Ok(place);
                }
                self.unmount_one(&Mount {
                    object: volume.object.clone(),
                    place,
                    device_number: volume.device_number,
                    read_only: false,
                })?;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Unmounts and switches the drive off, if that takes no other with it, and waits until it has
    /// vanished.
    pub fn power_off(&self, drive: &Drive) -> Result<PowerOff, Error> {
        let deadline = Instant::now() + AUTOMOUNTER;
        loop {
            let fresh = self.same(drive)?;
            self.unmount(&fresh)?;
            if !fresh.can_power_off {
                return Ok(PowerOff::NotPossible);
            }
            let answer = self.call(&fresh.object, DRIVE, "PowerOff", &(Options::new(),));
            match answer.map_err(|error| sort("PowerOff", &fresh.id, &error)) {
                Ok(_) => break,
                Err(Error::Busy { .. }) if Instant::now() < deadline => thread::sleep(PAUSE),
                Err(error) => return Err(error),
            }
        }
        let vanished = self.wait(VANISHING, |snapshot| {
            (!snapshot.blocks.contains_key(&drive.block)).then_some(())
        })?;
        Ok(vanished.map_or(PowerOff::NotPossible, |()| PowerOff::Off))
    }

    /// Looks until `found` finds something, at most for `limit`.
    pub(super) fn wait<T>(
        &self,
        limit: Duration,
        found: impl Fn(&Snapshot) -> Option<T>,
    ) -> Result<Option<T>, Error> {
        let deadline = Instant::now() + limit;
        loop {
            let result = found(&self.snapshot()?);
            if result.is_some() || Instant::now() > deadline {
                return Ok(result);
            }
            thread::sleep(PAUSE);
        }
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot, Error> {
        block_on(bus::snapshot(&self.connection))
    }

    pub(super) fn call<B: Serialize + DynamicType>(
        &self,
        object: &str,
        interface: &str,
        method: &'static str,
        body: &B,
    ) -> Result<Body, zbus::Error> {
        block_on(bus::call(&self.connection, object, interface, method, body))
    }

    pub(super) fn mount_points(&self, volume: &Volume) -> Result<Vec<PathBuf>, Error> {
        let answer = self
            .call(
                &volume.object,
                "org.freedesktop.DBus.Properties",
                "Get",
                &(FILE_SYSTEM, "MountPoints"),
            )
            .and_then(|body| body.deserialize::<OwnedValue>())
            .map_err(|error| sort("Get", &volume.object, &error))?;
        let paths = Vec::<Vec<u8>>::try_from(answer).unwrap_or_default();
        Ok(paths.into_iter().map(path_from).collect())
    }
}

/// Whether UDisks2 answered with its error of this short name.
pub(super) fn is(error: &zbus::Error, name: &str) -> bool {
    matches!(error, zbus::Error::MethodError(full, ..)
        if full.strip_prefix("org.freedesktop.UDisks2.Error.") == Some(name))
}

pub(super) fn sort(operation: &'static str, object: &str, error: &zbus::Error) -> Error {
    bus_error::sort(operation, object, error)
}
