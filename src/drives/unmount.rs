use std::collections::BTreeSet;
use std::iter;
use std::path::{Path, PathBuf};
use std::time::Instant;

use zbus::zvariant::Value;

use super::list::list;
use super::machine::Machine;
use super::mount_table::MountTable;
use super::program::program_using;
use super::recheck::same_drive;
use super::snapshot::Snapshot;
use super::udisks::{AUTOMOUNTER, FILE_SYSTEM, Options, Udisks, is, sort};
use super::{Drive, Error};

/// Where a file system is mounted, or was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    /// D-Bus object path of its block device.
    pub(super) object: String,
    pub(super) place: PathBuf,
    /// The kernel's number of the device.
    pub(super) device_number: u64,
    /// It was mounted for reading only.
    pub(super) read_only: bool,
}

impl Udisks {
    /// Unmounts everything on the drive, at all its mount points, again while an automounter
    /// brings them back (at most 5 s). All or nothing, never lazy, never forced.
    ///
    /// It flushes no device cache: that is the engine's part, before. [`Error::Busy`] names the
    /// mount point that is in use; the others are mounted again, as far as that goes, and those
    /// that are not are named too.
    pub fn unmount(&self, drive: &Drive) -> Result<(), Error> {
        self.unmount_volumes(drive, None).map(drop)
    }

    /// Like [`Udisks::unmount`], of the whole drive or of one volume `only` (its object); tells
    /// what was unmounted.
    pub(super) fn unmount_volumes(
        &self,
        drive: &Drive,
        only: Option<&str>,
    ) -> Result<Vec<Mount>, Error> {
        let mut unmounted = Vec::new();
        let result = self.unmount_until_empty(drive, only, &mut unmounted);
        match result {
            Ok(()) => Ok(unmounted),
            Err(error) => {
                let left = self.mount_again(&unmounted);
                Err(match error {
                    Error::Busy {
                        mount_point,
                        program,
                        message,
                        ..
                    } => Error::Busy {
                        mount_point,
                        program,
                        unmounted: left,
                        message,
                    },
                    error => error,
                })
            }
        }
    }

    fn unmount_until_empty(
        &self,
        drive: &Drive,
        only: Option<&str>,
        unmounted: &mut Vec<Mount>,
    ) -> Result<(), Error> {
        let mut deadline = None;
        loop {
            let now = self.snapshot()?;
            same_drive(drive, list(&now, &Machine::read(&now)))?;
            let mut mounts = mounts(&now, &MountTable::read(), &drive.block);
            mounts.retain(|mount| only.is_none_or(|only| mount.object == only));
            let Some(first) = mounts.first() else {
                return Ok(());
            };
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                return Err(Error::busy(
                    Some(first.place.clone()),
                    "another program mounts it again and again",
                ));
            }
            for mount in mounts {
                let was_mounted = self.unmount_one(&mount)?;
                if was_mounted && !unmounted.contains(&mount) {
                    unmounted.push(mount);
                }
            }
            // Slow sticks take long to unmount; only what comes back afterwards is counted.
            deadline.get_or_insert_with(|| Instant::now() + AUTOMOUNTER);
        }
    }

    /// False when it was not mounted any more.
    pub(super) fn unmount_one(&self, mount: &Mount) -> Result<bool, Error> {
        let answer = self.call(&mount.object, FILE_SYSTEM, "Unmount", &(Options::new(),));
        match answer {
            Ok(_) => Ok(true),
            Err(error) if is(&error, "NotMounted") => Ok(false),
            Err(error) => Err(match sort("Unmount", &mount.object, &error) {
                Error::Busy { message, .. } => Error::Busy {
                    mount_point: Some(mount.place.clone()),
                    program: program_using(Path::new("/proc"), mount),
                    unmounted: Vec::new(),
                    message,
                },
                error => error,
            }),
        }
    }

    /// Back to how the person left it, as far as it goes: the places that stay unmounted.
    pub(super) fn mount_again(&self, unmounted: &[Mount]) -> Vec<PathBuf> {
        let mut seen = BTreeSet::new();
        for mount in unmounted.iter().filter(|it| seen.insert(&it.object)) {
            let mut options = Options::new();
            if mount.read_only {
                options.insert("options", Value::from("ro"));
            }
            let answer = self.call(&mount.object, FILE_SYSTEM, "Mount", &(options,));
            if let Err(error) = answer
                && !is(&error, "AlreadyMounted")
            {
                tracing::warn!(place = %mount.place.display(), %error, "cannot mount again");
            }
        }
        let now = self.snapshot().unwrap_or_default();
        unmounted
            .iter()
            .filter(|mount| {
                let block = now.blocks.get(&mount.object);
                let places = block.and_then(|block| block.mount_points.as_ref());
                !places.is_some_and(|places| places.contains(&mount.place))
            })
            .map(|mount| mount.place.clone())
            .collect()
    }
}

/// Each mount point of the disk, its partitions and what is unlocked of them.
fn mounts(snapshot: &Snapshot, table: &MountTable, disk: &str) -> Vec<Mount> {
    snapshot
        .disk_and_partitions(disk)
        .into_iter()
        .flat_map(|(object, block)| {
            let clear = snapshot.clear_text_of(object);
            iter::once((object, block)).chain(clear)
        })
        .flat_map(|(object, block)| {
            let places = block.mount_points.iter().flatten();
            places.map(move |place| Mount {
                object: object.to_owned(),
                place: place.clone(),
                device_number: block.device_number,
                read_only: table
                    .options(block.device_number, place)
                    .is_some_and(|options| options.read_only),
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drives::snapshot::BlockFacts;

    #[test]
    fn x01_what_was_mounted_for_reading_only_is_so_again() {
        let block = |minor, place: &str| BlockFacts {
            device_number: rustix::fs::makedev(8, minor),
            partition: Some(("sdb".to_owned(), u64::from(minor))),
            mount_points: Some(vec![place.into()]),
            ..BlockFacts::default()
        };
        let mut snapshot = Snapshot::default();
        for (name, minor) in [("sdb1", 17), ("sdb2", 18)] {
            let place = format!("/media/{name}");
            snapshot.blocks.insert(name.into(), block(minor, &place));
        }
        let table = MountTable::parse(
            b"90 1 8:17 / /media/sdb1 ro - vfat /dev/sdb1 rw\n\
              91 1 8:18 / /media/sdb2 rw - vfat /dev/sdb2 rw\n",
        );
        let found: Vec<_> = mounts(&snapshot, &table, "sdb")
            .into_iter()
            .map(|mount| (mount.object, mount.read_only))
            .collect();
        assert_eq!(
            found,
            [("sdb1".to_owned(), true), ("sdb2".to_owned(), false)]
        );
    }
}
