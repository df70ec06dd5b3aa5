use std::collections::VecDeque;
use std::time::Duration;

use super::Strategy;

/// Below this share of the best rate seen, something is wrong.
const FALLEN: f64 = 0.6;
/// A trial must gain that much to be kept.
const GAIN: f64 = 1.1;
/// Rates are taken over this time.
const SPAN: Duration = Duration::from_secs(1);
/// A rate that stays fallen so long is no accident.
const PATIENCE: Duration = Duration::from_secs(2);
/// A trial lasts so long; its first [`SPAN`] does not count.
const TRIAL: Duration = Duration::from_secs(3);
/// From the end of a trial that gained nothing to the next.
const REST: Duration = Duration::from_secs(20);

/// Starts with one strategy, tries the other when the rate falls far below the best seen, and
/// keeps what is faster. Pure: times and bytes are handed in.
#[derive(Debug, Clone)]
pub struct Chooser {
    strategy: Strategy,
    /// Of the last [`SPAN`] and one before, under the strategy in use.
    samples: VecDeque<(Duration, u64)>,
    best: f64,
    fallen_since: Option<Duration>,
    trial: Option<Trial>,
    rest_until: Duration,
}

#[derive(Debug, Clone, Copy)]
struct Trial {
    before: f64,
    began: Duration,
    /// The first sample that counts.
    from: Option<(Duration, u64)>,
}

impl Chooser {
    /// Begins with that strategy.
    pub fn new(strategy: Strategy) -> Self {
        Self {
            strategy,
            samples: VecDeque::new(),
            best: 0.0,
            fallen_since: None,
            trial: None,
            rest_until: Duration::ZERO,
        }
    }

    /// The strategy in use.
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Takes what was confirmed by then; time stands still during checkpoints. Says the strategy
    /// to use from now on.
    pub fn observe(&mut self, at: Duration, confirmed: u64) -> Strategy {
        if let Some(trial) = self.trial {
            self.judge(trial, at, confirmed);
        } else if let Some(rate) = self.rate(at, confirmed) {
            self.watch(at, rate);
        }
        self.strategy
    }

    fn watch(&mut self, at: Duration, rate: f64) {
        self.best = self.best.max(rate);
        if rate >= FALLEN * self.best {
            self.fallen_since = None;
            return;
        }
        let since = *self.fallen_since.get_or_insert(at);
        if at.saturating_sub(since) >= PATIENCE && at >= self.rest_until {
            self.trial = Some(Trial {
                before: rate,
                began: at,
                from: None,
            });
            self.switch();
        }
    }

    fn judge(&mut self, mut trial: Trial, at: Duration, confirmed: u64) {
        if at.saturating_sub(trial.began) < SPAN {
            return;
        }
        let from = *trial.from.get_or_insert((at, confirmed));
        self.trial = Some(trial);
        if at.saturating_sub(trial.began) < TRIAL || at <= from.0 {
            return;
        }
        let rate = (confirmed - from.1) as f64 / (at - from.0).as_secs_f64();
        if rate < GAIN * trial.before {
            self.switch();
            self.rest_until = at + REST;
        }
        // What both have come to is the measure from now on: a cliff is no fault of either.
        self.best = rate.max(trial.before);
        self.trial = None;
    }

    fn switch(&mut self) {
        self.strategy = match self.strategy {
            Strategy::Stream => Strategy::Pulse,
            Strategy::Pulse => Strategy::Stream,
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
