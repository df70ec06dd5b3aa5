//! Why an image did not come onto a stick, as a failure that a person is told.

use std::io;
use std::path::Path;

use crate::engine::device::{Guess, ImageTrouble, Mismatch, StopReason};
use crate::engine::image::{DecodeError, Refusal};
use crate::tasks::stop::Stop;
use crate::tasks::{About, Failure, Kind};

impl Stop {
    /// `image` is the file that the image comes from.
    pub(in crate::tasks) fn of(reason: StopReason, image: &Path) -> Self {
        Self::Failed(match reason {
            StopReason::Cancelled => return Self::Cancelled,
            StopReason::Target { error, offset } => {
                let about = offset.map(About::Offset);
                Failure {
                    about,
                    ..Failure::from(error)
                }
            }
            StopReason::Image(trouble) => match of_image(&trouble, image) {
                Some(failure) => failure,
                None => return Self::Cancelled,
            },
            StopReason::TooLarge {
                device: limit,
                image: size,
            } => {
                let about = match size {
                    Some(size) => About::Sizes { size, limit },
                    None => About::Limit(limit),
                };
                Failure::of_file(Kind::ImageTooLarge, image).about(about)
            }
            StopReason::Mismatch(mismatch) => of_mismatch(&mismatch),
        })
    }
}

fn of_mismatch(mismatch: &Mismatch) -> Failure {
    let kind = match mismatch.guess {
        Guess::FailingStick => Kind::VerifyMismatch,
        Guess::FakeCapacity => Kind::FakeCapacity,
        Guess::ChangedBySystem => Kind::ChangedBySystem,
    };
    let exact = if mismatch.exact {
        ""
    } else {
        "the 4 MiB from "
    };
    let detail = format!("read back: {exact}byte {} differs", mismatch.offset);
    Failure::new(kind, detail).about(About::Offset(mismatch.offset))
}

/// `None`: the reader was told to stop.
fn of_image(trouble: &ImageTrouble, image: &Path) -> Option<Failure> {
    let (kind, detail) = match trouble {
        ImageTrouble::Unreadable(error) => return of_reader(error, image),
        ImageTrouble::Empty => (Kind::ImageEmpty, String::new()),
        ImageTrouble::SizeDiffers { expected, found } => (
            Kind::ImageCorrupt,
            format!("{expected} bytes expected, {found} found"),
        ),
        ImageTrouble::ChecksumMismatch { expected, found } => {
            let name = expected.algorithm().name();
            let (expected, found) = (expected.hex(), found.hex());
            let detail = format!("{name} {expected} expected, {found} found");
            (Kind::ChecksumMismatch, detail)
        }
        ImageTrouble::RangeMismatch(range) => (
            Kind::ChecksumMismatch,
            format!("bytes {:?} are not what the block map says", range.bytes),
        ),
        ImageTrouble::Changed => (Kind::SourceChanged, "read twice".into()),
    };
    Some(Failure {
        detail,
        ..Failure::of_file(kind, image)
    })
}

fn of_reader(error: &io::Error, image: &Path) -> Option<Failure> {
    let kind = match DecodeError::of(error) {
        Some(DecodeError::Source(error)) => Kind::from(error.kind()),
        Some(DecodeError::Corrupt { .. }) => Kind::ImageCorrupt,
        Some(DecodeError::TooMuchMemory { .. }) => Kind::ImageUnsupported,
        Some(DecodeError::Cancelled) => return None,
        None => Kind::Unreadable,
    };
    let about = match DecodeError::of(error) {
        Some(DecodeError::TooMuchMemory { most }) => Some(About::Refused(Refusal::TooMuchMemory {
            needs: most + 1,
            most: *most,
        })),
        _ => None,
    };
    Some(Failure {
        detail: error.to_string(),
        about,
        ..Failure::of_file(kind, image)
    })
}
