//! What is remembered of a stick: how past copies went, so that the next one's time can be told
//! and its way of writing need not be found again.

mod curve;
mod known_speed;
mod store;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::job::{Ahead, Check};
use crate::drives::Drive;
use crate::engine::speed::Curve;
use crate::engine::strategy::Strategy;

pub use known_speed::KnownSpeed;

use store::Store;

/// As many copies tell all that is of use; older ones were on a younger stick.
const MOST: usize = 8;

/// Bytes of a file below which opening and naming it costs more than what it holds.
const SMALL: f64 = 256.0 * 1024.0;

/// What the person wants of the whole program; no job has a wish of its own.
static REMEMBERS: AtomicBool = AtomicBool::new(true);

/// What is known of one stick.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// The last copies, the newest last.
    past: Vec<Past>,
    /// The name of the strategy that was in use at the end of the last one.
    strategy: String,
    /// How fast it takes what comes in a row: from so many bytes on, so many a second.
    #[serde(default)]
    write_curve: Vec<(u64, f64)>,
    /// It has all the room that it claims.
    #[serde(default)]
    genuine: bool,
    /// As the last check has measured it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    speed: Option<KnownSpeed>,
    /// Seconds since 1970 when anything of this was learnt; 0 where an older version kept it.
    #[serde(default)]
    learnt_at: u64,
}

/// One copy that came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Past {
    /// Bytes written.
    pub(super) bytes: u64,
    /// Files written.
    pub(super) files: u64,
    /// Until all were durable under their own names.
    pub(super) write_seconds: f64,
    /// Reading all back; 0 where that was not wanted.
    pub(super) check_seconds: f64,
}

impl Known {
    /// What is remembered of this stick, on this computer.
    pub fn of(drive: &Drive) -> Option<Self> {
        Store::default_place()?.load().remove(&key(drive)?)
    }

    /// The strategy to begin with.
    pub(super) fn strategy(&self) -> Option<Strategy> {
        Strategy::from_name(&self.strategy)
    }

    /// What is known of the time that a job will take.
    pub(super) fn ahead(&self, bytes: u64, files: u64, check: bool) -> Ahead {
        let mut ahead = Ahead::default();
        if check {
            let seconds = self.check_seconds(bytes, files);
            ahead.check = seconds.map_or(Check::Unknown, Check::Seconds);
        }
        let costs = self.costs(|past| past.write_seconds);
        if let Some(costs) = costs.filter(|costs| costs.per_byte > 0.0) {
            ahead.curve = Curve::flat(1.0 / costs.per_byte);
            if costs.per_file > 0.0 {
                ahead.file = (costs.per_file / costs.per_byte) as u64;
            }
        }
        if !self.write_curve.is_empty() {
            ahead.curve = Curve::new(&self.write_curve);
        }
        ahead
    }

    /// Remembers a copy that came to its end, and what it has taught of the stick's speed.
    pub(super) fn remember(drive: &Drive, past: Past, strategy: &str, learnt: &[(u64, f64)]) {
        Self::change(drive, |known| {
            known.add(past, strategy);
            if past.tells_a_curve() {
                known.learn(learnt, past.bytes);
            }
        });
    }

    /// Remembers what the writing of an image has taught of the stick's speed, and whether it
    /// wants breaks.
    pub(super) fn remember_image(
        drive: &Drive,
        learnt: &[(u64, f64)],
        bytes: u64,
        strategy: Strategy,
    ) {
        if bytes < curve::LEAST {
            return;
        }
        Self::change(drive, |known| {
            known.learn(learnt, bytes);
            // That it wants none says nothing about files.
            if strategy == Strategy::Pulse {
                strategy.name().clone_into(&mut known.strategy);
            }
        });
    }

    /// How fast it is over all of its room, where it was checked.
    pub fn speed(&self) -> Option<&KnownSpeed> {
        self.speed.as_ref()
    }

    /// Whether it was found to have all the room that it claims.
    pub(super) fn is_genuine(&self) -> bool {
        self.genuine
    }

    pub(super) fn set_genuine(&mut self, genuine: bool) {
        self.genuine = genuine;
    }

    /// It was measured: jobs to come take as long as that says.
    pub(super) fn set_speed(&mut self, speed: KnownSpeed) {
        let reach = speed.write.points.last().map_or(0, |(offset, _)| *offset);
        self.learn(&speed.write.points, reach);
        self.speed = Some(speed);
    }

    /// Changes what is remembered. What cannot be kept is only a convenience lost.
    pub(super) fn change(drive: &Drive, change: impl FnOnce(&mut Self)) {
        let (Some(store), Some(key)) = (Store::default_place(), key(drive)) else {
            return;
        };
        if !REMEMBERS.load(Ordering::Relaxed) {
            return;
        }
        let mut all = store.load();
        let known = all.entry(key).or_default();
        change(known);
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        known.learnt_at = since_1970.map_or(0, |since| since.as_secs());
        if let Err(error) = store.save(&all) {
            tracing::warn!(%error, "what is known of the stick could not be kept");
        }
    }

