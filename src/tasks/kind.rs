use serde::Serialize;

use crate::drives::{self, FormatProblem, LabelProblem, Refusal};

/// What a problem, a failure or a failed item is, by the names that the JSON lines use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Kind {
    FileTooLarge,
    NotEnoughSpace,
    NameForbidden,
    NameReserved,
    NameClash,
    NameTooLong,
    NameNotUtf8,
    Link,
    SpecialFile,
    Unreadable,
    NothingToCopy,
    SourceChanged,
    SourceGone,
    SourceOnStick,
    IntoItself,
    TargetGone,
    TargetChanged,
    WriteProtected,
    NoMedium,
    Busy,
    InUseBySystem,
    NotAuthorized,
    NoUdisks,
    VerifyMismatch,
    LeftEmpty,
    LabelTooLong,
    LabelForbidden,
    StickTooSmall,
    StickTooLarge,
    NoFileSystem,
    NoSuchStick,
    NotAStick,
    IoError,
}

impl From<&drives::Error> for Kind {
    fn from(error: &drives::Error) -> Self {
        match error {
            drives::Error::NoUdisks(_) => Self::NoUdisks,
            drives::Error::Gone(_) => Self::TargetGone,
            drives::Error::Changed(_) => Self::TargetChanged,
            drives::Error::Busy { .. } => Self::Busy,
            // Callers return quietly before they ask for a kind.
            drives::Error::Dismissed | drives::Error::NotAuthorized(_) => Self::NotAuthorized,
            drives::Error::WriteProtected => Self::WriteProtected,
            drives::Error::Refused(refusal) => Self::from(*refusal),
            drives::Error::Unsuitable(problem) => Self::from(*problem),
            drives::Error::LeftEmpty(_) => Self::LeftEmpty,
            drives::Error::Failed { .. } => Self::IoError,
        }
    }
}

impl From<Refusal> for Kind {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::NotAStick | Refusal::Optical => Self::NotAStick,
            Refusal::InUseBySystem => Self::InUseBySystem,
            Refusal::NoMedium => Self::NoMedium,
            Refusal::WriteProtected => Self::WriteProtected,
            Refusal::Unlocked | Refusal::Lvm | Refusal::Raid => Self::Busy,
        }
    }
}

impl From<FormatProblem> for Kind {
    fn from(problem: FormatProblem) -> Self {
        match problem {
            FormatProblem::TooSmall => Self::StickTooSmall,
            FormatProblem::TooLarge => Self::StickTooLarge,
            FormatProblem::Label(LabelProblem::TooLong) => Self::LabelTooLong,
            FormatProblem::Label(LabelProblem::Forbidden(_)) => Self::LabelForbidden,
        }
    }
}
