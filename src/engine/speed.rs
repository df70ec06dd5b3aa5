//! Speed and time left as pure functions of samples; the clock is handed in.

use std::collections::VecDeque;
use std::time::Duration;

/// The speed shown is that of the last seconds.
const RECENT: Duration = Duration::from_secs(3);
/// Before that much is known, no time left is told.
const LEAST: Duration = Duration::from_secs(2);

/// Confirmed bytes over time, of one job.
#[derive(Debug, Clone, Default)]
pub struct Speed {
    /// The last [`RECENT`] and one sample before it. Bytes only grow.
    recent: VecDeque<(Duration, u64)>,
    first: Option<(Duration, u64)>,
    grew: Option<Duration>,
}

impl Speed {
    /// Takes a sample: time since the start of the job, bytes confirmed by then. Samples that go
    /// back in time or bytes are ignored.
    pub fn push(&mut self, at: Duration, confirmed: u64) {
        let first = *self.first.get_or_insert((at, confirmed));
        let (last_at, last) = *self.recent.back().unwrap_or(&first);
        if at < last_at || confirmed < last {
            return;
        }
        if confirmed > last || self.grew.is_none() {
            self.grew = Some(at);
        }
        self.recent.push_back((at, confirmed));
        while self.recent.len() > 2 && self.recent[1].0 + RECENT <= at {
            self.recent.pop_front();
        }
    }

    /// Bytes a second over the last 3 s; `None` before the first bytes are confirmed.
    pub fn rate(&self, now: Duration) -> Option<f64> {
        let &(_, last) = self.recent.back()?;
        let from = now.saturating_sub(RECENT);
        let &start = self
            .recent
            .iter()
            .rev()
            .find(|(at, _)| *at <= from)
            .or(self.recent.front())?;
        if last == self.first?.1 {
            return None;
        }
        per_second(start, (now, last))
    }

    /// Bytes a second since the first sample.
    pub fn average(&self, now: Duration) -> Option<f64> {
        per_second(self.first?, (now, self.recent.back()?.1))
    }

    /// Seconds left for that many bytes, as a range; `None` while too little is known or nothing
    /// moves.
    pub fn time_left(&self, now: Duration, remaining: u64) -> Option<[u64; 2]> {
        if now.saturating_sub(self.first?.0) < LEAST || self.stalled(now) >= RECENT {
            return None;
        }
        let rate = self.rate(now).filter(|rate| *rate > 0.0)?;
        let average = self.average(now).filter(|rate| *rate > 0.0)?;
        let seconds = |rate: f64| remaining as f64 / rate;
        // A job ends with flushes that no byte count foresees.
        let low = seconds(rate.max(average)).floor();
        let high = (seconds(rate.min(average)) * 1.1).ceil();
        Some([low as u64, high as u64])
    }

    /// How long nothing has been confirmed.
    pub fn stalled(&self, now: Duration) -> Duration {
        self.grew
            .map_or(Duration::ZERO, |grew| now.saturating_sub(grew))
    }
}

fn per_second(from: (Duration, u64), to: (Duration, u64)) -> Option<f64> {
    let seconds = to.0.saturating_sub(from.0).as_secs_f64();
    (seconds > 0.0).then(|| to.1.saturating_sub(from.1) as f64 / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    /// 10 MB/s for ten seconds, a sample each 100 ms.
    fn steady() -> Speed {
        let mut speed = Speed::default();
        for tick in 0..=100 {
            speed.push(ms(tick * 100), tick * 1_000_000);
        }
        speed
    }

    #[test]
    fn a_steady_stick_has_a_steady_rate_and_a_narrow_range() {
        let speed = steady();
        let rate = speed.rate(ms(10_000)).unwrap();
        assert!((rate - 10e6).abs() < 1e5, "{rate}");
        let [low, high] = speed.time_left(ms(10_000), 100_000_000).unwrap();
        assert!(
            (9..=10).contains(&low) && (10..=12).contains(&high),
            "{low} {high}"
        );
        assert_eq!(speed.time_left(ms(10_000), 0), Some([0, 0]));
    }

    #[test]
    fn nothing_is_told_before_anything_is_known() {
        let mut speed = Speed::default();
        assert_eq!(speed.rate(ms(5_000)), None);
        assert_eq!(speed.time_left(ms(5_000), 1), None);
        assert_eq!(speed.stalled(ms(5_000)), Duration::ZERO);
        speed.push(ms(0), 0);
        assert_eq!(speed.rate(ms(0)), None);
        assert_eq!(speed.rate(ms(1_000)), None);
        speed.push(ms(1_000), 5_000_000);
        assert!(speed.rate(ms(1_000)).is_some());
        assert_eq!(speed.time_left(ms(1_000), 5_000_000), None);
    }

    #[test]
    fn a_cliff_widens_the_range_and_a_stall_ends_it() {
        let mut speed = steady();
        for tick in 1..=50 {
            speed.push(ms(10_000 + tick * 100), 100_000_000 + tick * 200_000);
        }
        let now = ms(15_000);
        assert!((speed.rate(now).unwrap() - 2e6).abs() < 1e5);
        let [low, high] = speed.time_left(now, 20_000_000).unwrap();
        assert!(low <= 3 && high >= 10, "{low} {high}");
        assert_eq!(speed.stalled(ms(21_000)), ms(6_000));
        assert_eq!(speed.time_left(ms(21_000), 20_000_000), None);
    }

    #[test]
    fn samples_out_of_order_never_make_it_negative() {
        let mut speed = steady();
        speed.push(ms(9_000), 200_000_000);
        speed.push(ms(11_000), 5);
        assert!(speed.rate(ms(10_000)).unwrap() > 0.0);
        assert!(
            speed
                .rate(ms(0))
                .is_none_or(|rate| rate.is_finite() && rate >= 0.0)
        );
        assert!(speed.time_left(ms(0), u64::MAX).is_none());
    }
}
