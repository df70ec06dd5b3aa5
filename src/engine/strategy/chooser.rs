use std::collections::VecDeque;
use std::time::Duration;

use super::Strategy;

/// Below this share of the best rate seen, something is wrong.
const FALLEN: f64 = 0.6;
/// A trial must gain that much to be kept.
const GAIN: f64 = 1.1;
/// Rates are taken over this time.
const SPAN: Duration = Duration::from_millis(500);
/// A rate that stays fallen so long is no accident.
const PATIENCE: Duration = Duration::from_secs(2);
/// At the beginning of a job a stick shows its ways, and what is found early gains most.
const BEGINNING: Duration = Duration::from_secs(10);
/// See [`PATIENCE`].
const EARLY_PATIENCE: Duration = Duration::from_millis(600);
/// A trial lasts so long; its first [`SETTLING`] does not count.
const TRIAL: Duration = Duration::from_secs(3);
/// What was handed over before is on its way for so long.
const SETTLING: Duration = Duration::from_secs(1);
/// From the end of the first trial to the next; twice as long after each, for a stick may have
/// moods that no strategy changes.
const REST: Duration = Duration::from_secs(20);
const LONGEST_REST: Duration = Duration::from_mins(5);

/// Starts with one strategy, tries the other when the rate falls far below the best seen, and
/// keeps what is faster. Pure: times and bytes are handed in.
#[derive(Debug, Clone)]
pub struct Chooser {
    strategy: Strategy,
    /// What [`Strategy::Pulse`] is the other of.
    unbroken: Strategy,
    /// Of the last [`SPAN`] and one before, under the strategy in use.
    samples: VecDeque<(Duration, u64)>,
    best: f64,
    fallen_since: Option<Duration>,
    trial: Option<Trial>,
    rest: Duration,
    rest_until: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Trial {
    before: f64,
    /// `None` while what was handed over before is still on its way.
    began: Option<Duration>,
    /// The first sample that counts.
    from: Option<(Duration, u64)>,
}

impl Chooser {
    /// Begins with that strategy; `unbroken` is how to write where no breaks are needed.
    pub fn new(strategy: Strategy, unbroken: Strategy) -> Self {
        Self {
            strategy,
            unbroken,
            samples: VecDeque::new(),
            best: 0.0,
            fallen_since: None,
            trial: None,
            rest: REST,
            rest_until: Duration::ZERO,
        }
    }

    /// The strategy in use.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Takes what was confirmed by then; time stands still during checkpoints. Says the strategy
    /// to use from now on; when it is another, [`Chooser::begin`] is to follow.
    pub fn observe(&mut self, at: Duration, confirmed: u64) -> Strategy {
        if let Some(trial) = self.trial {
            self.judge(trial, at, confirmed);
        } else if let Some(rate) = self.rate(at, confirmed) {
            self.watch(at, rate);
        }
        self.strategy
    }

    /// The strategy in use is measured from here.
    pub fn begin(&mut self, at: Duration) {
        self.samples.clear();
        if let Some(trial) = &mut self.trial {
            trial.began = Some(at);
        }
    }

    fn watch(&mut self, at: Duration, rate: f64) {
        self.best = self.best.max(rate);
        if rate >= FALLEN * self.best {
            self.fallen_since = None;
            return;
        }
        let since = *self.fallen_since.get_or_insert(at);
        let patience = if since < BEGINNING {
            EARLY_PATIENCE
        } else {
            PATIENCE
        };
        if at.saturating_sub(since) >= patience && at >= self.rest_until {
            self.trial = Some(Trial {
                before: rate,
                began: None,
                from: None,
            });
            self.switch();
        }
    }

    fn judge(&mut self, mut trial: Trial, at: Duration, confirmed: u64) {
        let Some(began) = trial.began else { return };
        if at.saturating_sub(began) < SETTLING {
            return;
        }
        let from = *trial.from.get_or_insert((at, confirmed));
        self.trial = Some(trial);
        if at.saturating_sub(began) < TRIAL || at <= from.0 {
            return;
        }
        let rate = (confirmed - from.1) as f64 / at.saturating_sub(from.0).as_secs_f64();
        if rate < GAIN * trial.before {
            self.switch();
        }
        self.rest_until = at + self.rest;
        self.rest = (self.rest * 2).min(LONGEST_REST);
        // What both have come to is the measure from now on: a cliff is no fault of either.
        self.best = rate.max(trial.before);
        self.trial = None;
    }

    fn switch(&mut self) {
        self.strategy = match self.strategy {
            Strategy::Pulse => self.unbroken,
            Strategy::Stream | Strategy::Bulk => Strategy::Pulse,
        };
        self.samples.clear();
        self.fallen_since = None;
    }

