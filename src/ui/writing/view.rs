use gettextrs::gettext;

use super::details::details;
use crate::tasks::{JobState, Phase, Progress, shown};
use crate::ui::text::{amount, gettext_f, ngettext_f, rate, size, stalled, time_left};

/// All that the page shows of a job under way, as text.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::ui) struct WritingView {
    /// What is being done.
    pub(in crate::ui) phase: String,
    /// The number that matters: confirmed bytes. May be empty; a sentence while there is none.
    pub(in crate::ui) amount: String,
    /// Speed and time left, or that the stick is silent; may be empty.
    pub(in crate::ui) pace: String,
    /// The file being worked on; may be empty.
    pub(in crate::ui) current: String,
    /// For the curious: names and values.
    pub(in crate::ui) details: Vec<(String, String)>,
    /// The share of the whole job, 0 to 1.
    pub(in crate::ui) fraction: f64,
    /// Whether stopping has been asked for.
    pub(in crate::ui) cancelling: bool,
}

impl WritingView {
    /// `None` once the job has ended.
    pub(in crate::ui) fn of(state: &JobState) -> Option<Self> {
        let JobState::Running {
            phase,
            progress,
            cancelling,
            fraction,
        } = state
        else {
            return None;
        };
        let progress = progress.as_ref();
        let doing = match progress {
            // No event of its own begins this one.
            Some(progress) if *phase == Phase::Preparing => progress.phase,
            _ => *phase,
        };
        Some(Self {
            phase: if *cancelling {
                gettext("Stopping…")
            } else {
                phase_text(doing)
            },
            amount: if doing == Phase::Asking {
                // Until a person has answered no number matters.
                gettext("Nothing has been written yet.")
            } else {
                // Before the first totals nothing is known, and a number would be a guess.
                progress
                    .filter(|progress| progress.total.is_some() || progress.confirmed > 0)
                    .map(amount_text)
                    .unwrap_or_default()
            },
            pace: progress
                .map(|progress| pace(*phase, progress, *cancelling))
                .unwrap_or_default(),
            current: progress
                .filter(|_| works_on_files(*phase) && !cancelling)
                .and_then(|progress| progress.current.as_deref())
                .map(|path| shown(&path.to_string_lossy()))
                .unwrap_or_default(),
            details: progress.map(details).unwrap_or_default(),
            fraction: *fraction,
            cancelling: *cancelling,
        })
    }
}

fn phase_text(phase: Phase) -> String {
    match phase {
        Phase::Preparing => gettext("Preparing…"),
        Phase::Asking => gettext("Waiting for the password…"),
        Phase::Probing => gettext("Getting to know the stick…"),
        Phase::Formatting => gettext("Formatting…"),
        Phase::Writing => gettext("Writing…"),
        Phase::Checking => gettext("Checking…"),
        Phase::Finishing => gettext("Finishing… Please don’t unplug."),
    }
}

fn amount_text(progress: &Progress) -> String {
    if progress.total != Some(0) {
        return amount(progress.confirmed, progress.total);
    }
    // All files are empty: bytes would say nothing.
    ngettext_f(
        "{done} of {count} file on the stick",
        "{done} of {count} files on the stick",
        progress.items_total,
        &[("done", &progress.items_done.to_string())],
    )
}

fn works_on_files(phase: Phase) -> bool {
    matches!(phase, Phase::Writing | Phase::Checking)
}

