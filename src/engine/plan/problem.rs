use std::path::PathBuf;

use serde::Serialize;

use super::Choices;

/// Something that will not work, found before the first byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// What it is.
    pub kind: ProblemKind,
    /// The source concerned; empty where it is the whole job.
    pub path: PathBuf,
    /// Bytes of the item, or needed by the job.
    pub size: Option<u64>,
    /// Bytes that the file system allows, or has free.
    pub limit: Option<u64>,
    /// What a sentence can name: the mount's character set.
    pub detail: Option<String>,
    /// What can be chosen.
    pub choices: &'static [Choice],
    /// What was chosen; the plan holds what follows from it.
    pub chosen: Choice,
}

/// The kinds of trouble that a plan can find.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// Larger than one file may be there.
    FileTooLarge,
    /// All that is planned does not fit.
    NotEnoughSpace,
    /// The folder has no room for one more name.
    FolderFull,
    /// A character, or an end of the name, that the file system or Windows refuses.
    NameForbidden,
    /// A device's name for Windows, such as `con` or `aux.c`.
    NameReserved,
    /// Taken on the stick already, or by another source, maybe in another case.
    NameClash,
    /// A file of that name, size and time is there: most likely the same one.
    AlreadyThere,
    /// A letter that the character set of the mount does not have.
    NameCharset,
    /// Longer than a name may be there.
    NameTooLong,
    /// Bytes that are no UTF-8.
    NameNotUtf8,
    /// A symbolic link inside a folder: links are never followed there.
    Link,
    /// A pipe, socket or device.
    SpecialFile,
    /// Not allowed, or not able, to be read.
    Unreadable,
    /// Not there.
    SourceGone,
    /// No source holds a file.
    NothingToCopy,
    /// The target folder lies in the source.
    IntoItself,
}

/// What a person can choose about a [`Problem`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// Write nothing.
    Stop,
    /// Leave the item out, with all it holds.
    Skip,
    /// Give it a name that the stick can hold.
    Rename,
    /// The old file gives way once the new one is durable; where they look alike, they are
    /// compared first and only what differs is written.
    Replace,
    /// Give the new one another name, so that both are there.
    KeepBoth,
    /// Remove the old files before the first byte: old and new do not fit side by side.
    DeleteFirst,
}

impl Problem {
    /// A problem with its usual choices; the first wish that is one of them is followed.
    pub(super) fn new(kind: ProblemKind, path: impl Into<PathBuf>, wishes: &Choices) -> Self {
        Self::with_choices(kind, path, kind.choices(), wishes)
    }

    /// A problem that offers only some of its kind's choices.
    pub(super) fn with_choices(
        kind: ProblemKind,
        path: impl Into<PathBuf>,
        choices: &'static [Choice],
        wishes: &Choices,
    ) -> Self {
        let path = path.into();
        let chosen = wishes.among(choices, kind, &path);
        Self {
            kind,
            path,
            size: None,
            limit: None,
            detail: None,
            choices,
            chosen,
        }
    }

    /// What it is and about what: by this it is known again in another plan.
    pub fn key(&self) -> (ProblemKind, PathBuf) {
        (self.kind, self.path.clone())
    }

    pub(super) fn with_sizes(mut self, size: u64, limit: u64) -> Self {
        self.size = Some(size);
        self.limit = Some(limit);
        self
    }
}

impl ProblemKind {
    /// What can be chosen, the default first. Of a clash with anything but a single file on the
    /// stick only [`Choice::KEEP`] is offered; of a lack of space also [`Choice::DeleteFirst`]
    /// where that helps.
    pub fn choices(self) -> &'static [Choice] {
        match self {
            Self::NotEnoughSpace | Self::NothingToCopy => &[Choice::Stop],
            Self::NameForbidden
            | Self::NameCharset
            | Self::NameReserved
            | Self::NameTooLong
            | Self::NameNotUtf8 => &[Choice::Stop, Choice::Rename, Choice::Skip],
            Self::NameClash | Self::AlreadyThere => &[
                Choice::Stop,
                Choice::Replace,
                Choice::KeepBoth,
                Choice::Skip,
            ],
            _ => &[Choice::Stop, Choice::Skip],
        }
    }
}

impl Choice {
    /// What a clash offers where nothing can be replaced.
    pub const KEEP: &[Self] = &[Self::Stop, Self::KeepBoth, Self::Skip];
    /// What a lack of space offers where it comes from old files that are replaced.
    pub const MAKE_ROOM: &[Self] = &[Self::Stop, Self::DeleteFirst];
}
