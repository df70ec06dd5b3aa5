use std::ffi::OsStr;

use super::ProblemKind;
use super::names;

/// What one FAT file can hold: its size is a 32-bit number.
const FAT_MAX_FILE: u64 = u32::MAX as u64;

/// The rules that a stick's file system brings along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileSystem {
    /// FAT12 and FAT16.
    Fat16,
    /// FAT32.
    Fat32,
    /// exFAT.
    ExFat,
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
            _ => Self::Other,
        }
    }

    /// Bytes that one file may have; `None` where no stick is large enough to find out.
    pub fn max_file_size(self) -> Option<u64> {
        match self {
            Self::Fat16 | Self::Fat32 => Some(FAT_MAX_FILE),
            Self::ExFat | Self::Other => None,
        }
    }

    /// Whether `README` and `readme` are one name.
    pub fn ignores_case(self) -> bool {
        self != Self::Other
    }

    /// What is wrong with one name (not a path) on this file system.
    pub fn name_fault(self, name: &OsStr) -> Option<ProblemKind> {
        if self == Self::Other {
            return (name.len() > 255).then_some(ProblemKind::NameTooLong);
        }
        let Some(name) = name.to_str() else {
            return Some(ProblemKind::NameNotUtf8);
        };
        if names::is_forbidden(name) {
            Some(ProblemKind::NameForbidden)
        } else if names::is_reserved(name) {
            Some(ProblemKind::NameReserved)
        } else if name.encode_utf16().count() > 255 {
            Some(ProblemKind::NameTooLong)
        } else {
            None
        }
    }

    /// Bytes of a name in the folder that holds it.
    pub fn entry_size(self, name: &OsStr) -> u64 {
        let units = name.to_string_lossy().encode_utf16().count() as u64;
        match self {
            Self::Fat16 | Self::Fat32 => 32 * (1 + units.div_ceil(13)),
            Self::ExFat => 32 * (2 + units.div_ceil(15)),
            Self::Other => 16 + name.len() as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f01_only_fat_limits_a_file() {
        assert_eq!(FileSystem::Fat32.max_file_size(), Some(4_294_967_295));
        assert_eq!(FileSystem::Fat16.max_file_size(), Some(4_294_967_295));
        assert_eq!(FileSystem::ExFat.max_file_size(), None);
        assert_eq!(FileSystem::from_type("vfat", "FAT32"), FileSystem::Fat32);
        assert_eq!(FileSystem::from_type("vfat", "FAT16"), FileSystem::Fat16);
        assert_eq!(FileSystem::from_type("exfat", "1.0"), FileSystem::ExFat);
        assert_eq!(FileSystem::from_type("ext4", "1.0"), FileSystem::Other);
    }

    #[test]
    fn entries_are_counted_in_slots() {
        let size = |name: &str| FileSystem::Fat32.entry_size(OsStr::new(name));
        assert_eq!(size("a"), 64);
        assert_eq!(size("thirteen_char"), 64);
        assert_eq!(size("fourteen_chars"), 96);
        assert_eq!(FileSystem::ExFat.entry_size(OsStr::new("a")), 96);
    }
}
