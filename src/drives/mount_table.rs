use std::fs;
use std::path::{Path, PathBuf};

use super::unescape::unescape;

/// How a file system is mounted, as far as it matters to who writes there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MountOptions {
    /// Nothing can be written: asked for, or the kernel's answer to a damaged file system.
    pub read_only: bool,
    /// Each write waits for the stick: slow.
    pub sync: bool,
    /// Each change of a folder waits for the stick: slow with many files.
    pub dirsync: bool,
}

/// What this process sees mounted: `/proc/self/mountinfo`, which a Flatpak has too.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MountTable(Vec<Entry>);

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// The kernel's number of the device.
    device: u64,
    place: PathBuf,
    /// As the kernel names it: `vfat`, `ext4`, …
    file_system: String,
    /// The node, for file systems that have one.
    source: PathBuf,
    options: MountOptions,
}

impl MountTable {
    /// As it is now; empty where it cannot be read.
    pub(super) fn read() -> Self {
        Self::parse(&fs::read("/proc/self/mountinfo").unwrap_or_default())
    }

    /// From the kernel's text. Lines that are not as documented are left out.
    pub(super) fn parse(text: &[u8]) -> Self {
        Self(
            text.split(|&byte| byte == b'\n')
                .filter_map(entry)
                .collect(),
        )
    }

    /// How the device with this number is mounted: at `place` where it is seen there, otherwise
    /// wherever it is seen first. A sandbox sees it elsewhere than UDisks2 tells, and only btrfs
    /// has a number of its own.
    pub(super) fn options(&self, device: u64, place: &Path) -> Option<MountOptions> {
        let at_place = self.0.iter().rev().find(|entry| entry.place == place);
        let of_device = || self.0.iter().find(|entry| entry.device == device);
        at_place.or_else(of_device).map(|entry| entry.options)
    }

    /// Places where the device with this number and node is mounted, and as which file system.
    pub(super) fn of(&self, device: u64, node: &Path) -> Vec<(&Path, &str)> {
        let is_it = |entry: &&Entry| entry.device == device || entry.source == node;
        let entries = self.0.iter().filter(is_it);
        entries
            .map(|entry| (entry.place.as_path(), entry.file_system.as_str()))
            .collect()
    }
}

/// `36 35 8:17 / /media/x rw,noatime shared:1 - vfat /dev/sdb1 rw,sync`: the options before the
/// dash are the mount's, those at the end are the file system's.
fn entry(line: &[u8]) -> Option<Entry> {
    let words: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    let dash = words.iter().position(|word| *word == b"-")?;
    let (major, minor) = std::str::from_utf8(words.get(2)?).ok()?.split_once(':')?;
    let device = rustix::fs::makedev(major.parse().ok()?, minor.parse().ok()?);
    let both = [words.get(5)?, words.get(dash + 3)?];
    let has = |option: &[u8]| {
        both.iter()
            .any(|words| words.split(|&byte| byte == b',').any(|it| it == option))
    };
    Some(Entry {
        device,
        place: PathBuf::from(unescape(words.get(4)?)),
        file_system: String::from_utf8_lossy(words.get(dash + 1)?).into_owned(),
        source: PathBuf::from(unescape(words.get(dash + 2)?)),
        options: MountOptions {
            read_only: has(b"ro"),
            sync: has(b"sync"),
            dirsync: has(b"dirsync"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &[u8] = b"22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard\n\
        90 22 8:17 / /run/media/ann/MY\\040STICK rw,nosuid,noatime shared:5 master:3 - vfat /dev/sdb1 rw,sync,dirsync\n\
        91 22 8:18 / /run/media/ann/damaged rw,nosuid - ext4 /dev/sdb2 ro,errors=remount-ro\n\
        92 22 8:19 / /run/media/ann/locked ro,nosuid - exfat /dev/sdb3 rw\n\
        93 22 0:44 /sub /run/media/ann/pool rw - btrfs /dev/sdc rw,space_cache\n\
        94 22 8:17 / /mnt rw - vfat /dev/sdb1 rw,sync,dirsync\n\
        not a line of this kind\n\
        95 22 x:y / /odd rw - vfat /dev/sdd rw\n";

    fn options(device: u64, place: &str) -> Option<(bool, bool, bool)> {
        MountTable::parse(TABLE)
            .options(device, Path::new(place))
            .map(|it| (it.read_only, it.sync, it.dirsync))
    }

    #[test]
    fn slow_and_read_only_mounts_are_seen() {
        let at = |minor| rustix::fs::makedev(8, minor);
        let place = "/run/media/ann/MY STICK";
        assert_eq!(options(at(17), place), Some((false, true, true)));
        assert_eq!(
            options(at(18), "/run/media/ann/damaged"),
            Some((true, false, false))
        );
        assert_eq!(
            options(at(19), "/run/media/ann/locked"),
            Some((true, false, false))
        );
        // In a sandbox it is elsewhere; btrfs has another number than its disk.
        assert_eq!(options(at(17), "/elsewhere"), Some((false, true, true)));
        assert_eq!(
            options(at(32), "/run/media/ann/pool"),
            Some((false, false, false))
        );
        assert_eq!(options(at(99), "/odd"), None);
        assert_eq!(
            MountTable::parse(b"").options(at(17), Path::new(place)),
            None
        );
    }
}
