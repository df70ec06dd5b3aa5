use std::fs;
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::geteuid;

use super::list::list;
use super::machine::Machine;
use super::mount_table::MountTable;
use super::opened::Opened;
use super::recheck::writable_drive;
use super::{Drive, Error, Refusal, sysfs};

/// All drives as the kernel tells of them, by the same rules as [`Udisks::drives`]: for an
/// administrator where UDisks2 is not there.
///
/// [`Udisks::drives`]: super::Udisks::drives
pub fn direct_drives() -> Vec<Drive> {
    let swaps = fs::read_to_string("/proc/swaps").unwrap_or_default();
    let class = Path::new("/sys/class/block");
    let snapshot = sysfs::snapshot(class, &MountTable::read(), &swaps);
    list(&snapshot, &Machine::read(&snapshot))
}

/// Like [`Udisks::recheck`], of [`direct_drives`].
///
/// [`Udisks::recheck`]: super::Udisks::recheck
pub fn recheck_directly(drive: &Drive) -> Result<Drive, Error> {
    writable_drive(drive, direct_drives())
}

/// Like [`Udisks::open`], by the node itself. Nothing is unmounted: [`Error::Busy`] tells what is
/// mounted.
///
/// [`Udisks::open`]: super::Udisks::open
pub fn open_directly(drive: &Drive) -> Result<OwnedFd, Error> {
    let before = recheck_directly(drive)?;
    let mounted = before.volumes.iter().flat_map(|it| &it.mounted_at).next();
    if let Some(place) = mounted {
        return Err(Error::busy(Some(place.clone()), "it is mounted"));
    }
    let flags = OFlags::RDWR | OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC;
    let descriptor = open(&drive.device, flags, Mode::empty())
        .map_err(|error| failed(drive, error, geteuid().is_root()))?;
    let now = recheck_directly(drive)?;
    if Opened::read(&descriptor)?.is(drive, &now) {
        Ok(descriptor)
    } else {
        Err(Error::Changed(now.id))
    }
}

fn failed(drive: &Drive, error: Errno, is_root: bool) -> Error {
    match error {
        Errno::BUSY => Error::busy(None, error.to_string()),
        Errno::ROFS => Error::WriteProtected,
        // An administrator may do anything: the device is locked.
        Errno::ACCESS | Errno::PERM if is_root => Error::WriteProtected,
        Errno::ACCESS | Errno::PERM => Error::NotAuthorized(error.to_string()),
        Errno::NOMEDIUM => Error::Refused(Refusal::NoMedium),
        Errno::NOENT | Errno::NODEV | Errno::NXIO => Error::Gone(drive.id.clone()),
        _ => Error::Failed {
            operation: "open",
            message: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d03_d09_what_the_kernel_answers_becomes_what_a_person_can_act_on() {
        for (errno, is_root, expected) in [
            (Errno::BUSY, true, "Busy"),
            (Errno::ROFS, true, "WriteProtected"),
            (Errno::ACCESS, true, "WriteProtected"),
            (Errno::ACCESS, false, "NotAuthorized"),
            (Errno::NOMEDIUM, true, "Refused(NoMedium)"),
            (Errno::NXIO, true, "Gone"),
            (Errno::IO, true, "Failed"),
        ] {
            let told = format!("{:?}", failed(&Drive::default(), errno, is_root));
            assert!(told.starts_with(expected), "{errno}: {told}");
        }
    }

    #[test]
    fn this_computer_is_read_and_what_is_not_listed_is_not_opened() {
        let drives = direct_drives();
        let whole = |drive: &Drive| drive.size > 0 || drive.refusal.is_some();
        assert!(drives.iter().all(whole), "{drives:#?}");
        let unknown = Drive {
            id: "none".to_owned(),
            device: "/dev/null".into(),
            ..Drive::default()
        };
        assert!(matches!(open_directly(&unknown), Err(Error::Gone(_))));
    }
}
