use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

/// What went wrong, where, and why; without a sentence for people.
#[derive(Debug, thiserror::Error)]
#[error("{operation:?} failed at {}: {cause}", path.display())]
pub struct Error {
    /// What was being done.
    pub operation: Operation,
    /// The source's own path, or the path relative to the target folder (empty: that folder).
    pub path: PathBuf,
    /// The system's answer.
    #[source]
    pub cause: io::Error,
    /// The stick was no longer there when the error came.
    pub gone: bool,
    /// The stick had taken writes before.
    pub had_written: bool,
}

/// What was being done when an [`Error`] came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Opening a source.
    OpenSource,
    /// Reading a source.
    ReadSource,
    /// Comparing a source with what the plan found, before and after reading it.
    CompareSource,
    /// Opening the target folder.
    OpenTarget,
    /// Making a folder on the target.
    MakeFolder,
    /// Making a file on the target, its space included.
    Create,
    /// Handing bytes to the kernel.
    Write,
    /// Starting the write-out of a range, or waiting for it.
    WriteOut,
    /// Closing a written file.
    Close,
    /// Making all so far durable.
    Checkpoint,
    /// Giving a file its own name.
    Rename,
    /// Removing a file from the target.
    Remove,
    /// Reading back from the target.
    ReadBack,
}

/// The kinds of trouble that an [`Error`] can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The source is not there any more.
    SourceGone,
    /// The source cannot be opened or read.
    Unreadable,
    /// The source is not what it was when the plan was made.
    SourceChanged,
    /// The source does not answer.
    Stalled,
    /// The stick is not there any more.
    TargetGone,
    /// The stick, or its file system, takes no writes.
    WriteProtected,
    /// The file system took writes and then turned read-only, as one does that finds itself damaged.
    TurnedReadOnly,
    /// The stick is full.
    NotEnoughSpace,
    /// The file is larger than the file system can hold.
    FileTooLarge,
    /// The name is taken already.
    NameClash,
    /// The file system refuses the name.
    NameForbidden,
    /// The person may not write there.
    NotAuthorized,
    /// Another program, or another job, uses it.
    Busy,
    /// Any other error of the stick.
    IoError,
}

impl Error {
    pub(crate) fn new(operation: Operation, path: &Path, cause: impl Into<io::Error>) -> Self {
        Self {
            operation,
            path: path.to_path_buf(),
            cause: cause.into(),
            gone: false,
            had_written: false,
        }
    }

    /// Finds out whether the stick is gone by now. The first errors of a pulled stick come before
    /// the system knows that it has left, so an I/O error is given a moment.
    pub(crate) fn with_gone(
        mut self,
        is_gone: impl Fn() -> bool,
        pause: impl Fn(Duration),
    ) -> Self {
        const STEP: Duration = Duration::from_millis(100);
        const STEPS: usize = 20;
        self.gone = is_gone();
        let is_io = self.cause.raw_os_error() == Some(Errno::IO.raw_os_error());
        for _ in 0..if is_io { STEPS } else { 0 } {
            if self.gone {
                break;
            }
            pause(STEP);
            self.gone = is_gone();
        }
        self
    }

    /// What it is about; empty: the target folder as a whole.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The kind for people and for programs.
    pub fn kind(&self) -> ErrorKind {
        let errno = self.cause.raw_os_error().map(Errno::from_raw_os_error);
        if self.operation.is_at_source() {
            return self.source_kind(errno);
        }
        if self.gone {
            return ErrorKind::TargetGone;
        }
        match errno {
            Some(Errno::NODEV | Errno::NXIO | Errno::NOMEDIUM | Errno::SHUTDOWN) => {
                ErrorKind::TargetGone
            }
            Some(Errno::ROFS) if self.had_written => ErrorKind::TurnedReadOnly,
            Some(Errno::ROFS) => ErrorKind::WriteProtected,
            Some(Errno::NOSPC | Errno::DQUOT) => ErrorKind::NotEnoughSpace,
            Some(Errno::FBIG) => ErrorKind::FileTooLarge,
            Some(Errno::EXIST | Errno::NOTEMPTY | Errno::ISDIR | Errno::NOTDIR) => {
                ErrorKind::NameClash
            }
            Some(Errno::INVAL | Errno::NAMETOOLONG | Errno::ILSEQ) if self.is_about_name() => {
                ErrorKind::NameForbidden
            }
            Some(Errno::ACCESS | Errno::PERM) => ErrorKind::NotAuthorized,
            Some(Errno::BUSY | Errno::TXTBSY | Errno::WOULDBLOCK) => ErrorKind::Busy,
            _ => ErrorKind::IoError,
        }
    }

