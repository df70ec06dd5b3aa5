use gettextrs::gettext;

use crate::tasks::{CheckFound, Failure, JobState, Kind, Report, Wording};
use crate::ui::graph::{Curve, Point};
use crate::ui::text::tr;

/// How a check ended: text, and the curve.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct CheckEnd {
    pub(super) icon: &'static str,
    pub(super) title: String,
    pub(super) description: String,
    /// Sentences on what was found, and on what is on the stick now.
    pub(super) lines: Vec<String>,
    /// The speed of writing; without points where nothing was filled.
    pub(super) curve: Curve,
}

impl CheckEnd {
    /// `None` while it works.
    pub(super) fn of(state: &JobState) -> Option<Self> {
        let (end, report) = match state {
            JobState::Running { .. } => return None,
            JobState::Done(report) => (Self::done(report), Some(report)),
            JobState::Failed(failure, report) => {
                (Self::failed(failure, report.as_ref()), report.as_ref())
            }
            JobState::Cancelled(report) => (Self::stopped(report), Some(report)),
        };
        let found = report.and_then(|report| report.found.as_ref());
        Some(Self {
            curve: found.map(curve).unwrap_or_default(),
            ..end
        })
    }

    fn done(report: &Report) -> Self {
        let found = report.found.iter().flat_map(Wording::of_check);
        let notes = report.notes.iter().map(Wording::of_failure);
        Self {
            icon: "object-select-symbolic",
            title: gettext("No faults found"),
            description: unplug(report),
            lines: found.chain(notes).map(|wording| tr(&wording)).collect(),
            ..Self::default()
        }
    }

    fn failed(failure: &Failure, report: Option<&Report>) -> Self {
        let rest = report.map(Wording::of_rest).unwrap_or_default();
        let mut lines: Vec<_> = rest.iter().map(tr).collect();
        // A stick that is gone is neither safe nor to be ejected.
        if failure.kind != Kind::TargetGone {
            lines.extend(report.map(unplug));
        }
        Self {
            icon: "dialog-error-symbolic",
            title: match failure.kind {
                Kind::FakeCapacity => gettext("Smaller than it claims"),
                Kind::VerifyMismatch => gettext("This stick is failing"),
                _ => gettext("The check failed"),
            },
            description: tr(&Wording::of_failure(failure)),
            lines,
            ..Self::default()
        }
    }

    fn stopped(report: &Report) -> Self {
        let mut lines: Vec<_> = Wording::of_rest(report).iter().map(tr).collect();
        lines.push(unplug(report));
        Self {
            icon: "process-stop-symbolic",
            title: gettext("Stopped"),
            description: gettext("The check was stopped before the end."),
            lines,
            ..Self::default()
        }
    }
}

fn unplug(report: &Report) -> String {
    if report.safe_to_unplug {
        gettext("The stick can be unplugged now.")
    } else {
        gettext("Before you unplug the stick, eject it in the file manager.")
    }
}

/// As the graph draws it: each piece up to where the next one begins.
fn curve(found: &CheckFound) -> Curve {
    let points = &found.write_curve.points;
    let begins = points.iter().map(|(begin, _)| *begin);
    let last = begins.clone().next_back().unwrap_or_default();
    let ends = begins.skip(1).chain([found.compared.max(last)]);
    let pieces = points
        .iter()
        .zip(ends)
        .map(|(&(from, rate), to)| Point { from, to, rate });
    Curve {
        end: found.compared.max(last),
        points: pieces.filter(|piece| piece.to > piece.from).collect(),
        cliff: found.cliff.map(|cliff| cliff.at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Cliff, SpeedCurve};

    fn report() -> Report {
        Report {
            safe_to_unplug: true,
            found: Some(CheckFound {
                claimed: 4_000_000_000,
                real: Some(4_000_000_000),
                compared: 3_000_000_000,
                write_curve: SpeedCurve {
                    points: vec![(0, 16e6), (1_000_000_000, 4e6), (2_000_000_000, 4e6)],
                },
                read_curve: SpeedCurve {
                    points: vec![(0, 24e6)],
                },
                cliff: Some(Cliff {
                    at: 1_000_000_000,
                    before: 16e6,
                    after: 4e6,
                }),
                ..CheckFound::default()
            }),
            ..Report::default()
        }
    }

    fn end(state: &JobState) -> CheckEnd {
        CheckEnd::of(state).expect("an end")
    }

    #[test]
    fn a_sound_stick_tells_what_was_found_and_shows_its_curve() {
        let end = end(&JobState::Done(report()));
        assert_eq!(end.title, "No faults found");
        assert_eq!(end.description, "The stick can be unplugged now.");
        assert_eq!(
            end.lines[0],
            "The stick has the 4.0 GB that it claims to have."
        );
        assert_eq!(end.curve.cliff, Some(1_000_000_000));
        assert_eq!(end.curve.end, 3_000_000_000);
        let last = end.curve.points.last().expect("points");
        assert_eq!((last.from, last.to), (2_000_000_000, 3_000_000_000));
    }

    #[test]
    fn a_fake_is_called_one_and_never_without_faults() {
        let failure = Failure::new(Kind::FakeCapacity, "");
        let mut left = report();
        left.safe_to_unplug = false;
        let end = end(&JobState::Failed(failure, Some(left)));
        assert_eq!(end.title, "Smaller than it claims");
        assert!(end.lines.iter().any(|line| line.contains("eject it")));
        assert!(!format!("{end:?}").contains("No faults"));
    }

    #[test]
    fn without_a_last_word_nothing_is_claimed() {
        let end = end(&JobState::Failed(Failure::new(Kind::IoError, ""), None));
        assert_eq!(end.title, "The check failed");
        assert!(end.lines.is_empty() && end.curve.points.is_empty());
        assert_eq!(CheckEnd::of(&JobState::default()), None);
    }
}
