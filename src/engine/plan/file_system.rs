use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use super::ProblemKind;
use super::names;

/// What one FAT file can hold: its size is a 32-bit number.
const FAT_MAX_FILE: u64 = u32::MAX as u64;
/// ext4 counts a file's blocks in 32 bits.
const EXT4_MAX_BLOCKS: u64 = u32::MAX as u64;
/// The kernel's bound for a FAT folder: 65,536 slots of 32 bytes.
const FAT_MAX_FOLDER: u64 = 65_536 * 32;
/// The bound of the exFAT specification.
const EXFAT_MAX_FOLDER: u64 = 256 << 20;
/// UTF-16 units or bytes, by what the file system counts.
const MAX_NAME: usize = 255;

/// The rules that a stick's file system brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileSystem {
    /// FAT12 and FAT16.
    Fat16,
    /// FAT32.
    Fat32,
    /// exFAT.
    ExFat,
    /// NTFS: Linux could write more names than Windows opens; the rules are those of Windows.
    Ntfs,
    /// ext4, and ext2 and ext3, whose driver it is.
    Ext4,
    /// Btrfs.
    Btrfs,
    /// Any other: the rules of Linux itself.
    Other,
}

impl FileSystem {
    /// From what `UDisks2` calls `IdType` (`vfat`, `exfat`, …) and `IdVersion` (`FAT32`, …).
    pub fn from_type(id_type: &str, id_version: &str) -> Self {
        match (id_type, id_version) {
            ("vfat" | "msdos", "FAT12" | "FAT16") => Self::Fat16,
            ("vfat" | "msdos", _) => Self::Fat32,
            ("exfat", _) => Self::ExFat,
            ("ntfs" | "ntfs3", _) => Self::Ntfs,
            ("ext2" | "ext3" | "ext4", _) => Self::Ext4,
            ("btrfs", _) => Self::Btrfs,
            _ => Self::Other,
        }
    }

    /// Bytes that one file may have, at so many bytes a cluster; `None` where no stick is large
    /// enough to find out.
    pub fn max_file_size(self, cluster: u64) -> Option<u64> {
        match self {
            Self::Fat16 | Self::Fat32 => Some(FAT_MAX_FILE),
            Self::Ext4 => Some(EXT4_MAX_BLOCKS.saturating_mul(cluster)),
            Self::ExFat | Self::Ntfs | Self::Btrfs | Self::Other => None,
        }
    }

    /// Whether names follow the rules of Windows: no `?`, no `aux.c`, `README` is `readme`.
    pub fn is_windows(self) -> bool {
        match self {
            Self::Fat16 | Self::Fat32 | Self::ExFat | Self::Ntfs => true,
            Self::Ext4 | Self::Btrfs | Self::Other => false,
        }
    }

    /// Whether it is FAT, of which size ever.
    pub fn is_fat(self) -> bool {
        matches!(self, Self::Fat16 | Self::Fat32)
    }

    /// What is wrong with one name (not a path) on this file system.
    pub fn name_fault(self, name: &OsStr) -> Option<ProblemKind> {
        if self.is_windows() {
            let Some(name) = name.to_str() else {
                return Some(ProblemKind::NameNotUtf8);
            };
            if names::is_forbidden(name) {
                return Some(ProblemKind::NameForbidden);
            }
            if names::is_reserved(name) {
                return Some(ProblemKind::NameReserved);
            }
        }
        self.is_too_long(name).then_some(ProblemKind::NameTooLong)
    }

    /// Whether a name is longer than it may be.
    pub fn is_too_long(self, name: &OsStr) -> bool {
        let length = if self.is_windows() {
            utf16_length(name)
        } else {
            name.len()
        };
        length > MAX_NAME
    }

    /// Bytes of a name in the folder that holds it.
    pub fn entry_size(self, name: &OsStr) -> u64 {
        match self {
            Self::Fat16 | Self::Fat32 => 32 * (1 + (utf16_length(name) as u64).div_ceil(13)),
            Self::ExFat => 32 * (2 + (utf16_length(name) as u64).div_ceil(15)),
            // An index entry of NTFS holds a copy of the file's dates and sizes, and the name a
            // second time in its short form.
            Self::Ntfs => 2 * (0x52 + 8 + 2 * utf16_length(name) as u64),
            Self::Ext4 => (8 + name.len() as u64).next_multiple_of(4),
            // Btrfs keeps each name three times, with its item's head.
            Self::Btrfs => 3 * (55 + name.len() as u64),
            Self::Other => 64 + name.len() as u64,
        }
    }

