use std::time::Duration;

use super::beyond;
use crate::Parameters;

/// What a stick still has to tidy up: it gets slow once too much came without a break.
#[derive(Debug)]
pub(super) struct Backlog {
    rate: f64,
    slow_rate: f64,
    limit: u64,
    arrived: u64,
}

impl Backlog {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            rate: parameters.write_rate,
            slow_rate: parameters.backlog_rate,
            limit: parameters.backlog_limit.unwrap_or(u64::MAX),
            arrived: 0,
        }
    }

    /// What writing `length` bytes costs on top of what they cost at the full rate: nothing up to
    /// the limit.
    pub(super) fn arrive(&mut self, length: u64) -> Duration {
        let quick = length.min(self.limit.saturating_sub(self.arrived));
        self.arrived += length;
        beyond(length - quick, self.slow_rate, self.rate)
    }

    /// The host left the stick time. False if there was nothing to tidy up.
    pub(super) fn pause(&mut self) -> bool {
        std::mem::take(&mut self.arrived) > 0
    }

    /// The host asked for it.
    pub(super) fn flush(&mut self) {
        self.arrived = 0;
    }
}
