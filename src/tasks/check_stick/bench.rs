use std::thread;
use std::time::{Duration, Instant};

use crate::drives::{Drive, Udisks, Volume};
use crate::engine::target::{Folder, Target};
use crate::tasks::access::{Access, Stick};
use crate::tasks::place::Ready;
use crate::tasks::volume::make_sound;
use crate::tasks::{AtEnd, Failure, Kind, Known, KnownSpeed};

/// How long the system may take to find a stick's parts again when its descriptor was closed.
const FINDING: Duration = Duration::from_secs(20);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(200);

/// A stick as a check gets hold of it: as a whole, and as what can be filled on it.
pub(super) trait Bench: Access {
    type Room: Room;

    /// Makes ready what can be filled. Refused where nothing can, or what is there is damaged.
    fn mount(&self) -> Result<Self::Room, Failure>;

    /// The end of a stick that is neither open nor mounted for this job: true says that nothing is
    /// left on the way to it, and nothing mounted.
    fn settle(&self, at_end: AtEnd) -> Result<bool, Failure>;

    /// Keeps what was found for the next time.
    fn remember(&self, genuine: bool, speed: Option<KnownSpeed>);
}

/// A file system that can be filled. Dropped, it is let go without a claim.
pub(super) trait Room {
    type Target: Target;

    /// Opens it: it is the stick's, or nothing is opened.
    fn open(&self) -> Result<Self::Target, Failure>;

    /// Bytes that may be filled.
    fn free(&self, target: &Self::Target) -> Result<u64, Failure>;

    /// The end, behind the last checkpoint; as [`Bench::settle`].
    fn settle(self, at_end: AtEnd) -> Result<bool, Failure>;
}

impl Bench for Stick {
    type Room = Ready;

    fn mount(&self) -> Result<Ready, Failure> {
        let nothing = || Failure::new(Kind::NoFileSystem, "");
        let udisks = self.udisks.as_ref().ok_or_else(nothing)?;
        let wanted = largest(&self.drive).ok_or_else(nothing)?;
        let deadline = Instant::now() + FINDING;
        loop {
            let result = mount_again(udisks, &self.drive, &wanted);
            // Closing its descriptor makes the stick's parts vanish for a moment, maybe only after
            // they were seen here.
            let is_missing =
                |failure: &Failure| matches!(failure.kind, Kind::TargetGone | Kind::NoFileSystem);
            match result {
                Err(failure) if is_missing(&failure) && Instant::now() < deadline => {
                    udisks.recheck(&self.drive)?;
                    thread::sleep(PAUSE);
                }
                result => return result,
            }
        }
    }

    fn settle(&self, at_end: AtEnd) -> Result<bool, Failure> {
        let Some(udisks) = &self.udisks else {
            return Ok(true);
        };
        match at_end {
            AtEnd::PowerOff => drop(udisks.power_off(&self.drive)?),
            AtEnd::Unmount => udisks.unmount(&self.drive)?,
            AtEnd::KeepMounted => return Ok(false),
        }
        Ok(true)
    }

    fn remember(&self, genuine: bool, speed: Option<KnownSpeed>) {
        Known::change(&self.drive, |known| {
            known.set_genuine(genuine);
            if let Some(speed) = speed {
                known.set_speed(speed);
            }
        });
    }
}

impl Room for Ready {
    type Target = Folder;

    fn open(&self) -> Result<Folder, Failure> {
        Self::open(self)
    }

    fn free(&self, target: &Folder) -> Result<u64, Failure> {
        /// The file system needs some itself, for names and for where files lie.
        const SPARED: u64 = 2 << 20;
        let free = target.facts()?.free;
        Ok(free.saturating_sub(SPARED + free / 500))
    }

    fn settle(self, at_end: AtEnd) -> Result<bool, Failure> {
        match at_end {
            AtEnd::KeepMounted => {
                self.keep();
                Ok(false)
            }
            at_end => Self::settle(self, at_end == AtEnd::PowerOff),
        }
    }
}

/// The largest file system that this computer can write.
pub(super) fn largest(drive: &Drive) -> Option<Volume> {
    let usable = drive.volumes.iter();
    let usable = usable.filter(|volume| volume.can_mount != Some(false) && !volume.read_only);
    usable.max_by_key(|volume| volume.size).cloned()
}

fn mount_again(udisks: &Udisks, drive: &Drive, wanted: &Volume) -> Result<Ready, Failure> {
    let now = udisks.recheck(drive)?;
    let same = |volume: &&Volume| {
        volume.device == wanted.device && volume.file_system == wanted.file_system
    };
    let volume = now.volumes.iter().find(same).cloned();
    let missing = || Failure::new(Kind::NoFileSystem, wanted.device.to_string_lossy());
    let volume = volume.ok_or_else(missing)?;
    let health = make_sound(udisks, &now, &volume, false)?;
    Ready::stick(udisks.clone(), now, volume, health)
}
