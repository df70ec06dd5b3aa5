use std::time::Duration;

use super::super::Phase;
use super::ahead::{Ahead, Check};
use crate::engine::Totals;
use crate::engine::speed::{Curve, Forecast};

/// Reading back takes that share of the time that writing took, on a stick that was never read:
/// low and high, 1.5 times apart.
const READING: [f64; 2] = [0.52, 0.78];
/// What is remembered of reading may be off by that factor.
const REMEMBERED: f64 = 1.1;
/// Unmounting and switching off, in seconds.
const FINISHING: [f64; 2] = [0.0, 2.0];

/// How long a job will still take, phase by phase. Pure: totals and times are handed in.
#[derive(Debug, Default)]
pub(super) struct TimeLeft {
    ahead: Ahead,
    phase: Option<Phase>,
    forecast: Forecast,
    turns: u64,
    /// What the writing has taught.
    learnt: Vec<(u64, f64)>,
    /// Seconds that the writing took.
    written: f64,
    left: Option<[f64; 2]>,
}

impl TimeLeft {
    /// Takes the totals of a moment; `total` are the bytes of the job and `items` its files.
    pub(super) fn sample(
        &mut self,
        (phase, ahead): (Phase, &Ahead),
        at: Duration,
        totals: &Totals,
        (total, items): (Option<u64>, u64),
    ) {
        if self.phase != Some(phase) {
            self.begin(phase, ahead, total);
        }
        self.left = match (phase, total) {
            (Phase::Writing, Some(total)) => self.writing(at, totals, total, items),
            (Phase::Checking, Some(total)) => {
                self.forecast.sample(at, totals.checked);
                let left = total.saturating_sub(totals.checked);
                self.forecast.left(left)
            }
            _ => None,
        }
        .map(|range| sum(range, FINISHING));
    }

    /// Seconds until the end, low and high; `None` while too little is known.
    pub(super) fn range(&self) -> Option<[f64; 2]> {
        self.left
    }

    /// Whether the stick takes what is written clearly more slowly than before.
    pub(super) fn is_slower(&self) -> bool {
        self.phase == Some(Phase::Writing) && self.forecast.is_slower()
    }

    /// What was learnt of the stick: from so many bytes on, so many a second.
    pub(super) fn learnt(&self) -> &[(u64, f64)] {
        &self.learnt
    }

    fn begin(&mut self, phase: Phase, ahead: &Ahead, total: Option<u64>) {
        if self.phase == Some(Phase::Writing) {
            self.written = self.forecast.seconds();
        }
        self.phase = Some(phase);
        self.ahead = ahead.clone();
        self.forecast = match (phase, total) {
            (Phase::Writing, _) => Forecast::new(self.ahead.curve.clone()),
            (Phase::Checking, Some(total)) => {
                let curve = self.reading(self.written).map(|[low, high]| {
                    let seconds = f64::midpoint(low, high);
                    Curve::flat(total as f64 / seconds)
                });
                Forecast::after(total, curve.unwrap_or_default())
            }
            _ => Forecast::default(),
        };
    }

    fn writing(
        &mut self,
        at: Duration,
        totals: &Totals,
        total: u64,
        items: u64,
    ) -> Option<[f64; 2]> {
        // Opening and naming a file costs what some bytes cost. What was kept was not written.
        let file = self.ahead.file;
        let through = totals.through.min(items);
        let done =
            totals.confirmed - totals.kept + file * (through - totals.kept_items.min(through));
        let left = total.saturating_sub(totals.confirmed) + file * (items - through);
        if totals.turns > self.turns {
            self.turns = totals.turns;
            self.forecast.turn();
        }
        self.forecast.sample(at, done);
        self.learnt = self.forecast.learnt();
        let range = self.forecast.left(left)?;
        let middle = f64::midpoint(range[0], range[1]);
        let reading = self.reading(self.forecast.seconds() + middle);
        Some(reading.map_or(range, |reading| sum(range, reading)))
    }

    /// Seconds that reading back takes, where it is wanted, after writing that took so long.
    fn reading(&self, written: f64) -> Option<[f64; 2]> {
        match self.ahead.check {
            Check::No => None,
            Check::Unknown => Some(READING.map(|share| share * written)),
            Check::Seconds(seconds) => Some([seconds / REMEMBERED, seconds * REMEMBERED]),
        }
    }
}

fn sum(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The true time left, and the range that was told.
    type Told = (f64, Option<[f64; 2]>);

    const TOTAL: u64 = 320_000_000;

    /// A stick of 16 MB/s written and 24 MB/s read: what was told, with the true time left.
    fn play(ahead: &Ahead) -> (TimeLeft, Vec<Told>) {
        let mut time_left = TimeLeft::default();
        let mut told = Vec::new();
        let (writing, all) = (20.0, 20.0 + 320.0 / 24.0);
        for tick in 0..(all * 5.0) as u32 {
            let at = f64::from(tick) / 5.0;
            let confirmed = ((at * 16e6) as u64).min(TOTAL);
            let totals = Totals {
                confirmed,
                checked: ((at - writing).max(0.0) * 24e6) as u64,
                ..Totals::default()
            };
            let phase = if at < writing {
                Phase::Writing
            } else {
                Phase::Checking
            };
            let at = Duration::from_millis(200) * tick;
            time_left.sample((phase, ahead), at, &totals, (Some(TOTAL), 1));
            told.push((all - at.as_secs_f64(), time_left.range()));
        }
        (time_left, told)
    }

    #[test]
    fn the_check_is_part_of_the_time_from_the_start() {
        for check in [Check::Unknown, Check::Seconds(13.3)] {
            let ahead = Ahead {
                check,
                ..Ahead::default()
            };
            let (time_left, told) = play(&ahead);
            for (truth, range) in &told[15..] {
                let [low, high] = range.expect("a time");
                assert!(low <= *truth && *truth <= high, "{low} {truth} {high}");
                let most = if *truth < 22.0 { 1.5 } else { 3.0 };
                assert!(high <= most * low + 2.5, "{low} {high}");
            }
            let learnt = Curve::new(time_left.learnt());
            assert!((learnt.cost(0, TOTAL) - 20.0).abs() < 0.5);
            assert!(!time_left.is_slower());
        }
    }

    #[test]
    fn small_files_are_counted_as_files() {
        // 200 files of 4 KiB at 20 ms each, which get their names at the very end.
        let mut time_left = TimeLeft::default();
        let mut sample = |ticks: std::ops::Range<u64>| {
            for tick in ticks {
                let totals = Totals {
                    through: tick * 10,
                    confirmed: tick * 10 * 4096,
                    ..Totals::default()
                };
                let (at, ahead) = (Duration::from_millis(200 * tick), Ahead::default());
                let total = (Some(200 * 4096), 200);
                time_left.sample((Phase::Writing, &ahead), at, &totals, total);
            }
            time_left.range()
        };
        assert_eq!(sample(0..10), None, "less than two seconds are known");
        let [low, high] = sample(10..18).expect("a time");
        assert!(low <= 0.6 && (0.6..3.0).contains(&high), "{low} {high}");
    }

    #[test]
    fn where_the_bytes_are_not_known_no_time_is_told() {
        let mut time_left = TimeLeft::default();
        for tick in 0..50 {
            let totals = Totals {
                confirmed: tick * 1_000_000,
                ..Totals::default()
            };
            let at = Duration::from_millis(200 * tick);
            let ahead = Ahead::default();
            time_left.sample((Phase::Writing, &ahead), at, &totals, (None, 1));
        }
        assert_eq!(time_left.range(), None);
    }
}