    /// Whether sticks are remembered from now on, by whatever job. Those that are remembered
    /// already are forgotten where they are not. Blocks: belongs on a worker thread.
    pub fn set_remembering(on: bool) -> std::io::Result<()> {
        REMEMBERS.store(on, Ordering::Relaxed);
        match Store::default_place() {
            Some(store) if !on => store.clear(),
            _ => Ok(()),
        }
    }

    fn learn(&mut self, learnt: &[(u64, f64)], bytes: u64) {
        self.write_curve = curve::merged(&self.write_curve, learnt, bytes);
    }

    fn add(&mut self, past: Past, strategy: &str) {
        self.past.push(past);
        self.past.drain(..self.past.len().saturating_sub(MOST));
        strategy.clone_into(&mut self.strategy);
    }

    /// Seconds that a copy will take until it may be unplugged, low and high; `None` where nothing
    /// useful is known.
    pub fn seconds(&self, bytes: u64, files: u64, check: bool) -> Option<[f64; 2]> {
        /// A stick that is fuller, or warmer, is slower; one copy says less than several.
        const SPREAD: f64 = 1.2;
        let writing = self.costs(|past| past.write_seconds);
        let mut seconds = if self.write_curve.is_empty() {
            writing?.seconds(bytes, files)
        } else {
            let ahead = self.ahead(bytes, files, false);
            let files = ahead.file.saturating_mul(files);
            ahead.curve.cost(0, bytes.saturating_add(files))
        };
        if check {
            seconds += self.check_seconds(bytes, files)?;
        }
        // What is kept may have come from anywhere: numbers that lead nowhere tell nothing.
        let range = [seconds / SPREAD, seconds * SPREAD];
        (0.0 <= range[0] && range[1].is_finite()).then_some(range)
    }

    fn check_seconds(&self, bytes: u64, files: u64) -> Option<f64> {
        let costs = self.costs(|past| past.check_seconds)?;
        Some(costs.seconds(bytes, files))
    }

    fn costs(&self, seconds: fn(&Past) -> f64) -> Option<Costs> {
        let past = self.past.iter();
        let known: Vec<_> = past.filter(|past| seconds(past) > 0.0).collect();
        Costs::fit(&known, seconds)
    }
}

impl Past {
    /// Whether it was so much in so large files that its speed was the stick's own.
    fn tells_a_curve(&self) -> bool {
        /// Bytes of a file beside which opening and naming it does not count.
        const LARGE: u64 = 4 << 20;
        self.bytes >= curve::LEAST && self.bytes / self.files.max(1) >= LARGE
    }
}

/// Seconds for each byte and for each file.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Costs {
    per_byte: f64,
    per_file: f64,
}

impl Costs {
    fn seconds(&self, bytes: u64, files: u64) -> f64 {
        self.per_byte * bytes as f64 + self.per_file * files as f64
    }

    /// The costs that explain past copies best: least squares of the relative errors, never
    /// negative.
    fn fit(past: &[&Past], seconds: fn(&Past) -> f64) -> Option<Self> {
        let (mut bb, mut bf, mut ff, mut b1, mut f1) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for past in past {
            let seconds = seconds(past);
            let (bytes, files) = (past.bytes as f64 / seconds, past.files as f64 / seconds);
            bb += bytes * bytes;
            bf += bytes * files;
            ff += files * files;
            b1 += bytes;
            f1 += files;
        }
        let only_bytes = (bb > 0.0).then(|| Self {
            per_byte: b1 / bb,
            per_file: 0.0,
        });
        let only_files = (ff > 0.0).then(|| Self {
            per_byte: 0.0,
            per_file: f1 / ff,
        });
        let determinant = bb * ff - bf * bf;
        // Copies of one kind only cannot tell both costs apart.
        if determinant > 1e-9 * bb * ff {
            let per_byte = (b1 * ff - f1 * bf) / determinant;
            let per_file = (f1 * bb - b1 * bf) / determinant;
            if per_byte >= 0.0 && per_file >= 0.0 {
                return Some(Self { per_byte, per_file });
            }
            return if per_byte < 0.0 {
                only_files
            } else {
                only_bytes
            };
        }
        let (bytes, files) = past.iter().fold((0.0, 0.0), |(bytes, files), past| {
            (bytes + past.bytes as f64, files + past.files as f64)
        });
        if files > 0.0 && bytes / files < SMALL {
            only_files
        } else {
            only_bytes
        }
    }
}

