use std::time::{Duration, Instant};

use super::view::WritingView;

/// Between two tellings of the progress.
const SELDOM: Duration = Duration::from_secs(10);

/// What a screen reader was told of a job, so that it neither stays silent nor reads out each step:
/// each thing that is begun, and in between now and then how far it is.
#[derive(Debug, Default, Clone, PartialEq)]
pub(in crate::ui) struct Spoken {
    phase: String,
    /// Tenths of the job that were behind.
    tenths: u32,
    last: Option<Instant>,
}

impl Spoken {
    /// What is to be told now, if anything is.
    pub(in crate::ui) fn next(&mut self, view: &WritingView, now: Instant) -> Option<String> {
        let tenths = (view.fraction * 10.0) as u32;
        let said = if self.phase != view.phase {
            self.phase.clone_from(&view.phase);
            view.phase.clone()
        } else if tenths > self.tenths && self.is_long_ago(now) && !view.amount.is_empty() {
            format!("{}, {}", view.phase, view.amount)
        } else {
            return None;
        };
        self.tenths = tenths;
        self.last = Some(now);
        Some(said)
    }

    fn is_long_ago(&self, now: Instant) -> bool {
        self.last
            .is_none_or(|last| now.saturating_duration_since(last) >= SELDOM)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(phase: &str, fraction: f64) -> WritingView {
        WritingView {
            phase: phase.into(),
            amount: format!("{:.0} of 100 MB on the stick", fraction * 100.0),
            pace: String::new(),
            current: String::new(),
            details: Vec::new(),
            fraction,
            cancelling: false,
        }
    }

    /// What is told of a job of so many seconds with 20 events in each.
    fn told(seconds: u64) -> Vec<String> {
        let (begun, mut spoken) = (Instant::now(), Spoken::default());
        let steps = seconds * 20;
        let mut told = Vec::new();
        for step in 0..=steps {
            let share = step as f64 / steps as f64;
            let phase = match share {
                share if share < 0.01 => "Preparing…",
                share if share < 0.7 => "Writing…",
                share if share < 0.99 => "Checking…",
                _ => "Finishing…",
            };
            let now = begun + Duration::from_millis(50 * step);
            told.extend(spoken.next(&view(phase, share), now));
        }
        told
    }

    #[test]
    fn x08_each_beginning_is_told_once_and_the_progress_seldom() {
        let quick = told(5);
        assert_eq!(quick, ["Preparing…", "Writing…", "Checking…", "Finishing…"]);
        let minute = told(60);
        assert!((6..=10).contains(&minute.len()), "{minute:#?}");
        assert!(
            minute[2].starts_with("Writing…, ") && minute[2].ends_with(" MB on the stick"),
            "{minute:#?}"
        );
        let hour = told(3600);
        assert!((10..=15).contains(&hour.len()), "{hour:#?}");
    }

    #[test]
    fn nothing_is_told_twice_while_nothing_moves() {
        let (begun, mut spoken) = (Instant::now(), Spoken::default());
        let still = view("Writing…", 0.5);
        assert!(spoken.next(&still, begun).is_some());
        let later = begun + Duration::from_mins(10);
        assert_eq!(spoken.next(&still, later), None);
    }
}
