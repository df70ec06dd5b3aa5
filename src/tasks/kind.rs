use serde::Serialize;

use crate::drives::{self, FormatProblem, LabelProblem, Refusal};
use crate::engine::ErrorKind;
use crate::engine::plan::ProblemKind;

/// What a problem, a failure or a failed item is, by the names that the JSON lines use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Kind {
    FileTooLarge,
    NotEnoughSpace,
    FolderFull,
    NameForbidden,
    NameReserved,
    NameClash,
    AlreadyThere,
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
    TurnedReadOnly,
    NoMedium,
    Busy,
    InUseBySystem,
    NotAuthorized,
    NoAgent,
    /// The person closed the password prompt: a quiet way back, never told as an error.
    Dismissed,
    NoUdisks,
    VerifyMismatch,
    Stalled,
    LeftEmpty,
    LabelTooLong,
    LabelForbidden,
    StickTooSmall,
    StickTooLarge,
    NoFileSystem,
    /// Which one is meant has to be said.
    SeveralFileSystems,
    /// The file system is one that this computer cannot read.
    NoDriver,
    /// It can be repaired, or that can be tried.
    DamagedFileSystem,
    /// It was tried to repair it, in vain.
    #[serde(rename = "damaged_file_system")]
    BeyondRepair,
    /// The file system is mounted so that nothing can be written.
    #[serde(rename = "write_protected")]
    MountedReadOnly,
    /// Mounted where sticks usually are, after the sandbox in which this runs was made without that.
    OutOfSight,
    /// Mounted where the sandbox may not look.
    #[serde(rename = "out_of_sight")]
    OutOfReach,
    NoSuchStick,
    NotAStick,
    ImageTooLarge,
    /// Damaged or incomplete.
    ImageCorrupt,
    /// An image, or something like one, that is not written as it is.
    ImageUnsupported,
    ImageEmpty,
    NotAnImage,
    NoImageInside,
    /// An archive with several images: one has to be chosen.
    SeveralImages,
    /// It can be written, but no computer will start from it.
    WillNotBoot,
    /// The same, and it installs Windows.
    #[serde(rename = "will_not_boot")]
    WindowsInstaller,
    /// The contents are not what the name says; they decide.
    NameMismatch,
    /// A partition table for sectors of another size than the stick's.
    SectorSize,
    ChecksumMismatch,
    ChecksumNoEntry,
    /// What should be a checksum, or a list of them, is none.
    NotAChecksum,
    /// The list is signed, and nobody has looked whether by whom it should be.
    SignatureUnchecked,
    /// A block map that cannot be trusted, or is that of another image.
    BmapUnusable,
    /// The same, found beside the image: it is left out.
    BmapIgnored,
    /// The stick has less room than it claims.
    FakeCapacity,
    /// Nothing on the stick can be filled, so that a check finds out its size only.
    #[serde(rename = "no_file_system")]
    OnlySize,
    /// Something noted on the stick while it was checked.
    #[serde(rename = "verify_mismatch")]
    ChangedBySystem,
    /// An encrypted part of the stick is open, and nobody said that it may be closed.
    #[serde(rename = "busy")]
    Unlocked,
    /// It is one of several drives that the system uses as one.
    #[serde(rename = "busy")]
    OneOfSeveral,
    /// An encrypted part of the stick will be closed.
    WillLock,
    IoError,
}

impl From<&drives::Error> for Kind {
    fn from(error: &drives::Error) -> Self {
        match error {
            drives::Error::NoUdisks(_) => Self::NoUdisks,
            drives::Error::Gone(_) => Self::TargetGone,
            drives::Error::Changed(_) => Self::TargetChanged,
            drives::Error::Busy { .. } => Self::Busy,
            drives::Error::Dismissed => Self::Dismissed,
            drives::Error::NotAuthorized(_) => Self::NotAuthorized,
            drives::Error::NoAgent(_) => Self::NoAgent,
            drives::Error::WriteProtected => Self::WriteProtected,
            drives::Error::Refused(refusal) => Self::from(*refusal),
            drives::Error::Unsuitable(problem) => Self::from(*problem),
            drives::Error::LeftEmpty(_) => Self::LeftEmpty,
            drives::Error::NoDriver(_) => Self::NoDriver,
            drives::Error::Damaged(_) => Self::DamagedFileSystem,
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
            Refusal::Unlocked => Self::Unlocked,
            Refusal::Lvm | Refusal::Raid => Self::OneOfSeveral,
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

impl From<ErrorKind> for Kind {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::SourceGone => Self::SourceGone,
            ErrorKind::Unreadable => Self::Unreadable,
            ErrorKind::SourceChanged => Self::SourceChanged,
            ErrorKind::Stalled => Self::Stalled,
            ErrorKind::TargetGone => Self::TargetGone,
            ErrorKind::WriteProtected => Self::WriteProtected,
            ErrorKind::TurnedReadOnly => Self::TurnedReadOnly,
            ErrorKind::NotEnoughSpace => Self::NotEnoughSpace,
            ErrorKind::FileTooLarge => Self::FileTooLarge,
            ErrorKind::NameClash => Self::NameClash,
            ErrorKind::NameForbidden => Self::NameForbidden,
            ErrorKind::NotAuthorized => Self::NotAuthorized,
            ErrorKind::Busy => Self::Busy,
            ErrorKind::IoError => Self::IoError,
        }
    }
}

impl From<ProblemKind> for Kind {
    fn from(kind: ProblemKind) -> Self {
        match kind {
            ProblemKind::FileTooLarge => Self::FileTooLarge,
            ProblemKind::NotEnoughSpace => Self::NotEnoughSpace,
            ProblemKind::FolderFull => Self::FolderFull,
            ProblemKind::NameForbidden | ProblemKind::NameCharset => Self::NameForbidden,
            ProblemKind::NameReserved => Self::NameReserved,
            ProblemKind::NameClash => Self::NameClash,
            ProblemKind::AlreadyThere => Self::AlreadyThere,
            ProblemKind::NameTooLong => Self::NameTooLong,
            ProblemKind::NameNotUtf8 => Self::NameNotUtf8,
            ProblemKind::Link => Self::Link,
            ProblemKind::SpecialFile => Self::SpecialFile,
            ProblemKind::Unreadable => Self::Unreadable,
            ProblemKind::SourceGone => Self::SourceGone,
            ProblemKind::NothingToCopy => Self::NothingToCopy,
            ProblemKind::IntoItself => Self::IntoItself,
        }
    }
}
