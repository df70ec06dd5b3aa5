use gettextrs::gettext;

use super::stick_end::StickEnd;
use crate::tasks::{Failure, JobState, Kind, Report, Wording, shown, shown_message};
use crate::ui::text::{ngettext_f, rate, size, tr};

/// All that the page shows of a job that has ended, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct EndView {
    pub(super) icon: &'static str,
    pub(super) title: String,
    pub(super) description: String,
    /// What it is, and its value.
    pub(super) facts: Vec<(String, String)>,
    /// Sentences on what is on the stick now, and on what did not go as it should.
    pub(super) lines: Vec<String>,
    /// How it ended on each stick, where there are several.
    pub(super) sticks: Vec<StickEnd>,
    /// For whoever helps; empty when nothing failed.
    pub(super) details: String,
    /// Whether trying again with the same files makes sense.
    pub(super) can_try_again: bool,
    /// Whether a stick is left that has to be formatted before anything else is done with it.
    pub(super) can_format: bool,
}

impl EndView {
    /// `None` while the job works. `stick`: what people call it.
    pub(super) fn of(state: &JobState, stick: &str) -> Option<Self> {
        match state {
            JobState::Running { .. } => None,
            JobState::Done(report) => Some(Self::done(report, stick)),
            JobState::Failed(failure, report) => Some(Self::failed(failure, report.as_ref())),
            JobState::Cancelled(report) => Some(Self::cancelled(report)),
        }
    }

    fn done(report: &Report, stick: &str) -> Self {
        let failed = report.failed_items.len() as u64;
        let safe = report.safe_to_unplug;
        let written = ngettext_f(
            "{count} file is on {stick}.",
            "{count} files are on {stick}.",
            report.on_stick.complete.len() as u64,
            &[("stick", stick)],
        );
        let description = if failed > 0 {
            ngettext_f(
                "{count} file could not be copied.",
                "{count} files could not be copied.",
                failed,
                &[],
            )
        } else if safe {
            written.clone()
        } else {
            eject_first()
        };
        let mut lines = some_of(&report.failed_items, sentence);
        lines.extend(some_of(&report.notes, sentence));
        lines.extend(some_of(&report.renamed, |renamed| {
            tr(&Wording::of_renamed(renamed))
        }));
        if failed > 0 || !report.on_stick.skipped.is_empty() {
            lines.extend(Wording::of_rest(report).iter().map(tr));
        }
        if failed > 0 && !safe {
            lines.push(eject_first());
        }
        Self {
            icon: if failed == 0 && safe {
                "object-select-symbolic"
            } else {
                "dialog-warning-symbolic"
            },
            title: if safe {
                gettext("Safe to unplug")
            } else {
                gettext("Copied")
            },
            description,
            facts: facts(report),
            lines,
            details: details(None, report),
            can_try_again: failed > 0,
            ..Self::default()
        }
    }

    fn failed(failure: &Failure, report: Option<&Report>) -> Self {
        let mut lines = Vec::new();
        if let Some(report) = report {
            // The failure itself is told already.
            let others = report.failed_items.iter().chain(&report.notes);
            lines.extend(others.filter(|other| *other != failure).map(sentence));
            lines.extend(Wording::of_rest(report).iter().map(tr));
            // A stick that is gone is neither safe nor to be ejected.
            if report.safe_to_unplug || failure.kind != Kind::TargetGone {
                lines.push(unplug_line(report));
            }
        } else {
            lines.push(gettext("What is on the stick now is not known."));
        }
        Self {
            icon: "dialog-error-symbolic",
            title: gettext("Copying failed"),
            description: sentence(failure),
            lines,
            details: details(Some(failure), report.unwrap_or(&Report::default())),
            can_try_again: true,
            ..Self::default()
        }
    }

    fn cancelled(report: &Report) -> Self {
        let mut lines: Vec<_> = Wording::of_rest(report).iter().map(tr).collect();
        lines.push(unplug_line(report));
        Self {
            icon: "process-stop-symbolic",
            title: gettext("Stopped"),
            description: gettext("Copying was stopped before the end."),
            lines,
            can_try_again: true,
            ..Self::default()
        }
    }
}

fn facts(report: &Report) -> Vec<(String, String)> {
    let kept = report.on_stick.kept.len() as u64;
    let files = report.on_stick.complete.len() as u64 - kept;
    let mut facts = vec![
        (
            gettext("Written"),
            ngettext_f(
                "{count} file, {size}",
                "{count} files, {size}",
                files,
                &[("size", &size(report.bytes))],
            ),
        ),
        (gettext("Checked"), checked_text(report)),
    ];
    if kept > 0 {
        facts.push((
            gettext("Already there"),
            ngettext_f("{count} file", "{count} files", kept, &[]),
        ));
    }
    if report.bytes_per_second > 0.0 {
        facts.push((gettext("Average speed"), rate(report.bytes_per_second)));
    }
    facts
}

pub(super) fn checked_text(report: &Report) -> String {
    if report.checked {
        gettext("Read back from the stick, everything is the same")
    } else {
        gettext("Not checked")
    }
}

/// A line each, as far as anybody reads them.
fn some_of<T>(items: &[T], line: impl Fn(&T) -> String) -> Vec<String> {
    const SHOWN: usize = 50;
    let mut lines: Vec<_> = items.iter().take(SHOWN).map(line).collect();
    let hidden = items.len().saturating_sub(SHOWN) as u64;
    if hidden > 0 {
        lines.push(ngettext_f(
            "and {count} more",
            "and {count} more",
            hidden,
            &[],
        ));
    }
    lines
}