fn pace(phase: Phase, progress: &Progress, cancelling: bool) -> String {
    if let Some(silence) = stalled(progress.stalled_ms) {
        return silence;
    }
    if cancelling || !works_on_files(phase) {
        return String::new();
    }
    let mut parts = Vec::new();
    if phase == Phase::Checking {
        parts.push(gettext_f(
            "{size} checked",
            &[("size", &size(progress.checked))],
        ));
    }
    if progress.bytes_per_second > 0.0 {
        parts.push(rate(progress.bytes_per_second));
    }
    if progress.slower {
        // Translators: follows the speed: the stick takes what is written more slowly now
        parts.push(gettext("slower than before"));
    }
    parts.extend(progress.seconds_left.map(time_left));
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Event, Report};
    use crate::ui::testing::progress;

    fn running(phase: Phase, change: impl FnOnce(&mut Progress)) -> JobState {
        let mut totals = progress(213_999_999, 429_265_824);
        totals.phase = phase;
        change(&mut totals);
        let mut state = JobState::default();
        state.take(Event::Phase(phase), true);
        state.take(Event::Progress(totals), true);
        state
    }

    fn view(state: &JobState) -> WritingView {
        WritingView::of(state).expect("the job should be under way")
    }

    #[test]
    fn writing_counts_what_the_stick_confirmed() {
        let view = view(&running(Phase::Writing, |progress| {
            progress.accepted = 240_000_000;
            progress.bytes_per_second = 4_280_000.0;
            progress.seconds_left = Some([250.0, 350.0]);
            progress.current = Some("films/film.mkv".into());
        }));
        assert_eq!(view.phase, "Writing…");
        assert_eq!(view.amount, "213 of 429 MB on the stick");
        assert_eq!(view.pace, "4.2 MB/s · about 4–6 minutes left");
        assert_eq!(view.current, "films/film.mkv");
    }

    #[test]
    fn it_says_that_it_waits_for_the_password() {
        let mut state = running(Phase::Preparing, |progress| progress.phase = Phase::Asking);
        assert_eq!(view(&state).phase, "Waiting for the password…");
        assert_eq!(view(&state).amount, "Nothing has been written yet.");
        state.take(Event::Phase(Phase::Writing), true);
        assert_eq!(view(&state).phase, "Writing…");
    }

    #[test]
    fn empty_files_are_counted_as_files() {
        let view = view(&running(Phase::Writing, |progress| {
            (progress.confirmed, progress.total) = (0, Some(0));
            (progress.items_done, progress.items_total) = (3, 12);
        }));
        assert_eq!(view.amount, "3 of 12 files on the stick");
    }

    #[test]
    fn nothing_is_claimed_before_it_is_known() {
        let view = view(&JobState::default());
        assert_eq!(view.phase, "Preparing…");
        assert_eq!((view.amount.as_str(), view.pace.as_str()), ("", ""));
        assert!(view.fraction.abs() < f64::EPSILON);
    }

    #[test]
    fn a_silent_stick_is_told_instead_of_a_speed() {
        let view = view(&running(Phase::Writing, |progress| {
            progress.bytes_per_second = 1.0;
            progress.stalled_ms = 7_200;
        }));
        assert_eq!(view.pace, "The stick has not answered for 7 seconds");
    }

    #[test]
    fn a_stick_that_has_become_slow_is_told_beside_its_speed() {
        let view = view(&running(Phase::Writing, |progress| {
            progress.bytes_per_second = 9_200_000.0;
            progress.slower = true;
        }));
        assert_eq!(view.pace, "9.2 MB/s · slower than before");
    }

    #[test]
    fn checking_and_finishing_are_told() {
        let checking = view(&running(Phase::Checking, |progress| {
            progress.checked = 12_300_000;
            progress.bytes_per_second = 24_000_000.0;
        }));
        assert_eq!(checking.pace, "12.3 MB checked · 24.0 MB/s");
        let finishing = view(&running(Phase::Finishing, |progress| {
            progress.bytes_per_second = 24_000_000.0;
        }));
        assert_eq!(finishing.phase, "Finishing… Please don’t unplug.");
        assert_eq!(finishing.pace, "");
    }

    #[test]
    fn stopping_is_shown_at_once_and_the_end_is_no_part_of_it() {
        let mut state = running(Phase::Writing, |_| {});
        state.cancel_asked();
        assert_eq!(view(&state).phase, "Stopping…");
        assert!(view(&state).cancelling);
        state.take(Event::Cancelled(Report::default()), true);
        assert_eq!(WritingView::of(&state), None);
    }
}
