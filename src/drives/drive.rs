use std::path::PathBuf;

use super::{Distinction, DriveKind, MountOptions};

/// A stick, card or disk as one row of the list. Plain data: it may be stale the moment it is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Drive {
    /// UDisks2's `Drive.Id`, or the object's name where a drive has none.
    pub id: String,
    /// D-Bus object path of the drive.
    pub object: String,
    /// D-Bus object path of the whole-disk block device.
    pub block: String,
    /// Node of the whole disk, such as `/dev/sdb`.
    pub device: PathBuf,
    /// The kernel's number of the node.
    pub device_number: u64,
    /// The kernel's running number of the disk, never given twice, where it is known.
    pub sequence: Option<u64>,
    /// As the device says; may be empty.
    pub vendor: String,
    /// As the device says; may be empty.
    pub model: String,
    /// As the device says; may be empty, may be shared by two sticks.
    pub serial: String,
    /// Bytes; 0 without a medium.
    pub size: u64,
    /// UDisks2's `ConnectionBus`: `usb`, `sdio`, or empty.
    pub bus: String,
    /// What a person would call it.
    pub kind: DriveKind,
    /// What tells it from one that looks just like it; `None` where it need not be told.
    pub distinction: Option<Distinction>,
    /// The kernel's name of the USB port that it is plugged into, such as `2-1.4`.
    pub port: Option<String>,
    /// Speed negotiated on the bus, in Mbit/s, where it is known.
    pub speed_mbit: Option<u32>,
    /// The USB release that the device follows on this port, such as (2, 10), where it is known.
    pub usb_release: Option<(u8, u8)>,
    /// File systems on the disk itself or its partitions, in order of their place.
    pub volumes: Vec<Volume>,
    /// The lock switch, or a stick that only reads.
    pub read_only: bool,
    /// Whether it can be switched off without taking another slot with it.
    pub can_power_off: bool,
    /// Whether formatting and mounting ask for an administrator's password. Opening it for an image
    /// asks anybody but an administrator.
    pub asks_password: bool,
    /// Why it is not offered; `None` when it is.
    pub refusal: Option<Refusal>,
}

/// A file system on a drive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Volume {
    /// D-Bus object path of its block device.
    pub object: String,
    /// Node, such as `/dev/sdb1`.
    pub device: PathBuf,
    /// The kernel's number of the node, which files on it tell as theirs.
    pub device_number: u64,
    /// UDisks2's `IdType`: `vfat`, `exfat`, `ext4`, …
    pub file_system: String,
    /// May be empty.
    pub label: String,
    /// Bytes.
    pub size: u64,
    /// Where it is mounted now.
    pub mounted_at: Vec<PathBuf>,
    /// How it is mounted, where it is and that is seen.
    pub mount_options: Option<MountOptions>,
    /// Its device takes no writes.
    pub read_only: bool,
    /// Whether this computer has a driver for it; `None` when only mounting can tell.
    pub can_mount: Option<bool>,
}

/// Why a drive is never written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// Not a stick or card: an internal disk, a loop device, zram, …
    NotAStick,
    /// The running system, its swap, or what lies below them is on it.
    InUseBySystem,
    /// A CD or DVD.
    Optical,
    /// An empty slot of a card reader.
    NoMedium,
    /// The lock switch, or a stick that only reads.
    WriteProtected,
    /// An encrypted volume on it is unlocked; it can be locked when the person agrees.
    Unlocked,
    /// Logical volumes on it are active.
    Lvm,
    /// A running RAID array, a btrfs over several disks, or another stack of devices uses it.
    Raid,
}
