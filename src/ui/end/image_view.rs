//! The end of an image's job: on one stick, or on several with an end for each.

use gettextrs::gettext;

use super::stick_end::StickEnd;
use super::view::{EndView, checked_text, details, eject_first, sentence, unplug_line};
use crate::tasks::{Failure, ImageLeft, JobState, Kind, Report, Wording};
use crate::ui::text::{gettext_f, ngettext_f, rate, size, tr};

const WELL: &str = "object-select-symbolic";
const WARNING: &str = "dialog-warning-symbolic";
const FAILED: &str = "dialog-error-symbolic";
const STOPPED: &str = "process-stop-symbolic";

impl EndView {
    /// `None` while any stick is being written. `image`: the name of its file.
    pub(super) fn of_image(image: &str, sticks: &[String], states: &[JobState]) -> Option<Self> {
        if states.iter().any(JobState::is_busy) {
            return None;
        }
        match (sticks, states) {
            ([stick], [state]) => Some(of_one(image, stick, state)),
            _ => Some(of_several(image, sticks, states)),
        }
    }
}

fn of_one(image: &str, stick: &str, state: &JobState) -> EndView {
    let names = [("image", image), ("stick", stick)];
    let can_format = leaves_rubbish(state);
    match state {
        JobState::Done(report) if report.safe_to_unplug => EndView {
            icon: WELL,
            title: gettext("Safe to unplug"),
            description: gettext_f("“{image}” is on {stick}.", &names),
            facts: facts(report),
            ..EndView::default()
        },
        JobState::Done(report) => EndView {
            icon: WARNING,
            title: gettext("Written"),
            description: eject_first(),
            facts: facts(report),
            ..EndView::default()
        },
        JobState::Failed(failure, report) => EndView {
            icon: FAILED,
            title: gettext("Writing failed"),
            description: sentence(failure),
            lines: lines_after(failure, report.as_ref()),
            details: details(Some(failure), report.as_ref().unwrap_or(&Report::default())),
            can_try_again: true,
            can_format,
            ..EndView::default()
        },
        JobState::Cancelled(report) => {
            let mut lines: Vec<_> = Wording::of_rest(report).iter().map(tr).collect();
            if report.image_left != Some(ImageLeft::AsBefore) {
                lines.push(unplug_line(report));
            }
            EndView {
                icon: STOPPED,
                title: gettext("Stopped"),
                description: gettext("Writing was stopped before the end."),
                lines,
                can_try_again: true,
                can_format,
                ..EndView::default()
            }
        }
        JobState::Running { .. } => EndView::default(),
    }
}

fn of_several(image: &str, sticks: &[String], states: &[JobState]) -> EndView {
    let count = |is: fn(&JobState) -> bool| states.iter().filter(|state| is(state)).count() as u64;
    let all = states.len() as u64;
    let safe = count(|state| matches!(state, JobState::Done(report) if report.safe_to_unplug));
    let done = count(|state| matches!(state, JobState::Done(_)));
    let failed = count(|state| matches!(state, JobState::Failed(..)));
    let all_text = all.to_string();
    let (icon, title) = if safe == all {
        (WELL, gettext("Safe to unplug"))
    } else if done == all {
        (WARNING, gettext("Written"))
    } else if done > 0 {
        let title = ngettext_f(
            "{count} of {all} sticks is written",
            "{count} of {all} sticks are written",
            done,
            &[("all", &all_text)],
        );
        (WARNING, title)
    } else if failed > 0 {
        (FAILED, gettext("Writing failed"))
    } else {
        (STOPPED, gettext("Stopped"))
    };
    let on = ngettext_f(
        "“{image}” is on {count} stick.",
        "“{image}” is on {count} sticks.",
        done,
        &[("image", image)],
    );
    let ends = sticks.iter().zip(states);
    EndView {
        icon,
        title,
        description: on,
        sticks: ends.map(|(stick, state)| end_of(stick, state)).collect(),
        details: states.iter().map(details_of).collect(),
        can_try_again: done < all,
        can_format: states.iter().any(leaves_rubbish),
        ..EndView::default()
    }
}

fn end_of(stick: &str, state: &JobState) -> StickEnd {
    let (icon, lines) = match state {
        JobState::Done(report) => {
            let safe = report.safe_to_unplug;
            let first = if safe {
                gettext("Safe to unplug")
            } else {
                eject_first()
            };
            let mut figures = vec![checked_text(report)];
            figures.extend(speed(report));
            let lines = vec![first, figures.join(" · ")];
            (if safe { WELL } else { WARNING }, lines)
        }
        JobState::Failed(failure, report) => {
            let mut lines = vec![sentence(failure)];
            lines.extend(lines_after(failure, report.as_ref()));
            (FAILED, lines)
        }
        JobState::Cancelled(report) => {
            let mut lines = vec![gettext("Stopped")];
            lines.extend(Wording::of_rest(report).iter().map(tr));
            (STOPPED, lines)
        }
        JobState::Running { .. } => (STOPPED, Vec::new()),
    };
    StickEnd {
        icon,
        stick: stick.to_owned(),
        text: lines.join("\n"),
    }
}

/// What is on the stick, and whether it may be unplugged.
fn lines_after(failure: &Failure, report: Option<&Report>) -> Vec<String> {
    let Some(report) = report else {
        return vec![gettext("What is on the stick now is not known.")];
    };
    let rest = Wording::of_rest_after(failure, report);
    let mut lines: Vec<_> = rest.iter().map(tr).collect();
    // A stick that is gone is neither safe nor to be ejected, and one that was not touched is as
    // the person had it.
    let is_as_before = report.image_left == Some(ImageLeft::AsBefore);
    if report.safe_to_unplug || (failure.kind != Kind::TargetGone && !is_as_before) {
        lines.push(unplug_line(report));
    }
    lines
}

