use gettextrs::gettext;

use super::view::WritingView;
use crate::tasks::{JobState, Phase, Wording};
use crate::ui::text::tr;

/// What one of several sticks shows while the job is under way, as text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StickView {
    /// What is being done, how much is on it, how fast; or how it ended.
    pub(super) text: String,
    /// The share of the whole job, 0 to 1; `None` once this stick has ended otherwise than well.
    pub(super) fraction: Option<f64>,
    /// How it ended, once it has.
    pub(super) icon: Option<&'static str>,
}

impl StickView {
    pub(super) fn of(state: &JobState) -> Self {
        let ended = |text, fraction, icon| Self {
            text,
            fraction,
            icon: Some(icon),
        };
        match state {
            JobState::Running { phase, .. } => {
                let view = WritingView::of(state);
                let text = view.as_ref().map(|view| line(view, *phase));
                Self {
                    text: text.unwrap_or_default(),
                    fraction: Some(view.map_or(0.0, |view| view.fraction)),
                    icon: None,
                }
            }
            JobState::Done(report) if report.safe_to_unplug => ended(
                gettext("Safe to unplug"),
                Some(1.0),
                "object-select-symbolic",
            ),
            JobState::Done(_) => ended(
                gettext("Before you unplug the stick, eject it in the file manager."),
                Some(1.0),
                "dialog-warning-symbolic",
            ),
            JobState::Failed(failure, _) => ended(
                tr(&Wording::of_failure(failure)),
                None,
                "dialog-error-symbolic",
            ),
            JobState::Cancelled(_) => ended(gettext("Stopped"), None, "process-stop-symbolic"),
        }
    }
}

/// The amount stands for the phase while writing: it is what matters then.
fn line(view: &WritingView, phase: Phase) -> String {
    let is_written = phase == Phase::Writing && !view.cancelling && !view.amount.is_empty();
    let first = if is_written {
        &view.amount
    } else {
        &view.phase
    };
    let parts = [first, &view.pace].into_iter();
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).cloned().collect();
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Event, Failure, Kind, Report};
    use crate::ui::testing::progress;

    fn state(phase: Phase) -> JobState {
        let mut totals = progress(213_999_999, 429_265_824);
        totals.phase = phase;
        totals.bytes_per_second = 4_280_000.0;
        let mut state = JobState::default();
        state.take(Event::Phase(phase), false);
        state.take(Event::Progress(totals), false);
        state
    }

    #[test]
    fn a_stick_under_way_tells_its_own_amount_and_speed() {
        let view = StickView::of(&state(Phase::Writing));
        assert_eq!(view.text, "213 of 429 MB on the stick · 4.2 MB/s");
        assert!(view.fraction.is_some_and(|share| share < 0.5) && view.icon.is_none());
        let checking = StickView::of(&state(Phase::Checking));
        assert!(
            checking.text.starts_with("Checking… · 0 B checked"),
            "{checking:?}"
        );
        let mut stopping = state(Phase::Writing);
        stopping.cancel_asked();
        assert_eq!(StickView::of(&stopping).text, "Stopping…");
    }

    #[test]
    fn a_stick_that_has_ended_says_how_while_others_go_on() {
        let end = |event| {
            let mut state = state(Phase::Writing);
            state.take(event, false);
            StickView::of(&state)
        };
        let mut report = Report::default();
        assert!(!end(Event::Done(report.clone())).text.contains("Safe"));
        report.safe_to_unplug = true;
        let done = end(Event::Done(report.clone()));
        assert_eq!(
            (done.text.as_str(), done.fraction),
            ("Safe to unplug", Some(1.0))
        );
        let failure = Failure::new(Kind::TargetGone, "");
        let failed = end(Event::Failed(failure, Report::default()));
        assert!(failed.text.contains("no longer answers"), "{failed:?}");
        assert_eq!(failed.fraction, None);
    }
}
