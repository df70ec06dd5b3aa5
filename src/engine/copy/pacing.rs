use std::time::Duration;

/// The share of the time that checkpoints before the last one may cost.
const SHARE: f64 = 0.03;
/// What the first is taken to cost: it comes after ten seconds.
const GUESS: Duration = Duration::from_millis(300);
/// More often gains nobody anything.
const LEAST_APART: Duration = Duration::from_secs(2);

/// When a checkpoint is due, by what the ones before have cost.
#[derive(Debug, Clone, Default)]
pub(super) struct Pacing {
    spent: Duration,
    last: Option<(Duration, Duration)>,
}

impl Pacing {
    /// Whether one more stays within its share of the time since the start.
    pub(super) fn is_due(&self, elapsed: Duration) -> bool {
        let (ended, cost) = self.last.unwrap_or((Duration::ZERO, GUESS));
        let affordable = elapsed.mul_f64(SHARE);
        elapsed.saturating_sub(ended) >= LEAST_APART && self.spent + cost <= affordable
    }

    /// One was made.
    pub(super) fn made(&mut self, ended: Duration, cost: Duration) {
        self.spent += cost;
        self.last = Some((ended, cost));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_cost_no_more_than_their_share() {
        for cost in [1, 50, 300, 2_000] {
            let cost = Duration::from_millis(cost);
            let (mut pacing, mut now, mut count) = (Pacing::default(), Duration::ZERO, 0);
            while now < Duration::from_mins(10) {
                now += Duration::from_millis(100);
                if pacing.is_due(now) {
                    now += cost;
                    pacing.made(now, cost);
                    count += 1;
                }
            }
            let share = (cost * count).as_secs_f64() / now.as_secs_f64();
            assert!(
                count > 1 && share <= 0.031,
                "{cost:?}: {count} checkpoints, {share}"
            );
            assert!(count < 300);
        }
    }
}
