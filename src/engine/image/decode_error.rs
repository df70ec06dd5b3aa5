use std::io;

use crate::engine::Error;

/// Why an image did not come to its end. [`Decoded`](super::Decoded) yields it inside an
/// [`io::Error`]; [`DecodeError::of`] takes it out again.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The file cannot be read, is gone, or has changed meanwhile.
    #[error("{0}")]
    Source(#[source] Error),
    /// The file is damaged or incomplete.
    #[error("damaged at byte {at}, after {decoded} bytes of the image: {detail}")]
    Corrupt {
        /// Bytes of the file (of the archive's entry) that were read until then.
        at: u64,
        /// Bytes of the image that were unpacked until then.
        decoded: u64,
        /// The decoder's own words.
        detail: String,
    },
    /// A later part of the file needs more memory than its beginning said, and than there may be
    /// used.
    #[error("unpacking needs more memory than {most} bytes")]
    TooMuchMemory {
        /// Bytes.
        most: u64,
    },
    /// [`Progress::cancel`](super::Progress::cancel) was called.
    #[error("cancelled")]
    Cancelled,
}

impl DecodeError {
    /// The reason inside an error of [`Decoded`](super::Decoded).
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }

    /// The reason out of an error of [`Decoded`](super::Decoded), or the error as it was.
    pub fn from_io(error: io::Error) -> Result<Self, io::Error> {
        error.downcast()
    }
}
