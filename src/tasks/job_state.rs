use super::{Event, Failure, Kind, Phase, Progress, Report};

/// What a job is, as its events tell it: the one state that a window or a terminal shows.
#[derive(Debug, Clone, PartialEq)]
pub enum JobState {
    /// Under way.
    Running {
        /// What it is doing.
        phase: Phase,
        /// The last totals.
        progress: Option<Progress>,
        /// Whether the person has asked to stop.
        cancelling: bool,
        /// The share of the whole job that is done, 0 to 1; never falls, 1 only at the end.
        fraction: f64,
    },
    /// Done; perhaps with notes and failed items.
    Done(Report),
    /// Failed. Without a report the job ended without a last word.
    Failed(Failure, Option<Report>),
    /// Stopped because the person wanted it.
    Cancelled(Report),
}

/// Reading back is counted as half the work of writing: sticks read faster than they write.
const CHECK_WEIGHT: f64 = 0.5;
/// What the last flush, unmounting and switching off are counted as.
const FINISH_SHARE: f64 = 0.01;

impl Default for JobState {
    fn default() -> Self {
        Self::Running {
            phase: Phase::Preparing,
            progress: None,
            cancelling: false,
            fraction: 0.0,
        }
    }
}

impl JobState {
    /// Whether the job still works.
    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Running { .. })
    }

    /// The person has asked to stop.
    pub fn cancel_asked(&mut self) {
        if let Self::Running { cancelling, .. } = self {
            *cancelling = true;
        }
    }

    /// Takes in one event. `checks`: whether the job reads back what it writes. After the last
    /// event nothing changes any more.
    pub fn take(&mut self, event: Event, checks: bool) {
        let Self::Running {
            phase,
            progress,
            fraction,
            ..
        } = self
        else {
            return;
        };
        match event {
            Event::Problem(_) => {}
            Event::Phase(begun) => *phase = begun,
            Event::Progress(totals) => {
                *fraction = share(&totals, checks).max(*fraction);
                *progress = Some(totals);
            }
            Event::Done(report) => *self = Self::Done(report),
            Event::Failed(failure, report) => *self = Self::Failed(failure, Some(report)),
            Event::Cancelled(report) => *self = Self::Cancelled(report),
        }
    }

    /// The stream was closed: without a last event that is a failure.
    pub fn closed(&mut self) {
        if self.is_busy() {
            *self = Self::Failed(
                Failure::new(Kind::IoError, "the job ended without a last word"),
                None,
            );
        }
    }
}

/// The share of the whole job. Never ahead of the bytes that the stick confirmed.
fn share(progress: &Progress, checks: bool) -> f64 {
    let weight = if checks { CHECK_WEIGHT } else { 0.0 };
    let checked = match progress.total {
        // Without bytes there is nothing to check.
        Some(0) => progress.share,
        Some(total) => (progress.checked as f64 / total as f64).min(1.0),
        // Known at the latest when all is written, and so before the check.
        None => 0.0,
    };
    let work = (progress.share + weight * checked) / (1.0 + weight);
    work * (1.0 - FINISH_SHARE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(confirmed: u64, checked: u64) -> Event {
        Event::Progress(Progress {
            phase: Phase::Writing,
            accepted: confirmed,
            confirmed,
            durable: 0,
            checked,
            kept: 0,
            share: confirmed as f64 / 1_000.0,
            total: Some(1_000),
            items_done: 0,
            items_total: 1,
            current: None,
            bytes_per_second: 0.0,
            seconds_left: None,
            slower: false,
            stalled_ms: 0,
        })
    }

    fn fraction(state: &JobState) -> f64 {
        match state {
            JobState::Running { fraction, .. } => *fraction,
            _ => 1.0,
        }
    }

    #[test]
    fn the_bar_never_falls_and_is_never_ahead_of_the_job() {
        let mut state = JobState::default();
        let mut last = 0.0;
        for (confirmed, checked) in [(0, 0), (500, 0), (400, 0), (1_000, 0), (1_000, 1_000)] {
            state.take(progress(confirmed, checked), true);
            let now = fraction(&state);
            assert!(now >= last, "fell from {last} to {now}");
            assert!(now < 1.0);
            last = now;
        }
        let mut unchecked = JobState::default();
        unchecked.take(progress(500, 0), false);
        assert!(fraction(&unchecked) <= 0.5);
    }

    #[test]
    fn i02_where_the_total_is_not_known_the_check_keeps_its_part_of_the_bar() {
        let mut state = JobState::default();
        let mut last = 0.0;
        let steps = [(250, 0, None), (1_000, 0, None), (1_000, 0, Some(1_000))];
        for (confirmed, checked, total) in [&steps[..], &[(1_000, 999, Some(1_000))]].concat() {
            let Event::Progress(mut totals) = progress(confirmed, checked) else {
                unreachable!("it is progress")
            };
            totals.total = total;
            state.take(Event::Progress(totals), true);
            assert!(fraction(&state) >= last && (checked > 0 || fraction(&state) < 0.7));
            last = fraction(&state);
        }
        assert!(last > 0.9);
    }

    #[test]
    fn a_closed_stream_without_a_last_event_is_a_failure() {
        let mut state = JobState::default();
        state.take(progress(1_000, 0), false);
        state.closed();
        assert!(matches!(state, JobState::Failed(_, None)));
    }

    #[test]
    fn late_events_change_nothing() {
        let mut state = JobState::default();
        let failure = Failure::new(Kind::TargetGone, "");
        state.take(Event::Failed(failure, Report::default()), false);
        let ended = state.clone();
        state.take(progress(10, 0), false);
        state.cancel_asked();
        state.closed();
        assert_eq!(state, ended);
    }
}
