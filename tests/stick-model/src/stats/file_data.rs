use std::ops::Range;

use super::extents::Extents;

/// A run of adjacent writes this long is taken for file data.
const SHORTEST_RUN: u64 = 64 << 10;

/// Tells file data from metadata, by the rule of [`crate::Counters::data_bytes_written`].
///
/// It looks at places and not at the time, so that a slow machine counts the same.
#[derive(Debug, Default)]
pub(super) struct FileData {
    held: Extents,
    /// Adjacent writes that are not file data yet.
    run: Range<u64>,
}

impl FileData {
    /// A write came. Returned are the bytes now known to be file data: none, this write's, or
    /// also those of the writes before it.
    pub(super) fn write(&mut self, range: &Range<u64>) -> u64 {
        let found = if self.held.continues(range.start) {
            range.clone()
        } else {
            if self.run.end == range.start {
                self.run.end = range.end;
            } else {
                self.run = range.clone();
            }
            if self.run.end - self.run.start < SHORTEST_RUN {
                return 0;
            }
            std::mem::take(&mut self.run)
        };
        self.held.insert(found.clone());
        found.end - found.start
    }

    /// The parts of the stick that hold file data.
    pub(super) fn held(&self) -> &Extents {
        &self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const K: u64 = 1024;

    #[test]
    fn small_scattered_writes_are_metadata() {
        let mut data = FileData::default();
        for offset in [0, 512, 1024, 9000, 4 << 20, 0] {
            assert_eq!(data.write(&(offset..offset + 512)), 0);
        }
        assert_eq!(data.held().total(), 0);
    }

    #[test]
    fn a_run_is_file_data_from_its_beginning_on() {
        let mut data = FileData::default();
        assert_eq!(data.write(&(100 * K..132 * K)), 0);
        assert_eq!(data.write(&(132 * K..163 * K)), 0);
        assert_eq!(data.write(&(163 * K..164 * K)), 64 * K);
        assert_eq!(data.write(&(164 * K..164 * K + 512)), 512);
    }

    #[test]
    fn metadata_in_between_does_not_end_a_file() {
        let mut data = FileData::default();
        assert_eq!(data.write(&(1000 * K..1128 * K)), 128 * K);
        assert_eq!(data.write(&(0..512)), 0);
        assert_eq!(data.write(&(1128 * K..1130 * K)), 2 * K);
    }

    #[test]
    fn rewriting_is_written_twice_and_held_once() {
        let mut data = FileData::default();
        assert_eq!(data.write(&(0..128 * K)), 128 * K);
        assert_eq!(data.write(&(4 * K..8 * K)), 4 * K);
        assert_eq!(data.held().total(), 128 * K);
    }
}
