use std::collections::BTreeSet;
use std::path::Path;

use super::Refusal;
use super::machine::Machine;
use super::snapshot::{BlockFacts, DriveFacts, Snapshot};

/// Places where only the running system mounts something, with all that lies below them.
const SYSTEM_TREES: &[&str] = &[
    "/boot",
    "/efi",
    "/etc",
    "/gnu",
    "/nix",
    "/opt",
    "/ostree",
    "/srv",
    "/sysroot",
    "/usr",
    "/var",
    // Where live systems keep the stick that they were started from.
    "/cdrom",
    "/isodevice",
    "/lib/live",
    "/rofs",
    "/run/archiso",
    "/run/initramfs",
    "/run/live",
    "/run/miso",
];

/// Why this disk is never written; `None` when it is offered.
pub(super) fn judge(
    snapshot: &Snapshot,
    machine: &Machine,
    disk: &str,
    block: &BlockFacts,
    drive: &DriveFacts,
) -> Option<Refusal> {
    let stack = Stack::above(snapshot, machine, disk);
    if stack.carries_system {
        Some(Refusal::InUseBySystem)
    } else if drive.optical || drive.media.starts_with("optical") || named(block, &["sr"]) {
        Some(Refusal::Optical)
    } else if !is_stick(snapshot, block, drive) {
        Some(Refusal::NotAStick)
    } else if drive.media_available == Some(false) || block.size == 0 {
        Some(Refusal::NoMedium)
    } else if stack.use_.is_some() {
        stack.use_
    } else if block.read_only {
        Some(Refusal::WriteProtected)
    } else {
        None
    }
}

/// The bus decides, not the flag "removable": USB disks say no, internal ones with hot plug yes.
fn is_stick(snapshot: &Snapshot, block: &BlockFacts, drive: &DriveFacts) -> bool {
    const NEVER: &[&str] = &["loop", "zram", "ram", "dm-", "md", "nbd", "sr", "fd"];
    block.drive.is_some()
        && !named(block, NEVER)
        && !drive.media.starts_with("floppy")
        && !is_emmc(snapshot, block, drive)
        && (matches!(drive.bus.as_str(), "usb" | "sdio") || drive.media.starts_with("flash"))
}

/// Whether the kernel's name is one of `prefixes` and a number.
fn named(block: &BlockFacts, prefixes: &[&str]) -> bool {
    prefixes.iter().any(|prefix| {
        block
            .name()
            .strip_prefix(prefix)
            .is_some_and(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit()))
    })
}

/// Soldered flash: told from a card by its boot areas, which no card has, or by UDisks2 since 2.9.2
/// (which takes the old MMC cards for it too).
fn is_emmc(snapshot: &Snapshot, block: &BlockFacts, drive: &DriveFacts) -> bool {
    let boot_area = format!("{}boot0", block.name());
    let has_boot_area = snapshot
        .blocks
        .values()
        .any(|other| other.name() == boot_area);
    named(block, &["mmcblk"])
        && (has_boot_area || (drive.media == "flash_mmc" && !drive.media_removable))
}

/// A boot or key area of soldered flash (`mmcblk0boot0`, `mmcblk0rpmb`), no disk of its own.
pub(super) fn is_emmc_extra(snapshot: &Snapshot, block: &BlockFacts) -> bool {
    let name = block.name();
    ["boot0", "boot1", "rpmb"].iter().any(|area| {
        name.strip_suffix(area).is_some_and(|disk| {
            disk.starts_with("mmcblk") && snapshot.blocks.values().any(|it| it.name() == disk)
        })
    })
}

/// What stands on a disk: partitions, open encryption, arrays, logical volumes, and so on up.
#[derive(Default)]
struct Stack {
    carries_system: bool,
    use_: Option<Refusal>,
}

impl Stack {
    fn above(snapshot: &Snapshot, machine: &Machine, disk: &str) -> Self {
        let mut stack = Self::default();
        let mut seen = BTreeSet::new();
        let mut left = vec![disk.to_owned()];
        while let Some(path) = left.pop() {
            let Some(block) = snapshot.blocks.get(&path) else {
                continue;
            };
            if !seen.insert(path.clone()) {
                continue;
            }
            stack.carries_system |= carries_system(block, machine);
            for (other_path, other) in &snapshot.blocks {
                let is_partition = matches!(&other.partition, Some((table, _)) if *table == path);
                if is_partition || same_btrfs(block, other) || shows_file_of(other, block) {
                    left.push(other_path.clone());
                }
                if other.crypto_backing.as_ref() == Some(&path) {
                    stack.is_used(Refusal::Unlocked);
                    left.push(other_path.clone());
                }
                if block.raid_member.is_some() && block.raid_member == other.raid {
                    stack.is_used(Refusal::Raid);
                    left.push(other_path.clone());
                }
                if same_btrfs(block, other)
                    && *other_path != path
                    && !is_on(disk, other_path, other)
                    && (block.is_mounted() || other.is_mounted())
                {
                    stack.is_used(Refusal::Raid);
                }
            }
            let holders = machine.holders.get(block.name()).map_or(&[][..], |it| it);
            if !holders.is_empty() {
                stack.is_used(match block.id_type.as_str() {
                    "LVM2_member" => Refusal::Lvm,
                    "crypto_LUKS" | "crypto_TCRYPT" | "BitLocker" => Refusal::Unlocked,
                    _ => Refusal::Raid,
                });
            }
            left.extend(
                snapshot
                    .blocks
                    .iter()
                    .filter(|(_, other)| holders.iter().any(|holder| holder == other.name()))
                    .map(|(other_path, _)| other_path.clone()),
            );
        }
        stack
    }

    /// What is unlocked can be locked; what else uses it weighs more.
    fn is_used(&mut self, by: Refusal) {
        if self.use_.is_none_or(|known| known == Refusal::Unlocked) {
            self.use_ = Some(by);
        }
    }
}

/// Whether a block is the disk itself or one of its partitions.
fn is_on(disk: &str, path: &str, block: &BlockFacts) -> bool {
    path == disk || matches!(&block.partition, Some((table, _)) if table == disk)
}

/// Whether a loop device shows a file that lies on this file system.
fn shows_file_of(other: &BlockFacts, block: &BlockFacts) -> bool {
    let mounts = block.mount_points.as_deref().unwrap_or_default();
    let file = other.backing_file.as_ref();
    file.is_some_and(|file| mounts.iter().any(|mount| file.starts_with(mount)))
}

/// Disks of one btrfs are all in use where one of them is mounted.
fn same_btrfs(block: &BlockFacts, other: &BlockFacts) -> bool {
    block.id_type == "btrfs"
        && other.id_type == "btrfs"
        && !block.id_uuid.is_empty()
        && block.id_uuid == other.id_uuid
}

fn carries_system(block: &BlockFacts, machine: &Machine) -> bool {
    let mounts = block.mount_points.as_deref().unwrap_or_default();
    block.active_swap
        || mounts.iter().any(|mount| is_system_place(mount))
        || mounts
            .iter()
            .any(|mount| machine.swap_files.iter().any(|it| it.starts_with(mount)))
}

/// Whether a file system mounted here belongs to the running system, homes included.
fn is_system_place(mount: &Path) -> bool {
    let below_home = mount.strip_prefix("/home");
    mount == Path::new("/")
        || mount == Path::new("/root")
        || below_home.is_ok_and(|rest| rest.components().count() <= 1)
        || SYSTEM_TREES.iter().any(|tree| mount.starts_with(tree))
}
