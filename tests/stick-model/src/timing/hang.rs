use std::time::Duration;

use crate::Parameters;

/// One write that the stick sits on.
#[derive(Debug)]
pub(super) struct Hang {
    /// Until it has happened.
    at: Option<u64>,
    lasts: Duration,
    arrived: u64,
}

impl Hang {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            at: parameters.hang_at,
            lasts: parameters.hang_for,
            arrived: 0,
        }
    }

    /// How long a write of `length` bytes is held.
    pub(super) fn arrive(&mut self, length: u64) -> Duration {
        self.arrived += length;
        self.at
            .take_if(|at| *at <= self.arrived)
            .map_or(Duration::ZERO, |_| self.lasts)
    }
}
