use super::{FileSystem, FormatProblem};

/// Where the one partition starts: sticks erase in blocks of up to 4 MiB.
pub(super) const PARTITION_OFFSET: u64 = 4 * MIB;

/// Fewer clusters, and others read the volume as FAT16.
const FAT32_MIN_CLUSTERS: u64 = 65_525;

/// A smaller partition becomes FAT16 unless mkfs.fat is told otherwise.
const FAT32_MIN_PARTITION: u64 = 512 * MIB;

/// exFAT itself needs 1 MiB; the alignment of its parts by mkfs.exfat takes a few.
const EXFAT_MIN_PARTITION: u64 = 8 * MIB;

/// The largest disk that an MBR partition table with 512-byte sectors describes.
const MBR_MAX: u64 = 2 << 40;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// `(free, cluster)` of a stick of `size` bytes once formatted: bytes for files on the empty
/// volume, never more than there will be and at most 1 % less on sticks from 1 GB; and the size of
/// a cluster in bytes, which each file fills up.
///
/// Follows what mkfs.fat 4.2 and mkfs.exfat 1.2 do unless told otherwise. `(0, …)` on a stick that
/// cannot be formatted so.
pub fn formatted_capacity(file_system: FileSystem, size: u64) -> (u64, u64) {
    let partition = partition_size(size);
    let cluster = cluster_size(file_system, partition);
    let overhead = match file_system {
        // Boot sectors (32, of up to 4 KiB), two tables of 4 bytes a cluster, the root folder.
        FileSystem::Fat32 => {
            let table = (partition / cluster * 4 + 8).next_multiple_of(cluster);
            2 * table + 128 * KIB + 2 * cluster
        }
        // Boot area and table, each aligned to 1 MiB; a bit a cluster, upper-case table, root.
        FileSystem::ExFat => {
            let table = (partition / cluster * 4).next_multiple_of(MIB);
            let bitmap = (partition / cluster / 8).next_multiple_of(cluster);
            2 * MIB + table + bitmap + 5 * cluster
        }
    };
    let free = partition.saturating_sub(overhead) / cluster * cluster;
    match size_problem(file_system, size) {
        Some(_) => (0, cluster),
        None => (free, cluster),
    }
}

/// Why a stick of `size` bytes cannot have `file_system`.
pub(super) fn size_problem(file_system: FileSystem, size: u64) -> Option<FormatProblem> {
    let partition = partition_size(size);
    let too_small = match file_system {
        FileSystem::Fat32 => {
            partition < FAT32_MIN_PARTITION
                || partition / cluster_size(file_system, partition) < FAT32_MIN_CLUSTERS
        }
        FileSystem::ExFat => partition < EXFAT_MIN_PARTITION,
    };
    if too_small {
        Some(FormatProblem::TooSmall)
    } else {
        (size > MBR_MAX).then_some(FormatProblem::TooLarge)
    }
}

/// What the partition gets of a stick: whole MiB at both ends.
pub(super) fn partition_size(size: u64) -> u64 {
    size.saturating_sub(PARTITION_OFFSET) / MIB * MIB
}

fn cluster_size(file_system: FileSystem, partition: u64) -> u64 {
    let steps: &[(u64, u64)] = match file_system {
        FileSystem::Fat32 => &[
            (8 * GIB, 4 * KIB),
            (16 * GIB, 8 * KIB),
            (32 * GIB, 16 * KIB),
            (u64::MAX, 32 * KIB),
        ],
        FileSystem::ExFat => &[
            (256 * MIB, 4 * KIB),
            (32 * GIB, 32 * KIB),
            (u64::MAX, 128 * KIB),
        ],
    };
    let (_, cluster) = steps
        .iter()
        .find(|(most, _)| partition <= *most)
        .expect("the last step should have no bound");
    *cluster
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Partition in MiB, cluster, clusters for files: as told by mkfs.fat 4.2 and
    /// mkfs.exfat 1.2.0 on sparse files (FAT32's root folder takes one of them).
    const MADE: &[(FileSystem, u64, u64, u64)] = &[
        (FileSystem::Fat32, 512, 4096, 130_811 - 1),
        (FileSystem::Fat32, 2044, 4096, 522_238 - 1),
        (FileSystem::Fat32, 8192, 4096, 2_093_057 - 1),
        (FileSystem::Fat32, 8193, 8192, 1_047_675 - 1),
        (FileSystem::Fat32, 16_384, 8192, 2_095_101 - 1),
        (FileSystem::Fat32, 32_764, 16_384, 2_095_870 - 1),
        (FileSystem::Fat32, 32_769, 32_768, 1_048_350 - 1),
        (FileSystem::Fat32, 131_072, 32_768, 4_193_278 - 1),
        (FileSystem::ExFat, 60, 4096, 14_848 - 6),
        (FileSystem::ExFat, 252, 4096, 64_000 - 7),
        (FileSystem::ExFat, 2044, 32_768, 65_344 - 5),
        (FileSystem::ExFat, 32_764, 32_768, 1_048_288 - 8),
        (FileSystem::ExFat, 61_440, 131_072, 491_496 - 5),
        (FileSystem::ExFat, 131_072, 131_072, 1_048_536 - 5),
    ];

    #[test]
    fn capacity_is_never_more_than_there_is_and_little_less() {
        for &(file_system, mib, cluster, clusters) in MADE {
            let (free, told) = formatted_capacity(file_system, PARTITION_OFFSET + mib * MIB);
            let real = clusters * cluster;
            assert_eq!(told, cluster, "{file_system:?} of {mib} MiB");
            assert!(
                free <= real,
                "{file_system:?} of {mib} MiB: {free} > {real}"
            );
            let allowed = if mib < 1000 { 95 } else { 99 };
            assert!(
                free >= real / 100 * allowed,
                "{file_system:?} of {mib} MiB: {free} of {real}"
            );
        }
    }

    #[test]
    fn l03_fat32_needs_enough_clusters_and_a_table_that_reaches() {
        use FormatProblem::{TooLarge, TooSmall};
        for (size, fat32, exfat) in [
            (0, Some(TooSmall), Some(TooSmall)),
            (16 * MIB, Some(TooSmall), None),
            (33 * MIB, Some(TooSmall), None),
            (260 * MIB, Some(TooSmall), None),
            (516 * MIB - 1, Some(TooSmall), None),
            (516 * MIB, None, None),
            (2_000_000_000, None, None),
            (64 * GIB, None, None),
            (2048 * GIB, None, None),
            (2048 * GIB + 512, Some(TooLarge), Some(TooLarge)),
            (3 << 40, Some(TooLarge), Some(TooLarge)),
            (u64::MAX, Some(TooLarge), Some(TooLarge)),
        ] {
            assert_eq!(size_problem(FileSystem::Fat32, size), fat32, "{size}");
            assert_eq!(size_problem(FileSystem::ExFat, size), exfat, "{size}");
            let (free, _) = formatted_capacity(FileSystem::Fat32, size);
            assert_eq!(free == 0, fat32.is_some(), "{size}");
        }
    }
}
