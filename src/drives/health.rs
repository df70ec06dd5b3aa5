use std::thread;
use std::time::Instant;

use super::bus::MANAGER;
use super::udisks::{AUTOMOUNTER, FILE_SYSTEM, Options, PAUSE, Udisks, sort};
use super::unmount::Mount;
use super::{Drive, Error, Volume};

/// How often a repair is tried while something is left to do.
const REPAIRS: u32 = 3;

/// Whether a file system is whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Health {
    /// Nothing is wrong with it.
    Sound,
    /// It is marked as not unmounted properly, or something in it contradicts itself.
    Damaged,
    /// Nobody can tell: the tool for this kind is missing, or failed itself.
    Unknown,
}

impl Udisks {
    /// Looks whether the volume is whole and changes nothing in it; takes minutes on slow sticks.
    ///
    /// Where there is a tool for it the volume is unmounted for the look and stays so. After an
    /// error it is mounted where it was.
    pub fn check(&self, drive: &Drive, volume: &Volume) -> Result<Health, Error> {
        self.same(drive)?;
        if !self.has_tool("CanCheck", &volume.file_system)? {
            return Ok(Health::Unknown);
        }
        let mut unmounted = Vec::new();
        match self.examine(drive, volume, "Check", &mut unmounted) {
            Err(error @ Error::Failed { .. }) => {
                tracing::info!(device = %volume.device.display(), %error, "cannot check");
                self.mount_again(&unmounted);
                Ok(Health::Unknown)
            }
            Err(error) => {
                self.mount_again(&unmounted);
                Err(error)
            }
            health => health,
        }
    }

    /// Repairs the volume: [`Health::Sound`] when it is whole now, [`Health::Damaged`] when it
    /// could not be repaired, [`Health::Unknown`] without a tool, and then nothing was touched.
    ///
    /// Rechecks, and unmounts as [`Udisks::check`] does.
    pub fn repair(&self, drive: &Drive, volume: &Volume) -> Result<Health, Error> {
        self.recheck(drive)?;
        if !self.has_tool("CanRepair", &volume.file_system)? {
            return Ok(Health::Unknown);
        }
        let can_check = self.has_tool("CanCheck", &volume.file_system)?;
        let mut unmounted = Vec::new();
        let result = self.repair_until_sound(drive, volume, can_check, &mut unmounted);
        if result.is_err() {
            self.mount_again(&unmounted);
        }
        result
    }

    /// What the tool says of its work is not believed: UDisks2 takes fsck.fat's "something was
    /// changed" for a failure now and then, and one pass can leave work for the next.
    fn repair_until_sound(
        &self,
        drive: &Drive,
        volume: &Volume,
        can_check: bool,
        unmounted: &mut Vec<Mount>,
    ) -> Result<Health, Error> {
        let mut tries = 1..REPAIRS;
        loop {
            let repaired = match self.examine(drive, volume, "Repair", unmounted) {
                repaired @ (Ok(_) | Err(Error::Failed { .. })) if can_check => repaired,
                result => return result,
            };
            match self.examine(drive, volume, "Check", unmounted) {
                Ok(Health::Damaged) if tries.next().is_some() => {}
                Ok(Health::Damaged) => return repaired.map(|_| Health::Damaged),
                Err(Error::Failed { .. }) => return repaired,
                result => return result,
            }
        }
    }

    fn examine(
        &self,
        drive: &Drive,
        volume: &Volume,
        method: &'static str,
        unmounted: &mut Vec<Mount>,
    ) -> Result<Health, Error> {
        let deadline = Instant::now() + AUTOMOUNTER;
        loop {
            unmounted.extend(self.unmount_volumes(drive, Some(&volume.object))?);
            let answer = self
                .call(&volume.object, FILE_SYSTEM, method, &(Options::new(),))
                .and_then(|body| body.deserialize::<bool>())
                .map_err(|error| sort(method, &volume.object, &error));
            let in_time = Instant::now() < deadline;
            match answer {
                Ok(true) => return Ok(Health::Sound),
                // Mounted by an automounter meanwhile, it looks as if not unmounted properly.
                Ok(false) if in_time && !self.mount_points(volume)?.is_empty() => {}
                Ok(false) => return Ok(Health::Damaged),
                Err(Error::Busy { .. }) if in_time => thread::sleep(PAUSE),
                Err(error) => return Err(error),
            }
        }
    }

    /// Whether UDisks2 finds the tool for this kind of file system. An older daemon, or one that
    /// does not know the kind, has none.
    fn has_tool(&self, can: &'static str, file_system: &str) -> Result<bool, Error> {
        let answer = self
            .call(
                MANAGER,
                "org.freedesktop.UDisks2.Manager",
                can,
                &file_system,
            )
            .and_then(|body| body.deserialize::<((bool, String),)>());
        match answer {
            Ok(((there, missing),)) => {
                if !there {
                    tracing::info!(file_system, missing, "no tool");
                }
                Ok(there)
            }
            Err(error) => match sort(can, MANAGER, &error) {
                error @ Error::NoUdisks(_) => Err(error),
                error => {
                    tracing::info!(file_system, %error, "no tool");
                    Ok(false)
                }
            },
        }
    }
}
