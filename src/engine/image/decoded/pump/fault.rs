use std::io;

use crate::engine::Error;
use crate::engine::image::DecodeError;
use crate::engine::image::decoder::wants_too_much_memory;
use crate::engine::image::memory::MOST_MEMORY;

/// Why the bytes of an image stopped, before the file is asked once more.
pub(in crate::engine::image::decoded) enum Fault {
    /// Nobody reads them any more.
    Unwanted,
    /// The source cannot be read.
    Source(io::Error),
    /// For any other reason.
    Other(DecodeError),
}

impl Fault {
    /// What a decoder's error means, at a byte of the file and after so many of the image.
    pub(super) fn of_decoder(error: &io::Error, at: u64, decoded: u64) -> Self {
        Self::Other(if wants_too_much_memory(error) {
            DecodeError::TooMuchMemory { most: MOST_MEMORY }
        } else {
            DecodeError::Corrupt {
                at,
                decoded,
                detail: error.to_string(),
            }
        })
    }

    /// The error to be told; `unreadable` names the source.
    pub(in crate::engine::image::decoded) fn explain(
        self,
        unreadable: impl FnOnce(io::Error) -> Error,
    ) -> DecodeError {
        match self {
            Self::Unwanted => DecodeError::Cancelled,
            Self::Source(cause) => DecodeError::Source(unreadable(cause)),
            Self::Other(error) => error,
        }
    }
}
