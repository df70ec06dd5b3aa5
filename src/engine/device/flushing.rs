use std::time::Duration;

/// The share of the time that flushes on the way may cost.
const SHARE: f64 = 0.015;
/// More often gains nobody anything. Sticks that slow down when much comes without a break get
/// theirs in time.
const LEAST_APART: u64 = 8 << 20;

/// When a flush on the way is due, by what the one before has cost: after each 8 MiB where that
/// is next to nothing, as on most sticks, and less often where it is not.
#[derive(Debug, Clone, Default)]
pub(super) struct Flushing {
    ended: Duration,
    cost: Duration,
    at: u64,
}

impl Flushing {
    /// Whether one is due when that many bytes are confirmed.
    pub(super) fn is_due(&self, now: Duration, confirmed: u64) -> bool {
        let affordable = now.saturating_sub(self.ended).mul_f64(SHARE);
        confirmed - self.at >= LEAST_APART && self.cost <= affordable
    }

    /// One was made.
    pub(super) fn made(&mut self, began: Duration, ended: Duration, confirmed: u64) {
        self.cost = ended.saturating_sub(began);
        self.ended = ended;
        self.at = confirmed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flushes_cost_no_more_than_their_share() {
        for (cost, most_apart) in [(0, 9 << 20), (10, 12 << 20), (400, 440 << 20)] {
            let cost = Duration::from_millis(cost);
            let (mut flushing, mut now, mut bytes) = (Flushing::default(), Duration::ZERO, 0);
            let (mut count, mut apart, mut last) = (0, 0, 0);
            while bytes < 2 << 30 {
                // 16 MiB/s in pieces of 1 MiB.
                bytes += 1 << 20;
                now += Duration::from_micros(62_500);
                if flushing.is_due(now, bytes) {
                    let began = now;
                    now += cost;
                    flushing.made(began, now, bytes);
                    (apart, last) = (apart.max(bytes - last), bytes);
                    count += 1;
                }
            }
            let share = (cost * count).as_secs_f64() / now.as_secs_f64();
            assert!(count > 1 && share <= 0.02, "{cost:?}: {count}, {share}");
            assert!(apart <= most_apart, "{cost:?}: {apart} bytes apart");
        }
    }
}
