use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::sandbox::{is_sandboxed, out_of_sight};
use super::{Choices, Failure, Kind};
use crate::drives::{
    self, Drive, FormatSpec, Health, PowerOff, Udisks, Volume, formatted_capacity,
};
use crate::engine::plan::{FileSystem, Gathered, Plan, TargetFacts, plan};
use crate::engine::target::Folder;

/// Where files go, as far as it is known before the start.
#[derive(Debug)]
pub(super) enum Place {
    /// Files can be written to it.
    Ready(Ready),
    /// A stick that is formatted first.
    ToFormat {
        udisks: Udisks,
        drive: Box<Drive>,
        spec: FormatSpec,
    },
}

/// A place that files can be written to.
#[derive(Debug)]
pub(super) enum Ready {
    /// A folder, which is nobody's stick here: never unmounted or switched off.
    Folder(PathBuf),
    /// A mounted stick.
    Stick(Box<Mounted>),
}

/// A mounted stick. Dropped, it is unmounted again if it was mounted for this job.
#[derive(Debug)]
pub(super) struct Mounted {
    udisks: Udisks,
    drive: Drive,
    volume: Volume,
    folder: PathBuf,
    unmount_on_drop: bool,
    /// Looked at, or just made: nothing in its file system contradicts itself.
    is_sound: bool,
}

impl Place {
    /// The plan for this place, after the choices.
    pub(super) fn plan(&self, gathered: &Gathered, choices: &Choices) -> Result<Plan, Failure> {
        match self {
            Self::Ready(ready) => ready.plan(gathered, choices),
            Self::ToFormat { drive, spec, .. } => {
                let (free, cluster) = formatted_capacity(spec.file_system, drive.size);
                let file_system = match spec.file_system {
                    drives::FileSystem::Fat32 => FileSystem::Fat32,
                    drives::FileSystem::ExFat => FileSystem::ExFat,
                };
                let facts = TargetFacts::fresh(file_system, free, cluster);
                Ok(plan(gathered, &facts, &|_: &Path| None, choices))
            }
        }
    }

    /// The folder that files go to, where there is one already.
    pub(super) fn folder(&self) -> Option<&Path> {
        match self {
            Self::Ready(Ready::Folder(folder)) => Some(folder),
            Self::Ready(Ready::Stick(mounted)) => Some(&mounted.folder),
            Self::ToFormat { .. } => None,
        }
    }

    /// Formats the stick if that was wanted. This is what erases it.
    pub(super) fn make_ready(self) -> Result<Ready, Failure> {
        match self {
            Self::Ready(ready) => Ok(ready),
            Self::ToFormat {
                udisks,
                drive,
                spec,
            } => {
                let volume = udisks.format(&drive, &spec)?;
                let mut mounted = Mounted::mount(udisks, *drive, volume, true)?;
                mounted.is_sound = true;
                Ok(Ready::Stick(Box::new(mounted)))
            }
        }
    }
}

impl Ready {
    /// A folder that is there.
    pub(super) fn folder(folder: &Path) -> Result<Self, Failure> {
        Folder::open(folder)?;
        Ok(Self::Folder(folder.to_path_buf()))
    }

    /// A stick as it is, mounted if it is not yet.
    pub(super) fn stick(
        udisks: Udisks,
        drive: Drive,
        volume: Volume,
        health: Health,
    ) -> Result<Self, Failure> {
        // Given up, it is left as the person had it.
        let unmount_on_drop = volume.mounted_at.is_empty();
        let mut mounted = Mounted::mount(udisks, drive, volume, unmount_on_drop)?;
        mounted.is_sound = health == Health::Sound;
        mounted.refuse_unwritable()?;
        Ok(Self::Stick(Box::new(mounted)))
    }

    /// Whether its file system was looked at and is whole.
    pub(super) fn is_sound(&self) -> bool {
        matches!(self, Self::Stick(mounted) if mounted.is_sound)
    }

    /// The stick, where it is one.
    pub(super) fn drive(&self) -> Option<&Drive> {
        match self {
            Self::Folder(_) => None,
            Self::Stick(mounted) => Some(&mounted.drive),
        }
    }