    /// The rate over the last [`SPAN`], once that much is known.
    fn rate(&mut self, at: Duration, confirmed: u64) -> Option<f64> {
        self.samples.push_back((at, confirmed));
        while self.samples.len() > 2 && self.samples[1].0 + SPAN <= at {
            self.samples.pop_front();
        }
        let &(from, before) = self.samples.front()?;
        let span = at.checked_sub(from).filter(|span| *span >= SPAN)?;
        Some((confirmed - before) as f64 / span.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stick seen each 100 ms, whose rate depends on strategy, second, and bytes so far.
    fn play(
        chooser: &mut Chooser,
        seconds: u64,
        rate: impl Fn(Strategy, f64, u64) -> f64,
    ) -> Vec<(f64, Strategy)> {
        let (mut bytes, mut changes) = (0, Vec::new());
        for tick in 1..=seconds * 10 {
            let second = tick as f64 / 10.0;
            let before = chooser.strategy();
            bytes += (rate(before, second, bytes) / 10.0) as u64;
            let at = Duration::from_millis(tick * 100);
            let strategy = chooser.observe(at, bytes);
            if strategy != before {
                chooser.begin(at);
                changes.push((second, strategy));
            }
        }
        changes
    }

    #[test]
    fn a_steady_stick_is_left_alone() {
        let mut chooser = Chooser::new(Strategy::Stream, Strategy::Stream);
        // Noise of a fifth, from start to end.
        let noisy = |_, second: f64, _| 17e6 * (1.0 + 0.2 * (second * 7.0).sin());
        assert_eq!(play(&mut chooser, 300, noisy), []);
    }

    #[test]
    fn a_short_dip_is_no_reason() {
        let mut chooser = Chooser::new(Strategy::Stream, Strategy::Stream);
        let dips = |_, second: f64, _| if second % 10.0 < 1.5 { 3e6 } else { 17e6 };
        assert_eq!(play(&mut chooser, 100, dips), []);
    }

    #[test]
    fn backlog_gets_pulses_and_keeps_them() {
        let mut chooser = Chooser::new(Strategy::Stream, Strategy::Stream);
        let backlog = |strategy, _, bytes| match strategy {
            Strategy::Stream if bytes > 15_000_000 => 4.04e6,
            _ => 17.1e6,
        };
        let changes = play(&mut chooser, 120, backlog);
        assert_eq!(changes.len(), 1, "{changes:?}");
        assert!(changes[0].0 < 2.5 && changes[0].1 == Strategy::Pulse);
    }

    #[test]
    fn whole_sticks_go_back_to_bulk() {
        let mut chooser = Chooser::new(Strategy::Bulk, Strategy::Bulk);
        let cliff = |_, second: f64, _| if second < 10.0 { 32e6 } else { 9.2e6 };
        let changes = play(&mut chooser, 60, cliff);
        let tried: Vec<_> = changes.iter().map(|(_, strategy)| *strategy).collect();
        assert_eq!(tried, [Strategy::Pulse, Strategy::Bulk]);
    }

    #[test]
    fn moods_of_a_stick_are_followed_ever_less_often() {
        let mut chooser = Chooser::new(Strategy::Stream, Strategy::Stream);
        let moody = |_, second: f64, _| if second % 40.0 < 35.0 { 17e6 } else { 5e6 };
        let changes = play(&mut chooser, 4_000, moody);
        assert!((2..=30).contains(&changes.len()), "{}", changes.len());
    }

    #[test]
    fn a_cliff_is_no_fault_of_a_strategy() {
        let mut chooser = Chooser::new(Strategy::Stream, Strategy::Stream);
        let cliff = |_, second: f64, _| if second < 10.0 { 32e6 } else { 9.2e6 };
        let changes = play(&mut chooser, 300, cliff);
        assert_eq!(changes.len(), 2, "one trial and back: {changes:?}");
        assert_eq!(chooser.strategy(), Strategy::Stream);
    }

    #[test]
    fn pulses_that_get_slow_give_way_to_a_stream() {
        let mut chooser = Chooser::new(Strategy::Pulse, Strategy::Stream);
        let minds_flushes = |strategy, second: f64, _| match strategy {
            Strategy::Pulse if second > 20.0 => 2e6,
            _ => 17e6,
        };
        let changes = play(&mut chooser, 100, minds_flushes);
        assert_eq!(changes.len(), 1);
        assert_eq!(chooser.strategy(), Strategy::Stream);
    }
}
