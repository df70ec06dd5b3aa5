use super::{Failure, Kind};

/// Why a job ends early.
#[derive(Debug)]
pub(super) enum Stop {
    Cancelled,
    Failed(Failure),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        match failure.kind {
            Kind::Dismissed => Self::Cancelled,
            _ => Self::Failed(failure),
        }
    }
}