pub(super) fn sentence(failure: &Failure) -> String {
    tr(&Wording::of_failure(failure))
}

pub(super) fn unplug_line(report: &Report) -> String {
    if report.safe_to_unplug {
        gettext("The stick can be unplugged now.")
    } else {
        eject_first()
    }
}

pub(super) fn eject_first() -> String {
    gettext("Before you unplug the stick, eject it in the file manager.")
}

/// In the system's own words, not translated: it is for whoever helps.
pub(super) fn details(failure: Option<&Failure>, report: &Report) -> String {
    let mut details = String::new();
    let failures = failure
        .into_iter()
        .chain(&report.failed_items)
        .chain(&report.notes);
    for failure in failures {
        let Failure {
            kind, path, detail, ..
        } = failure;
        let path = shown(&path.as_deref().unwrap_or("".as_ref()).to_string_lossy());
        let detail = shown_message(detail);
        details += &format!("{kind:?} {path} {detail}\n");
    }
    if !details.is_empty() {
        details += &format!(
            "strategy {}, {} bytes in {:.1} s, at most {} unconfirmed\n",
            report.strategy, report.bytes, report.write_seconds, report.peak_unconfirmed
        );
    }
    details
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{OnStick, Renamed};

    fn report(safe_to_unplug: bool) -> Report {
        Report {
            safe_to_unplug,
            checked: true,
            bytes: 429_265_824,
            bytes_per_second: 4_280_000.0,
            on_stick: OnStick {
                complete: vec!["film.mkv".into()],
                ..OnStick::default()
            },
            ..Report::default()
        }
    }

    fn view(state: &JobState) -> EndView {
        EndView::of(state, "Intenso Rainbow Line").expect("the job should have ended")
    }

    fn all_text(view: &EndView) -> String {
        format!("{view:?}")
    }

    #[test]
    fn done_and_proven_says_safe_to_unplug() {
        let view = view(&JobState::Done(report(true)));
        assert_eq!(view.title, "Safe to unplug");
        assert_eq!(view.description, "1 file is on Intenso Rainbow Line.");
        let facts: Vec<_> = view.facts.iter().map(|(_, value)| value.as_str()).collect();
        assert_eq!(
            facts,
            [
                "1 file, 429 MB",
                "Read back from the stick, everything is the same",
                "4.2 MB/s"
            ]
        );
        assert!(view.lines.is_empty() && view.details.is_empty());
    }

    #[test]
    fn without_proof_nothing_says_safe() {
        let failure = Failure::new(Kind::IoError, "write: Input/output error");
        for state in [
            JobState::Done(report(false)),
            JobState::Failed(failure.clone(), Some(report(false))),
            JobState::Failed(failure, None),
            JobState::Cancelled(report(false)),
        ] {
            let text = all_text(&view(&state));
            assert!(!text.contains("Safe"), "{text}");
            assert!(!text.contains("can be unplugged"), "{text}");
        }
        assert_eq!(
            view(&JobState::Done(report(false))).description,
            "Before you unplug the stick, eject it in the file manager."
        );
    }

    #[test]
    fn not_checked_is_never_called_checked() {
        let mut unchecked = report(true);
        unchecked.checked = false;
        let text = all_text(&view(&JobState::Done(unchecked)));
        assert!(text.contains("Not checked"));
        assert!(!text.contains("same"));
    }

    #[test]
    fn failed_items_are_listed_though_the_rest_is_done() {
        let mut done = report(true);
        done.failed_items = vec![Failure {
            path: Some("/music/a.ogg".into()),
            ..Failure::new(Kind::Unreadable, "open: Permission denied")
        }];
        let view = view(&JobState::Done(done));
        assert_eq!(view.description, "1 file could not be copied.");
        assert_eq!(
            view.lines,
            ["“a.ogg” can’t be read.", "1 file is complete on the stick."]
        );
        assert!(view.details.contains("Permission denied"));
        assert!(view.can_try_again);
    }

    #[test]
    fn a_failure_says_what_is_on_the_stick() {
        let failure = Failure::new(Kind::TargetGone, "write: No such device");
        let mut left = report(false);
        left.on_stick.missing = vec!["b".into()];
        let view = view(&JobState::Failed(failure, Some(left)));
        assert_eq!(
            view.lines,
            [
                "1 file is complete on the stick.",
                "1 file is not on the stick."
            ]
        );
        assert!(!view.description.contains("No such device"));
        assert!(view.details.contains("No such device"));
    }

    #[test]
    fn a_failure_is_told_once() {
        let failure = Failure {
            path: Some("film.mkv".into()),
            ..Failure::new(Kind::VerifyMismatch, "")
        };
        let mut left = report(false);
        left.failed_items = vec![failure.clone()];
        let view = view(&JobState::Failed(failure, Some(left)));
        assert!(!view.lines.contains(&view.description), "{view:?}");
    }

    #[test]
    fn what_was_there_and_what_is_called_otherwise_is_told() {
        let mut done = report(true);
        done.on_stick.kept = done.on_stick.complete.clone();
        let renamed = |number: usize| Renamed {
            source: format!("/m/a?{number}").into(),
            target: format!("m/a_{number}").into(),
        };
        done.renamed = (0..53).map(renamed).collect();
        let view = EndView::of(&JobState::Done(done), "Stick").expect("an end");
        assert!(view.facts.iter().any(|(title, _)| title == "Already there"));
        assert_eq!(view.lines[0], "“a?0” is called “a_0” on the stick.");
        assert_eq!(view.lines[50], "and 3 more");
    }
}
