use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::drivers::Drivers;
use super::mount_table::MountTable;
use super::opened::sequence;
use super::snapshot::Snapshot;
use super::unescape::unescape;

/// What the running machine knows of its disks and UDisks2 does not tell.
///
/// Read from `/sys` and `/proc`, which a Flatpak sees too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Machine {
    /// Kernel names of the devices stacked on one (`sdb1` → `dm-0`).
    pub(super) holders: BTreeMap<String, Vec<String>>,
    /// Speed negotiated on USB, in Mbit/s, by kernel name of the disk.
    pub(super) speeds: BTreeMap<String, u32>,
    /// USB release that the device tells, by kernel name of the disk.
    pub(super) releases: BTreeMap<String, (u8, u8)>,
    /// Name of the USB port by kernel name of the disk.
    pub(super) ports: BTreeMap<String, String>,
    /// Running number by kernel name of the disk.
    pub(super) sequences: BTreeMap<String, u64>,
    /// Files that the kernel swaps to.
    pub(super) swap_files: Vec<PathBuf>,
    /// How file systems are mounted.
    pub(super) mounts: MountTable,
    /// Which kinds of file system can be mounted.
    pub(super) drivers: Drivers,
    /// The seat that the person sits at, where that is known.
    pub(super) seat: Option<String>,
    /// The person sits elsewhere, at the other end of a network.
    pub(super) is_remote: bool,
    /// An administrator is never asked for a password.
    pub(super) is_root: bool,
}

impl Machine {
    /// As it is now, for the devices in `snapshot`.
    pub(super) fn read(snapshot: &Snapshot) -> Self {
        let class = Path::new("/sys/class/block");
        let mut machine = Self {
            swap_files: fs::read("/proc/swaps").map_or_else(|_| Vec::new(), |it| swap_files(&it)),
            mounts: MountTable::read(),
            drivers: Drivers::read(),
            seat: std::env::var("XDG_SEAT").ok().filter(|it| !it.is_empty()),
            is_remote: std::env::var_os("SSH_CONNECTION").is_some(),
            is_root: rustix::process::geteuid().is_root(),
            ..Self::default()
        };
        for block in snapshot.blocks.values() {
            let name = block.name();
            if name.is_empty() {
                continue;
            }
            let holders = names_in(&class.join(name).join("holders"));
            if !holders.is_empty() {
                machine.holders.insert(name.to_owned(), holders);
            }
            if block.partition.is_some() {
                continue;
            }
            if let Some(usb) = usb_device(&class.join(name)) {
                machine
                    .speeds
                    .extend(speed(&usb).map(|it| (name.to_owned(), it)));
                machine
                    .releases
                    .extend(release(&usb).map(|it| (name.to_owned(), it)));
                machine
                    .ports
                    .extend(port(&usb).map(|it| (name.to_owned(), it)));
            }
            if let Some(sequence) = sequence(&class.join(name)) {
                machine.sequences.insert(name.to_owned(), sequence);
            }
        }
        machine
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    names.sort();
    names
}

/// The USB device above the disk at `link` (`/sys/class/block/sdb`).
pub(super) fn usb_device(link: &Path) -> Option<PathBuf> {
    let disk = fs::canonicalize(link).ok()?;
    // It is the nearest ancestor with a bus number; others have a `speed` too.
    disk.ancestors()
        .find(|folder| folder.join("busnum").exists() && folder.join("speed").exists())
        .map(Path::to_path_buf)
}

/// Speed in Mbit/s that was negotiated with a USB device.
fn speed(usb: &Path) -> Option<u32> {
    let speed = fs::read_to_string(usb.join("speed")).ok()?;
    let speed: f64 = speed.trim().parse().ok()?;
    // USB 1.0's low speed is 1.5.
    Some(speed.round() as u32)
}

/// The release that a USB device tells (`bcdUSB`), such as ` 2.10`.
fn release(usb: &Path) -> Option<(u8, u8)> {
    let version = fs::read_to_string(usb.join("version")).ok()?;
    let (major, minor) = version.trim().split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// A USB device is named after its port, such as `2-1.4`.
fn port(usb: &Path) -> Option<String> {
    Some(usb.file_name()?.to_str()?.to_owned())
}

/// Paths in the first column of `/proc/swaps`, without its head line and without partitions.
fn swap_files(swaps: &[u8]) -> Vec<PathBuf> {
    swaps
        .split(|&byte| byte == b'\n')
        .skip(1)
        .filter_map(|line| {
            let mut columns = line
                .split(u8::is_ascii_whitespace)
                .filter(|it| !it.is_empty());
            let (path, kind) = (columns.next()?, columns.next()?);
            (kind == b"file").then(|| PathBuf::from(unescape(path)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_files_are_read_partitions_are_not() {
        let swaps = b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n\
            /dev/nvme0n1p3                          partition\t8388604\t\t0\t\t-2\n\
            /run/media/ann/MY\\040STICK/swap         file\t\t1048572\t\t0\t\t-3\n";
        assert_eq!(
            swap_files(swaps),
            [PathBuf::from("/run/media/ann/MY STICK/swap")]
        );
        assert!(swap_files(b"").is_empty());
        assert!(swap_files(b"Filename\n\\04").is_empty());
    }

    #[test]
    fn speed_and_port_are_those_of_the_usb_device_above_the_disk() {
        let root = tempfile::tempdir().expect("a temporary folder");
        let usb = root.path().join("usb2/2-1");
        let disk = usb.join("2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb");
        fs::create_dir_all(&disk).expect("folders");
        for (folder, speed) in [(root.path().join("usb2"), "10000\n"), (usb, "480\n")] {
            fs::write(folder.join("busnum"), "2\n").expect("a file");
            fs::write(folder.join("speed"), speed).expect("a file");
            fs::write(folder.join("version"), " 2.10\n").expect("a file");
        }
        let usb = usb_device(&disk).expect("a USB device");
        assert_eq!(speed(&usb), Some(480));
        assert_eq!(release(&usb), Some((2, 10)));
        assert_eq!(port(&usb).as_deref(), Some("2-1"));
        assert_eq!(usb_device(&root.path().join("gone")), None);
    }
}
