use std::ffi::OsStr;

use super::{FileSystem, TargetFacts};
use crate::engine::copy::parts;

/// Files whose old ones still stand while one more is written, at the most: a batch that waits
/// for its names, and one whose names no checkpoint covers yet.
const STANDING: usize = 2 * parts::MAX_BATCH;

/// What the plan takes of the stick, in clusters.
pub(super) struct Space {
    file_system: FileSystem,
    cluster: u64,
    /// Of folders and what else stays until the end.
    fixed: u128,
    /// Bytes that the file system needs for itself.
    bookkeeping: u64,
    /// Of each file in the plan's order: the clusters that it needs, and those that it sets free.
    files: Vec<(u64, u64)>,
}

impl Space {
    pub(super) fn new(facts: &TargetFacts) -> Self {
        Self {
            file_system: facts.file_system,
            cluster: facts.cluster.max(1),
            fixed: 0,
            bookkeeping: 0,
            files: Vec::new(),
        }
    }

    /// A folder that gets names of so many bytes. How full its last cluster is, nobody tells: in
    /// a folder that is there each name may need a new one.
    pub(super) fn add_folder(&mut self, is_new: bool, names: u64) {
        let names = if is_new {
            // Even an empty folder has a cluster.
            (names + self.file_system.empty_folder()).max(1)
        } else {
            names
        };
        self.fixed += u128::from(names.div_ceil(self.cluster));
        if is_new {
            self.bookkeeping = self
                .bookkeeping
                .saturating_add(self.file_system.bookkeeping(0));
        }
    }

    /// The next file, and the size of the one that gives way to it.
    pub(super) fn add_file(&mut self, size: u64, old: Option<u64>) {
        let clusters = |bytes: u64| bytes.div_ceil(self.cluster);
        self.files.push((clusters(size), old.map_or(0, clusters)));
        self.bookkeeping = self
            .bookkeeping
            .saturating_add(self.file_system.bookkeeping(size));
    }

    /// The next file, which is taken to be on the stick already.
    pub(super) fn add_equal_file(&mut self) {
        self.files.push((0, 0));
    }

    /// Temporary names have a folder of their own, whose name is the target folder's matter.
    pub(super) fn add_parts_folder(&mut self) {
        let waiting = (self.files.len() as u64).min(parts::MAX_BATCH as u64 + 1);
        let replaced = self.files.iter().filter(|(_, old)| *old > 0).count() as u64;
        let names = waiting + replaced.min(STANDING as u64);
        let name = self.file_system.entry_size(OsStr::new("00000000.part"));
        self.add_folder(true, names * name);
    }

    /// Bytes that must be free: the most that is needed at any moment, in the plan's order, each
    /// old file standing until its batch is through.
    pub(super) fn peak(&self) -> u64 {
        self.peak_without(&[])
    }

    /// The same with some old files gone beforehand: their indices, sorted.
    pub(super) fn peak_without(&self, deleted: &[usize]) -> u64 {
        let is_deleted = |index: &usize| deleted.binary_search(index).is_ok();
        let old = |index: usize| i128::from(self.files[index].1);
        let freed: i128 = deleted.iter().map(|index| old(*index)).sum();
        let bookkeeping = self.bookkeeping.div_ceil(self.cluster);
        let mut now = self.fixed.cast_signed() + i128::from(bookkeeping) - freed;
        let mut peak = now;
        for (index, (new, _)) in self.files.iter().enumerate() {
            now += i128::from(*new);
            peak = peak.max(now);
            if let Some(through) = index.checked_sub(STANDING).filter(|i| !is_deleted(i)) {
                now -= old(through);
            }
        }
        let clusters = u64::try_from(peak.max(0)).unwrap_or(u64::MAX);
        clusters.saturating_mul(self.cluster)
    }

    /// The fewest old files, as indices in order, whose removal makes it fit: the largest first.
    /// `None` where even all of them are not enough.
    pub(super) fn enough_old_files(&self, free: u64) -> Option<Vec<usize>> {
        let replaced = self.files.iter().enumerate();
        let replaced = replaced.filter(|(_, (_, old))| *old > 0);
        let mut largest: Vec<usize> = replaced.map(|(index, _)| index).collect();
        largest.sort_by_key(|index| std::cmp::Reverse(self.files[*index].1));
        let first = |count: usize| {
            let mut first = largest[..count].to_vec();
            first.sort_unstable();
            first
        };
        let counts: Vec<usize> = (0..=largest.len()).collect();
        let enough = counts.partition_point(|count| self.peak_without(&first(*count)) > free);
        counts.get(enough).map(|count| first(*count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(file_system: FileSystem) -> Space {
        Space::new(&TargetFacts::fresh(file_system, 0, 4096))
    }

    #[test]
    fn files_and_folders_take_whole_clusters() {
        let mut space = space(FileSystem::Fat32);
        for size in [0, 1, 4096, 4097] {
            space.add_file(size, None);
        }
        assert_eq!(space.peak(), 4 * 4096);
        space.add_folder(true, 0);
        space.add_folder(true, 4096 - 64);
        space.add_folder(true, 4096 - 32);
        assert_eq!(space.peak(), (4 + 1 + 1 + 2) * 4096);
        space.add_folder(false, 0);
        space.add_folder(false, 32);
        assert_eq!(space.peak(), (8 + 1) * 4096);
    }

    #[test]
    fn old_files_stand_until_their_batch_is_through() {
        let mut space = space(FileSystem::ExFat);
        for _ in 0..=STANDING {
            space.add_file(4096, Some(4096));
        }
        assert_eq!(space.peak(), (STANDING as u64 + 1) * 4096);
        for _ in 0..STANDING {
            space.add_file(4096, Some(4096));
        }
        assert_eq!(
            space.peak(),
            (STANDING as u64 + 1) * 4096,
            "the first batches have set theirs free"
        );
    }

    #[test]
    fn the_fewest_old_files_go_first() {
        let mut space = space(FileSystem::Fat32);
        for old in [1, 50, 20, 0] {
            space.add_file(30 * 4096, Some(old * 4096));
        }
        let need = |free: u64| space.enough_old_files(free * 4096);
        assert_eq!(need(120), Some(vec![]));
        assert_eq!(need(119), Some(vec![1]));
        assert_eq!(need(69), Some(vec![1, 2]));
        assert_eq!(need(49), Some(vec![0, 1, 2]));
        assert_eq!(need(48), None);
    }

    #[test]
    fn sizes_that_no_stick_has_do_not_wrap() {
        let mut space = space(FileSystem::Other);
        for _ in 0..3 {
            space.add_file(u64::MAX, None);
        }
        assert_eq!(space.peak(), u64::MAX);
    }
}