    /// Bytes for names that one folder may hold; `None` where no stick is large enough.
    pub fn max_folder(self) -> Option<u64> {
        match self {
            Self::Fat16 | Self::Fat32 => Some(FAT_MAX_FOLDER),
            Self::ExFat => Some(EXFAT_MAX_FOLDER),
            Self::Ntfs | Self::Ext4 | Self::Btrfs | Self::Other => None,
        }
    }

    /// Bytes that a new folder holds from the start: `.` and `..`.
    pub fn empty_folder(self) -> u64 {
        match self {
            Self::ExFat => 0,
            _ => 64,
        }
    }

    /// What the file system writes down about so many bytes of a file, in bytes of its own. FAT
    /// and exFAT have put it aside when they were made.
    pub fn bookkeeping(self, bytes: u64) -> u64 {
        match self {
            Self::Fat16 | Self::Fat32 | Self::ExFat => 0,
            // A record of NTFS; lists of extents.
            Self::Ntfs | Self::Ext4 => 1024 + bytes / 4096,
            // Checksums of 4 bytes a block, everything twice.
            Self::Btrfs | Self::Other => 1024 + bytes / 256,
        }
    }
}

fn utf16_length(name: &OsStr) -> usize {
    match name.to_str() {
        Some(name) if name.is_ascii() => name.len(),
        Some(name) => name.encode_utf16().count(),
        // Never planned so on a file system that counts like this.
        None => name.as_bytes().len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f01_only_fat_limits_a_file() {
        for fat in [FileSystem::Fat16, FileSystem::Fat32] {
            assert_eq!(fat.max_file_size(32768), Some(4_294_967_295));
        }
        for other in [FileSystem::ExFat, FileSystem::Ntfs, FileSystem::Btrfs] {
            assert_eq!(other.max_file_size(4096), None);
        }
        assert_eq!(
            FileSystem::Ext4.max_file_size(1024),
            Some((4 << 40) - 1024),
            "4 TiB with small blocks"
        );
    }

    #[test]
    fn the_type_comes_from_what_the_stick_is() {
        for (id_type, version, wanted) in [
            ("vfat", "FAT32", FileSystem::Fat32),
            ("vfat", "FAT16", FileSystem::Fat16),
            ("vfat", "FAT12", FileSystem::Fat16),
            ("exfat", "1.0", FileSystem::ExFat),
            ("ntfs", "", FileSystem::Ntfs),
            ("ext4", "1.0", FileSystem::Ext4),
            ("btrfs", "", FileSystem::Btrfs),
            ("f2fs", "1.16", FileSystem::Other),
        ] {
            assert_eq!(
                FileSystem::from_type(id_type, version),
                wanted,
                "{id_type} {version}"
            );
        }
    }

    #[test]
    fn entries_are_counted_in_slots() {
        let size = |name: &str| FileSystem::Fat32.entry_size(OsStr::new(name));
        assert_eq!(size("a"), 64);
        assert_eq!(size("thirteen_char"), 64);
        assert_eq!(size("fourteen_chars"), 96);
        assert_eq!(size("🎵🎵🎵🎵🎵🎵🎵"), 96, "two units each");
        assert_eq!(FileSystem::ExFat.entry_size(OsStr::new("a")), 96);
    }

    #[test]
    fn long_names_are_measured_as_the_file_system_does() {
        let e = |count| "é".repeat(count);
        for (file_system, name, is_too_long) in [
            (FileSystem::Fat32, "x".repeat(255), false),
            (FileSystem::Fat32, "x".repeat(256), true),
            (FileSystem::ExFat, e(255), false),
            (FileSystem::Ntfs, e(256), true),
            (FileSystem::Fat32, "🎵".repeat(127), false),
            (FileSystem::Fat32, "🎵".repeat(128), true),
            (FileSystem::Ext4, e(127), false),
            (FileSystem::Ext4, e(128), true),
            (FileSystem::Btrfs, e(128), true),
            (FileSystem::Other, e(128), true),
        ] {
            let fault = file_system.name_fault(OsStr::new(&name));
            let wanted = is_too_long.then_some(ProblemKind::NameTooLong);
            assert_eq!(fault, wanted, "{file_system:?} {}", name.len());
        }
    }
}