    fn source_kind(&self, errno: Option<Errno>) -> ErrorKind {
        match (self.operation, errno) {
            (Operation::CompareSource, _) => ErrorKind::SourceChanged,
            (_, Some(Errno::NOENT | Errno::NOTDIR | Errno::NODEV | Errno::NXIO | Errno::STALE)) => {
                ErrorKind::SourceGone
            }
            (_, Some(Errno::TIMEDOUT)) => ErrorKind::Stalled,
            _ => ErrorKind::Unreadable,
        }
    }

    fn is_about_name(&self) -> bool {
        matches!(self.operation, Operation::MakeFolder | Operation::Rename)
    }
}

impl Operation {
    /// Whether it concerns the source and leaves the stick alone.
    pub fn is_at_source(self) -> bool {
        matches!(
            self,
            Self::OpenSource | Self::ReadSource | Self::CompareSource
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_errno_has_the_kind_that_people_are_told() {
        let table = [
            (Operation::Write, Errno::IO, ErrorKind::IoError),
            (Operation::Write, Errno::NODEV, ErrorKind::TargetGone),
            (Operation::Checkpoint, Errno::NXIO, ErrorKind::TargetGone),
            (Operation::Create, Errno::ROFS, ErrorKind::WriteProtected),
            (Operation::Create, Errno::NOSPC, ErrorKind::NotEnoughSpace),
            (Operation::Create, Errno::INVAL, ErrorKind::IoError),
            (Operation::Write, Errno::FBIG, ErrorKind::FileTooLarge),
            (Operation::Rename, Errno::EXIST, ErrorKind::NameClash),
            (Operation::Rename, Errno::INVAL, ErrorKind::NameForbidden),
            (
                Operation::MakeFolder,
                Errno::ACCESS,
                ErrorKind::NotAuthorized,
            ),
            (Operation::OpenSource, Errno::NOENT, ErrorKind::SourceGone),
            (Operation::OpenSource, Errno::ACCESS, ErrorKind::Unreadable),
            (Operation::ReadSource, Errno::IO, ErrorKind::Unreadable),
            (Operation::ReadSource, Errno::STALE, ErrorKind::SourceGone),
            (Operation::ReadSource, Errno::TIMEDOUT, ErrorKind::Stalled),
            (
                Operation::CompareSource,
                Errno::INVAL,
                ErrorKind::SourceChanged,
            ),
        ];
        for (operation, errno, kind) in table {
            let error = Error::new(operation, Path::new("a"), errno);
            assert_eq!(error.kind(), kind, "{operation:?} {errno:?}");
        }
    }

    #[test]
    fn a_stick_that_turns_read_only_was_not_protected_from_the_start() {
        let mut error = Error::new(Operation::Write, Path::new("a"), Errno::ROFS);
        assert_eq!(error.kind(), ErrorKind::WriteProtected);
        error.had_written = true;
        assert_eq!(error.kind(), ErrorKind::TurnedReadOnly);
    }

    #[test]
    fn a_stick_that_is_gone_is_not_called_an_io_error() {
        let mut error = Error::new(Operation::Write, Path::new("a"), Errno::IO);
        error.gone = true;
        assert_eq!(error.kind(), ErrorKind::TargetGone);
    }

    #[test]
    fn w01_a_stick_that_leaves_a_moment_after_its_first_error_is_gone() {
        let error = |errno, leaves_after: u32| {
            let paused = std::cell::Cell::new(0);
            let is_gone = || paused.get() >= leaves_after;
            let pause = |_| paused.set(paused.get() + 1);
            let error = Error::new(Operation::ReadBack, Path::new("a"), errno);
            (error.with_gone(is_gone, pause).kind(), paused.get())
        };
        assert_eq!(error(Errno::IO, 0), (ErrorKind::TargetGone, 0));
        assert_eq!(error(Errno::IO, 7), (ErrorKind::TargetGone, 7));
        assert_eq!(error(Errno::IO, 1000).0, ErrorKind::IoError);
        let full = (ErrorKind::NotEnoughSpace, 0);
        assert_eq!(error(Errno::NOSPC, 7), full, "a full stick is still there");
    }
}
