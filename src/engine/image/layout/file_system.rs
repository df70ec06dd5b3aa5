/// A file system that begins at an image's first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileSystem {
    /// FAT with any size of entry. Computers start from it without a table, as from a floppy disk.
    Fat,
    /// exFAT.
    ExFat,
    /// NTFS.
    Ntfs,
    /// ext2, ext3, ext4.
    Ext,
    /// Btrfs.
    Btrfs,
    /// XFS.
    Xfs,
    /// F2FS.
    F2fs,
    /// `SquashFS`.
    SquashFs,
}

/// Where each has its mark.
const MARKS: [(usize, &[u8], FileSystem); 9] = [
    (3, b"EXFAT   ", FileSystem::ExFat),
    (3, b"NTFS    ", FileSystem::Ntfs),
    (54, b"FAT", FileSystem::Fat),
    (82, b"FAT32   ", FileSystem::Fat),
    (1080, b"\x53\xEF", FileSystem::Ext),
    (0x10040, b"_BHRfS_M", FileSystem::Btrfs),
    (0, b"XFSB", FileSystem::Xfs),
    (1024, b"\x10\x20\xF5\xF2", FileSystem::F2fs),
    (0, b"hsqs", FileSystem::SquashFs),
];

impl FileSystem {
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        MARKS
            .iter()
            .filter(|(at, mark, _)| head.get(*at..).is_some_and(|rest| rest.starts_with(mark)))
            .map(|(_, _, system)| *system)
            .find(|system| match system {
                system if system.fills_first_sector() => begins_with_jump(head),
                // Its mark has two bytes only: its version and its state must make sense too.
                Self::Ext => {
                    matches!(head.get(1082..1088), Some([0..=7, 0, 0..=3, 0, ..]))
                        && matches!(head.get(1100..1104), Some([0 | 1, 0, 0, 0]))
                }
                _ => true,
            })
    }

    /// Whether it leaves no room for a table of partitions.
    pub(super) fn fills_first_sector(self) -> bool {
        matches!(self, Self::Fat | Self::ExFat | Self::Ntfs)
    }
}

/// Such a first sector begins with a jump over its own table and ends with the mark of a program.
fn begins_with_jump(head: &[u8]) -> bool {
    matches!(head, [0xEB, _, 0x90, ..] | [0xE9, ..]) && head.get(510..512) == Some(&[0x55, 0xAA])
}