    /// Opens it for writing: it is the one that was chosen, or nothing is opened.
    pub(super) fn open(&self) -> Result<Folder, Failure> {
        match self {
            Self::Folder(folder) => Ok(Folder::open(folder)?),
            Self::Stick(mounted) => mounted.open(),
        }
    }

    pub(super) fn plan(&self, gathered: &Gathered, choices: &Choices) -> Result<Plan, Failure> {
        let target = self.open()?;
        let facts = target.facts()?;
        Ok(plan(gathered, &facts, &target, choices))
    }

    /// The end of a job whose last checkpoint is behind it: true says that a stick was unmounted
    /// and that nothing is left on the way to it.
    pub(super) fn settle(self, power_off: bool) -> Result<bool, Failure> {
        match self {
            Self::Folder(_) => Ok(false),
            Self::Stick(mounted) => mounted.settle(power_off).map(|()| true),
        }
    }

    /// Leaves a stick mounted.
    pub(super) fn keep(self) {
        if let Self::Stick(mut mounted) = self {
            mounted.unmount_on_drop = false;
        }
    }
}

impl Mounted {
    fn mount(
        udisks: Udisks,
        drive: Drive,
        volume: Volume,
        unmount_on_drop: bool,
    ) -> Result<Self, Failure> {
        let folder = udisks.mount_for_writing(&drive, &volume)?;
        let mounted = Self {
            udisks,
            drive,
            volume,
            folder,
            unmount_on_drop,
            is_sound: false,
        };
        if is_sandboxed() && !mounted.is_in_sight() {
            return Err(out_of_sight(&mounted.folder));
        }
        Ok(mounted)
    }

    /// Whether its folder here is the stick's: in a sandbox it may be absent, or the empty one below
    /// the mount.
    fn is_in_sight(&self) -> bool {
        let found = self.folder.metadata();
        found.is_ok_and(|folder| self.is_its_device(folder.dev()))
    }

    fn is_its_device(&self, device: u64) -> bool {
        // Btrfs numbers its devices by itself.
        device == self.volume.device_number || self.volume.file_system == "btrfs"
    }

    /// Told now, not by the first file.
    fn refuse_unwritable(&self) -> Result<(), Failure> {
        if drives::may_write(&self.folder) {
            return Ok(());
        }
        let detail = format!("{} can’t be written", self.folder.display());
        let now = self.udisks.recheck(&self.drive)?;
        let mut volumes = now.volumes.iter();
        let volume = volumes.find(|volume| volume.object == self.volume.object);
        let options = volume.and_then(|volume| volume.mount_options);
        Err(Failure::new(
            if options.is_some_and(|options| options.read_only) {
                Kind::MountedReadOnly
            } else {
                Kind::NotAuthorized
            },
            detail,
        ))
    }

    /// Looks at the stick right before opening, and at what was opened right after: another stick
    /// may be in its place, or none, and then the folder is one of the system's own disk.
    fn open(&self) -> Result<Folder, Failure> {
        self.udisks.recheck(&self.drive)?;
        let folder = Folder::open(&self.folder)?;
        if self.is_its_device(folder.id().device) {
            Ok(folder)
        } else {
            let detail = format!("{} is not the stick’s", self.folder.display());
            Err(Failure::new(Kind::TargetChanged, detail))
        }
    }

    fn settle(mut self, power_off: bool) -> Result<(), Failure> {
        self.udisks.unmount(&self.drive)?;
        self.unmount_on_drop = false;
        // Switching off flushes the stick's own cache.
        if power_off && self.udisks.power_off(&self.drive)? == PowerOff::Off {
            return Ok(());
        }
        Ok(self.udisks.flush_unmounted(&self.drive, &self.volume)?)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if !self.unmount_on_drop {
            return;
        }
        // Reached only where nothing is claimed of the stick: given up before the start, or
        // after a failure that is told.
        if let Err(error) = self.udisks.unmount(&self.drive) {
            tracing::warn!(%error, "could not unmount the stick");
        }
    }
}
