//! What comes of trying how much room a stick has, as a failure that a person is told.

use std::path::Path;

use super::stop::Stop;
use super::{About, Failure, Kind};
use crate::engine::probe::{Capacity, Stopped};

/// Why it was not found out.
pub(super) fn stopped(stopped: Stopped) -> Stop {
    match (Stop::of(stopped.reason, Path::new("")), stopped.intact) {
        (stop, true) => stop,
        (Stop::Failed(failure), false) => Stop::Failed(failure.about(About::NotPutBack)),
        (Stop::Cancelled, false) => {
            let failure = Failure::new(Kind::IoError, "cancelled, and not put back");
            Stop::Failed(failure.about(About::NotPutBack))
        }
    }
}

/// It has less room than it claims.
pub(super) fn fake(capacity: Capacity) -> Failure {
    let detail = format!("{capacity:?}");
    Failure::new(Kind::FakeCapacity, detail).about(About::Sizes {
        size: capacity.claimed,
        limit: capacity.real,
    })
}
