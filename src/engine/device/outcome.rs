use std::io;
use std::sync::Arc;

use super::digest::Digests;
use super::guess::Guess;
use super::lead::Lead;
use crate::engine::Error;
use crate::engine::bmap::RangeMismatch;
use crate::engine::checksum::Checksum;
use crate::engine::strategy::Strategy;

/// A stick that durably has all of the image but its lead.
#[derive(Debug)]
pub struct Written {
    /// Bytes of the image.
    pub size: u64,
    /// Bytes of it that are written: fewer where a block map leaves some out.
    pub mapped: u64,
    /// The strategy that was in use at the end.
    pub strategy: Strategy,
    pub(super) lead: Lead,
    pub(super) digests: Digests,
}

/// A stick whose job ended before its end.
#[derive(Debug)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// What is on the stick now.
    pub on_stick: OnStick,
}

/// What is on a stick whose job ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnStick {
    /// What was there before: nothing has been written.
    AsBefore,
    /// Nothing of use; it does not look like a stick to boot from.
    Incomplete,
    /// Perhaps all of the image, but that is not certain: the lead's own writing has failed.
    Unknown,
}

/// Why a stick's job ended before its end.
#[derive(Debug)]
pub enum StopReason {
    /// [`crate::engine::Meter::cancel`] was called.
    Cancelled,
    /// The stick failed or left.
    Target {
        /// What it said.
        error: Error,
        /// Where on it, where that is known.
        offset: Option<u64>,
    },
    /// The image is not what it should be, or cannot be read.
    Image(ImageTrouble),
    /// The image is larger than the stick.
    TooLarge {
        /// Bytes of the stick.
        device: u64,
        /// Bytes of the image; `None`: its end was not reached.
        image: Option<u64>,
    },
    /// The stick does not have what was written to it.
    Mismatch(Mismatch),
}

/// What is wrong with an image; the same for all sticks that it was meant for.
#[derive(Debug, Clone)]
pub enum ImageTrouble {
    /// It cannot be opened, read or decoded: the reader's own error.
    Unreadable(Arc<io::Error>),
    /// There is nothing in it.
    Empty,
    /// It ended too early, or did not end where it should.
    SizeDiffers {
        /// Bytes it should have.
        expected: u64,
        /// Bytes that there were, at least.
        found: u64,
    },
    /// Its published checksum is another.
    ChecksumMismatch {
        /// As published.
        expected: Checksum,
        /// As it is.
        found: Checksum,
    },
    /// Its block map's checksum of a range is another.
    RangeMismatch(RangeMismatch),
    /// It was read twice, for a slow stick, and was not the same.
    Changed,
}

/// A place where the stick reads differently from what was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The first byte that differs, in the image and on the stick; where `exact` is false, the
    /// start of the 4 MiB in which it is.
    pub offset: u64,
    /// Whether `offset` is the very byte.
    pub exact: bool,
    /// What may be behind it.
    pub guess: Guess,
}
