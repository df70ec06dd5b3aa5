use std::{collections::BTreeMap, ops::Range};

/// A set of bytes of the stick, as ranges that are merged where they touch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extents {
    /// Ends by starts.
    ranges: BTreeMap<u64, u64>,
    total: u64,
}

impl Extents {
    /// Bytes in the set.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    pub(crate) fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let Range { mut start, mut end } = range;
        while let Some((first, last)) = self.last_up_to(end).filter(|(_, last)| *last >= start) {
            self.take(first, last);
            start = start.min(first);
            end = end.max(last);
        }
        self.put(start, end);
    }

    pub(crate) fn remove(&mut self, range: &Range<u64>) {
        while let Some((first, last)) = self
            .last_up_to(range.end.saturating_sub(1))
            .filter(|(_, last)| *last > range.start && !range.is_empty())
        {
            self.take(first, last);
            self.put(first, first.max(range.start).min(last));
            self.put(last.min(range.end).max(first), last);
        }
    }

    /// Whether `offset` is in a range or right behind one.
    pub(crate) fn continues(&self, offset: u64) -> bool {
        self.last_up_to(offset)
            .is_some_and(|(_, last)| last >= offset)
    }

    /// The ranges as (offset, length), ascending.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (u64, u64)> {
        self.ranges.iter().map(|(start, end)| (*start, end - start))
    }

    /// The last range that starts at or before `offset`.
    fn last_up_to(&self, offset: u64) -> Option<(u64, u64)> {
        let (start, end) = self.ranges.range(..=offset).next_back()?;
        Some((*start, *end))
    }

    fn take(&mut self, start: u64, end: u64) {
        self.ranges.remove(&start);
        self.total -= end - start;
    }

    fn put(&mut self, start: u64, end: u64) {
        if start < end {
            self.ranges.insert(start, end);
            self.total += end - start;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[Range<u64>]) -> Extents {
        let mut set = Extents::default();
        for range in ranges {
            set.insert(range.clone());
        }
        set
    }

    fn list(set: &Extents) -> Vec<(u64, u64)> {
        set.iter().collect()
    }

    #[test]
    fn ranges_merge_where_they_touch_or_overlap() {
        assert_eq!(list(&set(&[0..10, 20..30])), [(0, 10), (20, 10)]);
        assert_eq!(list(&set(&[0..10, 10..30])), [(0, 30)]);
        assert_eq!(list(&set(&[10..30, 0..10])), [(0, 30)]);
        assert_eq!(list(&set(&[0..10, 20..30, 40..50, 5..45])), [(0, 50)]);
        assert_eq!(list(&set(&[0..50, 10..20])), [(0, 50)]);
        assert_eq!(list(&set(&[7..7])), []);
    }

    #[test]
    fn removing_cuts() {
        let mut cut = set(&[0..100, 200..300]);
        cut.remove(&(50..60));
        assert_eq!(list(&cut), [(0, 50), (60, 40), (200, 100)]);
        cut.remove(&(40..250));
        assert_eq!(list(&cut), [(0, 40), (250, 50)]);
        cut.remove(&(40..250));
        cut.remove(&(5..5));
        assert_eq!(cut.total(), 90);
        cut.remove(&(0..1000));
        assert_eq!((list(&cut), cut.total()), (vec![], 0));
    }

    #[test]
    fn the_end_of_a_range_continues_it() {
        let set = set(&[10..20]);
        assert!(!set.continues(9));
        assert!(set.continues(10) && set.continues(19) && set.continues(20));
        assert!(!set.continues(21));
    }

    #[test]
    fn any_order_gives_the_same_as_one_byte_at_a_time() {
        let mut set = Extents::default();
        let mut bytes = [false; 64];
        let mut random = 1_u64;
        for _ in 0..5000 {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let start = (random >> 33) % 64;
            let end = (start + (random >> 45) % 12).min(64);
            let insert = random >> 63 == 0;
            bytes[start as usize..end as usize].fill(insert);
            if insert {
                set.insert(start..end);
            } else {
                set.remove(&(start..end));
            }
            let mut filled = [false; 64];
            for (offset, length) in set.iter() {
                filled[offset as usize..(offset + length) as usize].fill(true);
            }
            assert_eq!(filled, bytes);
            let total = bytes.iter().filter(|byte| **byte).count();
            assert_eq!(set.total(), total as u64);
        }
    }
}
