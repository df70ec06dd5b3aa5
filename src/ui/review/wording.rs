use gettextrs::gettext;

use crate::tasks::{Choice, ProblemKind};

/// What a choice does about a kind of problem, as a person would say it.
pub(super) fn choice_text(choice: Choice, kind: ProblemKind) -> String {
    match (choice, kind) {
        (Choice::Stop, _) => gettext("Not decided yet"),
        (Choice::Skip, _) => gettext("Leave out"),
        (Choice::Rename, ProblemKind::NameTooLong) => gettext("Copy with a shorter name"),
        (Choice::Rename, _) => gettext("Copy with a similar name"),
        (Choice::Replace, ProblemKind::AlreadyThere) => {
            gettext("Compare, and copy only what differs")
        }
        (Choice::Replace, _) => gettext("Replace what is on the stick"),
        (Choice::KeepBoth, _) => gettext("Keep both"),
        (Choice::DeleteFirst, _) => gettext("Delete the old files first"),
    }
}