fn facts(report: &Report) -> Vec<(String, String)> {
    let mut facts = vec![
        (gettext("Written"), size(report.bytes)),
        (gettext("Checked"), checked_text(report)),
    ];
    if let Some(speed) = speed(report) {
        facts.push((gettext("Average speed"), speed));
    }
    facts
}

fn speed(report: &Report) -> Option<String> {
    (report.bytes_per_second > 0.0).then(|| rate(report.bytes_per_second))
}

fn details_of(state: &JobState) -> String {
    match state {
        JobState::Failed(failure, report) => {
            details(Some(failure), report.as_ref().unwrap_or(&Report::default()))
        }
        _ => String::new(),
    }
}

/// Whether the stick can't be used as it is now, though it still answers and formatting helps.
fn leaves_rubbish(state: &JobState) -> bool {
    let (is_beyond_help, report) = match state {
        JobState::Failed(failure, Some(report)) => (
            matches!(failure.kind, Kind::TargetGone | Kind::FakeCapacity),
            report,
        ),
        JobState::Cancelled(report) => (false, report),
        _ => return false,
    };
    let left = report.image_left;
    !is_beyond_help && left.is_some_and(|left| left != ImageLeft::AsBefore)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(safe_to_unplug: bool) -> Report {
        Report {
            safe_to_unplug,
            checked: true,
            bytes: 429_265_824,
            bytes_per_second: 15_300_000.0,
            ..Report::default()
        }
    }

    fn left(left: ImageLeft) -> Report {
        Report {
            image_left: Some(left),
            checked: false,
            ..report(false)
        }
    }

    fn view(states: &[JobState]) -> EndView {
        let names = ["Intenso", "SanDisk", "Kingston"].map(str::to_owned);
        EndView::of_image("debian.iso", &names[..states.len()], states).expect("an end")
    }

    #[test]
    fn one_stick_that_is_done_says_so_with_its_figures() {
        let view = view(&[JobState::Done(report(true))]);
        assert_eq!(view.title, "Safe to unplug");
        assert_eq!(view.description, "“debian.iso” is on Intenso.");
        let facts: Vec<_> = view.facts.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(
            facts,
            [
                "429 MB",
                "Read back from the stick, everything is the same",
                "15.3 MB/s"
            ]
        );
        assert!(!view.can_try_again && !view.can_format && view.details.is_empty());
    }

    #[test]
    fn a_half_written_stick_is_told_with_what_to_do() {
        let failure = Failure::new(Kind::IoError, "write: Input/output error");
        let view = view(&[JobState::Failed(failure, Some(left(ImageLeft::Incomplete)))]);
        assert_eq!(view.title, "Writing failed");
        assert!(
            view.lines[0].contains("only a part of the image"),
            "{view:?}"
        );
        assert!(view.can_try_again && view.can_format);
        assert!(view.details.contains("Input/output error"));
        assert!(!format!("{view:?}").contains("Safe"));
    }

    #[test]
    fn w04_on_a_fake_stick_another_is_what_helps() {
        let failure = Failure::new(Kind::FakeCapacity, "");
        let view = view(&[JobState::Failed(failure, Some(left(ImageLeft::Incomplete)))]);
        let all = format!("{view:?}");
        assert!(all.contains("Use another stick."), "{all}");
        // Trying again begins with choosing a stick.
        assert!(view.can_try_again && !view.can_format);
        assert!(!all.contains("image again"), "{all}");
    }

    #[test]
    fn a_stick_that_was_not_touched_is_left_in_peace() {
        let failure = Failure::new(Kind::Busy, "");
        for state in [
            JobState::Failed(failure, Some(left(ImageLeft::AsBefore))),
            JobState::Cancelled(left(ImageLeft::AsBefore)),
        ] {
            let view = view(&[state]);
            assert_eq!(view.lines, ["Nothing was written to the stick."]);
            assert!(view.can_try_again && !view.can_format);
        }
    }

    #[test]
    fn of_several_each_has_its_own_end() {
        let failure = Failure::new(Kind::TargetGone, "write: No such device");
        let mut unchecked = report(true);
        unchecked.checked = false;
        let view = view(&[
            JobState::Done(report(true)),
            JobState::Done(unchecked),
            JobState::Failed(failure, Some(left(ImageLeft::Incomplete))),
        ]);
        assert_eq!(view.title, "2 of 3 sticks are written");
        assert_eq!(view.description, "“debian.iso” is on 2 sticks.");
        let [good, other, bad] = view.sticks.as_slice() else {
            panic!("{view:?}")
        };
        assert_eq!(
            good.text,
            "Safe to unplug\nRead back from the stick, everything is the same · 15.3 MB/s"
        );
        assert!(other.text.contains("Not checked"));
        assert_eq!(bad.stick, "Kingston");
        assert!(bad.text.contains("only a part of the image"));
        assert!(!bad.text.contains("Safe to unplug") && !bad.text.contains("eject"));
        assert!(view.can_try_again && !view.can_format);
    }

    #[test]
    fn nothing_ends_while_one_stick_is_written() {
        let states = [JobState::Done(report(true)), JobState::default()];
        let names = ["a", "b"].map(str::to_owned);
        assert_eq!(EndView::of_image("debian.iso", &names, &states), None);
    }

    #[test]
    fn all_that_are_done_are_safe_only_where_each_is() {
        let all = |safe| view(&[JobState::Done(report(true)), JobState::Done(report(safe))]);
        assert_eq!(all(true).title, "Safe to unplug");
        assert_eq!(all(false).title, "Written");
        let stopped = JobState::Cancelled(left(ImageLeft::Incomplete));
        assert_eq!(view(&[stopped.clone(), stopped]).title, "Stopped");
    }
}
