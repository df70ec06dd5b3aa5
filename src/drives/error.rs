use std::path::PathBuf;

use super::{FormatProblem, Refusal};

/// What went wrong with a drive, without a sentence for people.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// UDisks2 does not answer on the system bus.
    #[error("UDisks2 is not available: {0}")]
    NoUdisks(String),
    /// The drive is no longer there.
    #[error("the drive {0} is gone")]
    Gone(String),
    /// Another drive, or another medium, is now where this one was.
    #[error("the drive {0} is not the one that was chosen")]
    Changed(String),
    /// A program still uses it. Holds the mount point where one is known.
    #[error("the drive is busy ({mount_point:?}, {program:?}): {message}")]
    Busy {
        /// Where the busy file system is mounted.
        mount_point: Option<PathBuf>,
        /// Name of a program that uses it, where one is found.
        program: Option<String>,
        /// Mount points of the drive that were unmounted and could not be mounted again.
        unmounted: Vec<PathBuf>,
        /// The daemon's own words.
        message: String,
    },
    /// The person closed the password prompt: a quiet way back, not a failure.
    #[error("the password was dismissed")]
    Dismissed,
    /// The person may not do this.
    #[error("not authorized: {0}")]
    NotAuthorized(String),
    /// A password would be needed, and nothing is there that could ask for it.
    #[error("nobody can ask for the password: {0}")]
    NoAgent(String),
    /// The lock switch, or a stick that only reads.
    #[error("the drive is write-protected")]
    WriteProtected,
    /// It must not be written: found by the last look before the first byte.
    #[error("the drive is not offered: {0:?}")]
    Refused(Refusal),
    /// It cannot be formatted like this; nothing was touched.
    #[error("cannot format like this: {0:?}")]
    Unsuitable(FormatProblem),
    /// Formatting broke off half-way: the old contents are gone, and there is no file system.
    #[error("the drive is empty now, without a file system: {0}")]
    LeftEmpty(#[source] Box<Error>),
    /// The kernel knows no such file system. Holds the daemon's own words.
    #[error("no driver for the file system: {0}")]
    NoDriver(String),
    /// The file system contradicts itself or was not unmounted properly, so that it cannot be
    /// mounted. Holds the daemon's own words.
    #[error("the file system is damaged: {0}")]
    Damaged(String),
    /// Any other refusal of UDisks2.
    #[error("{operation} failed: {message}")]
    Failed {
        /// The method that failed, such as `Format` or `CreatePartitionAndFormat`.
        operation: &'static str,
        /// The daemon's own words.
        message: String,
    },
}

impl Error {
    /// [`Error::Busy`] where nothing else has changed.
    pub(super) fn busy(mount_point: Option<PathBuf>, message: impl Into<String>) -> Self {
        Self::Busy {
            mount_point,
            program: None,
            unmounted: Vec::new(),
            message: message.into(),
        }
    }
}
