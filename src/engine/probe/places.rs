use std::ops::Range;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Behind the partition tables.
const RUN_START: u64 = 64 * KIB;
/// The run's length, or a little less where the first partition begins at 1 MiB.
const RUN: u64 = MIB;
/// What it grows to where there is room before the first partition, for a long look: the longer,
/// the fewer places have to be read.
const LONG_RUN: u64 = 4 * MIB;
/// Smaller sticks are not looked at: there are none.
const SMALLEST: u64 = 4 * MIB;
/// Shares of the size that are looked at, beside powers of two.
const SHARES: u64 = 8;

/// Where the first trial looks. Offsets are multiples of the stick's logical block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Places {
    /// What lower places are compared with, and what fills the stick's own cache.
    pub(super) run: Range<u64>,
    /// Single blocks behind the run, in order: where a power of two comes round to the run's
    /// start, where simple shares of the size do, and the very last block.
    pub(super) points: Vec<u64>,
}

impl Places {
    /// For a stick of so many bytes, whose partitions begin at `starts`, and for a look that is
    /// long or short; `None` where it is too small.
    pub(super) fn of(size: u64, block: u64, starts: &[u64], long: bool) -> Option<Self> {
        if size < SMALLEST {
            return None;
        }
        let first = starts.iter().copied().filter(|start| *start > 0).min();
        let room = first.filter(|start| *start >= RUN);
        let most = RUN_START + if long { LONG_RUN } else { RUN };
        let end = room.map_or(RUN_START + RUN, |start| start.min(most));
        // A small stick has to have places behind it.
        let end = end.min(size / 2) / block.max(4 * KIB) * block.max(4 * KIB);
        let last = size - block;
        let powers = (0..u64::BITS - 1).map(|power| 1 << power);
        let shares = (1..SHARES).map(|share| size / SHARES * share / block * block);
        let mut points: Vec<_> = powers
            .chain(shares)
            .map(|distance: u64| RUN_START.saturating_add(distance))
            .filter(|point| (end..last).contains(point) && point.is_multiple_of(block))
            .chain([last])
            .collect();
        points.sort_unstable();
        points.dedup();
        let run = RUN_START..end;
        Some(Self { run, points })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_few_in_order_and_within_whatever_the_size() {
        for block in [512, 4096] {
            for size in [4 * MIB, 5 * MIB + 4096, 256 * MIB, 15_500_000_000, 1 << 44] {
                let size = size / block * block;
                for starts in [&[0][..], &[0, 32 * KIB], &[0, MIB], &[0, 4 * MIB, MIB * 9]] {
                    let Places { run, points } =
                        Places::of(size, block, starts, true).expect("places");
                    assert!(points.len() <= 48, "{}", points.len());
                    assert!(points.is_sorted() && points[0] >= run.end);
                    assert!(points.iter().all(|point| point % block == 0));
                    assert_eq!(points.last(), Some(&(size - block)));
                    assert!(run.start.is_multiple_of(4096) && run.end.is_multiple_of(4096));
                    let length = run.end - run.start;
                    assert!((900 * KIB..=LONG_RUN).contains(&length), "{size} {length}");
                }
            }
        }
        assert_eq!(Places::of(2 * MIB, 512, &[0], true), None);
    }

    #[test]
    fn the_run_stays_before_the_first_partition_where_it_can() {
        let end = |start: u64, long: bool| {
            let places = Places::of(1 << 30, 512, &[0, start], long);
            places.expect("places").run.end
        };
        assert_eq!(end(MIB, true), MIB);
        assert_eq!(end(4 * MIB, true), 4 * MIB);
        assert_eq!(end(4 * MIB, false), RUN_START + RUN);
        assert_eq!(end(100 * MIB, true), RUN_START + LONG_RUN);
        assert_eq!(end(32 * KIB, true), RUN_START + RUN);
    }
}
