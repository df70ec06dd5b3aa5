use std::time::Duration;

use super::beyond;
use crate::Parameters;

/// From so many fillings of the fast cells on, writing goes at so large a share of the full rate.
///
/// An SSD that was measured to write 80 MB/s for the first GB, then 52, 32 after 2 GB and 23 for
/// good; that the last step is at 4 fillings is assumed.
const STEPS: [(u64, f64); 3] = [(1, 0.65), (2, 0.4), (4, 0.2875)];

/// Fast cells that fill up: the fuller, the more of the time goes into emptying them meanwhile.
///
/// They are emptied completely while the stick is idle, at a rate of their own.
#[derive(Debug)]
pub(super) struct Cliff {
    fast: Option<u64>,
    rate: f64,
    drain_rate: f64,
    drain_after: Duration,
    /// Bytes that still have to move out of the fast cells.
    filled: u64,
}

impl Cliff {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            fast: parameters.fast_cells,
            rate: parameters.write_rate,
            drain_rate: parameters.drain_rate,
            drain_after: parameters.drain_after,
            filled: 0,
        }
    }

    /// What writing `length` bytes costs on top of what they cost at the full rate.
    pub(super) fn arrive(&mut self, length: u64) -> Duration {
        let Some(fast) = self.fast else {
            return Duration::ZERO;
        };
        let mut extra = Duration::ZERO;
        let mut left = length;
        while left > 0 {
            let step = STEPS
                .iter()
                .take_while(|(fillings, _)| self.filled >= fillings.saturating_mul(fast))
                .last();
            let next = STEPS
                .iter()
                .map(|(fillings, _)| fillings.saturating_mul(fast))
                .find(|start| *start > self.filled);
            let part = next.map_or(left, |next| left.min(next - self.filled));
            if let Some((_, share)) = step {
                extra += beyond(part, self.rate * share, self.rate);
            }
            self.filled = next.map_or(self.filled, |_| self.filled + part);
            left -= part;
        }
        extra
    }

    /// The stick had nothing to do for so long.
    pub(super) fn rest(&mut self, idle: Duration) {
        let drained = idle.saturating_sub(self.drain_after).as_secs_f64() * self.drain_rate;
        self.filled = self.filled.saturating_sub(drained as u64);
    }
}
