use std::ops::RangeInclusive;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::FileSystem;

/// In nanoseconds, as all of these.
const SECOND: i128 = 1_000_000_000;
/// FAT stores every other second.
const TWO_SECONDS: i128 = 2 * SECOND;
/// Time zones differ by whole quarters of an hour, up to 14 hours.
const QUARTER: i128 = 900 * SECOND;
const FARTHEST: i128 = 14 * 4 * QUARTER;
/// Times of FAT and exFAT: 1980 to 2107 wherever the clock is, in seconds since 1970.
pub(in crate::engine) const FAT_TIMES: RangeInclusive<i64> = 315_619_200..=4_354_732_799;

/// Whether two times of files of one size are most likely one time: within two seconds, what the
/// file system cannot store cut to what it can.
///
/// FAT stores the local time of whoever wrote it, exFAT of older devices too: there the times may
/// be any time zone apart.
pub(super) fn is_one_time(file_system: FileSystem, source: SystemTime, stick: SystemTime) -> bool {
    let is_fat = file_system.is_fat() || file_system == FileSystem::ExFat;
    if !is_fat {
        return (nanos(source) - nanos(stick)).abs() <= TWO_SECONDS;
    }
    let [first, last] = [FAT_TIMES.start(), FAT_TIMES.end()].map(|s| i128::from(*s) * SECOND);
    let stored = |time| nanos(time).clamp(first, last);
    let apart = (stored(source) - stored(stick)).abs();
    let from_quarter = (apart % QUARTER).min(QUARTER - apart % QUARTER);
    from_quarter <= TWO_SECONDS && apart <= FARTHEST + TWO_SECONDS
}

/// Since 1970; negative before.
fn nanos(time: SystemTime) -> i128 {
    let signed = |time: Duration| time.as_nanos().cast_signed();
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => signed(after),
        Err(before) => -signed(before.duration()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: i64 = 1_700_000_001;

    fn at(seconds: i64) -> SystemTime {
        if seconds < 0 {
            UNIX_EPOCH - Duration::from_secs(seconds.unsigned_abs())
        } else {
            UNIX_EPOCH + Duration::from_secs(seconds.unsigned_abs())
        }
    }

    #[test]
    fn f10_two_seconds_and_time_zones_are_nothing_on_fat() {
        for (apart, is_one) in [
            (0, true),
            (2, true),
            (-2, true),
            (3, false),
            (3600, true),
            (3601, true),
            (-3602, true),
            (3603, false),
            (5 * 3600 + 45 * 60, true),
            (600, false),
            (14 * 3600, true),
            (14 * 3600 + 900, false),
            (86_400, false),
        ] {
            for file_system in [FileSystem::Fat16, FileSystem::Fat32, FileSystem::ExFat] {
                let one = is_one_time(file_system, at(NOON), at(NOON + apart));
                assert_eq!(one, is_one, "{file_system:?} {apart}");
            }
            let one = is_one_time(FileSystem::Ext4, at(NOON), at(NOON + apart));
            assert_eq!(one, apart.abs() <= 2, "{apart}");
        }
    }

    #[test]
    fn f10_what_cannot_be_stored_is_cut_first() {
        let (first, last) = (at(315_532_800), at(4_354_819_198));
        for (source, stick, is_one) in [
            (at(0), first, true),
            (at(-86_400), first, true),
            (at(7_258_118_400), last, true),
            (at(0), at(NOON), false),
        ] {
            assert_eq!(
                is_one_time(FileSystem::Fat32, source, stick),
                is_one,
                "{source:?}"
            );
        }
    }
}