/// The stick, told from all others without telling anybody which it is. One without a serial
/// number is nobody's: a twin could be another's.
fn key(drive: &Drive) -> Option<String> {
    if drive.serial.trim().is_empty() {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    for part in [&drive.vendor, &drive.model, &drive.serial] {
        hasher.update(part.trim().as_bytes()).update(&[0]);
    }
    hasher.update(&drive.size.to_le_bytes());
    Some(hasher.finalize().to_hex()[..32].to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stick of 10 MB/s and 20 ms a file, read at 20 MB/s and 5 ms a file.
    fn past(bytes: u64, files: u64) -> Past {
        let (bytes_f, files_f) = (bytes as f64, files as f64);
        Past {
            bytes,
            files,
            write_seconds: bytes_f / 10e6 + files_f * 0.02,
            check_seconds: bytes_f / 20e6 + files_f * 0.005,
        }
    }

    fn known(past: &[Past]) -> Known {
        let mut known = Known::default();
        for past in past {
            known.add(*past, "pulse");
        }
        known
    }

    #[test]
    fn films_and_photos_tell_both_costs() {
        let known = known(&[past(1_000_000_000, 1), past(40_000_000, 10_000)]);
        for (bytes, files) in [(500_000_000, 1), (100_000_000, 3_000), (0, 100)] {
            let [low, high] = known.seconds(bytes, files, true).expect("known");
            let both = past(bytes, files);
            let truth = both.write_seconds + both.check_seconds;
            assert!(low < truth && truth < high, "{low} {truth} {high}");
            assert!(high / low <= 1.5);
        }
        assert_eq!(known.strategy(), Some(Strategy::Pulse));
    }

    #[test]
    fn one_copy_tells_of_its_own_kind() {
        let films = known(&[past(1_000_000_000, 2)]);
        let [low, high] = films.seconds(2_000_000_000, 3, false).expect("known");
        assert!(low < 200.0 && 200.0 < high);
        let photos = known(&[past(4_000_000, 1_000)]);
        let [low, high] = photos.seconds(8_000_000, 2_000, false).expect("known");
        assert!(low < 40.8 && 40.8 < high);
        assert_eq!(Known::default().seconds(1, 1, false), None);
        let mut unchecked = past(1_000_000_000, 2);
        unchecked.check_seconds = 0.0;
        assert_eq!(known(&[unchecked]).seconds(1, 1, true), None);
    }

    #[test]
    fn a_large_copy_is_not_taken_for_a_small_one() {
        let mut known = known(&[past(100_000_000, 1)]);
        known.learn(&[(0, 32e6), (128 << 20, 9e6)], 400_000_000);
        let [low, high] = known.seconds(1_000_000_000, 1, false).expect("known");
        let truth = 4.2 + 96.2;
        assert!(low < truth && truth < high, "{low} {high}");
        let ahead = known.ahead(1_000_000_000, 1, true);
        assert!((ahead.curve.cost(0, 1_000_000_000) - truth).abs() < 0.1);
        assert!(matches!(ahead.check, Check::Seconds(seconds) if (seconds - 50.0).abs() < 0.1));
        let unknown = Known::default().ahead(5, 1, true);
        assert!(unknown.curve.is_empty() && unknown.check == Check::Unknown);
    }

    #[test]
    fn numbers_that_lead_nowhere_tell_nothing() {
        for text in [
            r#"{"past": [{"bytes": 1, "files": 1, "write_seconds": 1e308, "check_seconds": 1e-308}], "strategy": ""}"#,
            r#"{"past": [{"bytes": 18446744073709551615, "files": 18446744073709551615, "write_seconds": 1e-308, "check_seconds": -1e308}], "strategy": "x"}"#,
            r#"{"past": [{"bytes": 1, "files": 9, "write_seconds": 5, "check_seconds": 0}, {"bytes": 9000000, "files": 1, "write_seconds": 1e-9, "check_seconds": 0}], "strategy": "", "write_curve": [[0, 1e-308], [5, -3.0], [3, 1e308]]}"#,
        ] {
            let known: Known = serde_json::from_str(text).expect("it is of the right form");
            for amount in [0, 1, u64::MAX] {
                for check in [false, true] {
                    if let Some([low, high]) = known.seconds(amount, amount, check) {
                        assert!(0.0 <= low && low <= high && high.is_finite(), "{text}");
                    }
                }
            }
        }
    }

    #[test]
    fn small_files_teach_no_curve() {
        assert!(past(100_000_000, 3).tells_a_curve());
        assert!(!past(100_000_000, 1_000).tells_a_curve() && !past(10_000_000, 1).tells_a_curve());
    }

    #[test]
    fn only_the_last_copies_count() {
        let mut slow = past(1_000_000_000, 1);
        slow.write_seconds *= 10.0;
        let mut all = vec![slow; 20];
        all.extend([past(1_000_000_000, 1); MOST]);
        let [low, high] = known(&all).seconds(1_000_000_000, 1, false).expect("known");
        assert!(low < 100.02 && 100.02 < high);
    }

    #[test]
    fn a_stick_is_known_by_its_hash_and_never_without_a_serial_number() {
        let mut drive = Drive {
            serial: "AB12".into(),
            size: 2_000_000_000,
            ..Drive::default()
        };
        let first = key(&drive).expect("a key");
        assert!(!first.contains("AB12"));
        drive.size += 512;
        assert_ne!(key(&drive).expect("a key"), first);
        drive.serial = " ".into();
        assert_eq!(key(&drive), None);
    }
}
