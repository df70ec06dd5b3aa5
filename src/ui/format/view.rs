use gettextrs::gettext;

use crate::tasks::{JobState, Wording};
use crate::ui::text::{gettext_f, tr};

/// How formatting ended, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FormatEnd {
    pub(super) icon: &'static str,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) can_try_again: bool,
}

impl FormatEnd {
    /// `None` while it works. `stick`: what people call it.
    pub(super) fn of(state: &JobState, stick: &str) -> Option<Self> {
        let stick = [("stick", stick)];
        match state {
            JobState::Running { .. } => None,
            JobState::Done(report) => Some(Self {
                icon: "object-select-symbolic",
                title: if report.safe_to_unplug {
                    gettext("Safe to unplug")
                } else {
                    gettext("Formatted")
                },
                description: if report.safe_to_unplug {
                    gettext_f("{stick} is empty now and ready for use.", &stick)
                } else {
                    gettext("Before you unplug the stick, eject it in the file manager.")
                },
                can_try_again: false,
            }),
            JobState::Failed(failure, _) => Some(Self {
                icon: "dialog-error-symbolic",
                title: gettext("Formatting failed"),
                description: tr(&Wording::of_failure(failure)),
                can_try_again: true,
            }),
            JobState::Cancelled(_) => Some(Self {
                icon: "process-stop-symbolic",
                title: gettext("Not formatted"),
                description: gettext_f("{stick} is as it was.", &stick),
                can_try_again: true,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Failure, Kind, Report};

    fn end(state: &JobState) -> FormatEnd {
        FormatEnd::of(state, "Stick").expect("an end")
    }

    #[test]
    fn only_what_is_proven_is_safe_to_unplug() {
        assert_eq!(FormatEnd::of(&JobState::default(), "Stick"), None);
        let mut report = Report::default();
        let done = end(&JobState::Done(report.clone()));
        assert_eq!(done.title, "Formatted");
        assert!(done.description.contains("eject"));
        report.safe_to_unplug = true;
        let done = end(&JobState::Done(report));
        assert_eq!(done.title, "Safe to unplug");
        assert_eq!(done.description, "Stick is empty now and ready for use.");
    }

    #[test]
    fn a_failure_says_what_is_left() {
        let failure = Failure::new(Kind::LeftEmpty, "Format: timed out");
        let failed = end(&JobState::Failed(failure, None));
        assert!(failed.description.contains("empty now"));
        assert!(!failed.description.contains("timed out"));
        assert!(failed.can_try_again);
    }
}
