//! Speed and time left as pure functions of samples; the clock is handed in.

mod curve;
mod forecast;
mod stalls;
mod stretch;
#[cfg(test)]
mod traces;

pub use curve::Curve;
pub use forecast::Forecast;

use std::collections::VecDeque;
use std::time::Duration;

/// The speed shown is that of the last seconds.
const RECENT: Duration = Duration::from_secs(3);

/// Confirmed bytes over time, of one job.
#[derive(Debug, Clone, Default)]
pub struct Speed {
    /// The last [`RECENT`] and one sample before it. Bytes only grow.
    recent: VecDeque<(Duration, u64)>,
    first: Option<(Duration, u64)>,
    grew: Option<Duration>,
}

impl Speed {
    /// Takes a sample: time since the start of the job, bytes confirmed by then. Without new
    /// bytes it says that time has passed. Samples that go back in time or bytes are ignored.
    pub fn sample(&mut self, at: Duration, confirmed: u64) {
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

    /// Bytes a second over the last 3 s before the last sample; 0 while nothing is known.
    pub fn bytes_per_second(&self) -> f64 {
        per_second(self.recent.front(), self.recent.back())
    }

    /// How long nothing has been confirmed.
    pub fn stalled(&self, now: Duration) -> Duration {
        self.grew
            .map_or(Duration::ZERO, |grew| now.saturating_sub(grew))
    }
}

fn per_second(from: Option<&(Duration, u64)>, to: Option<&(Duration, u64)>) -> f64 {
    let (Some(from), Some(to)) = (from, to) else {
        return 0.0;
    };
    let seconds = to.0.saturating_sub(from.0).as_secs_f64();
    if seconds > 0.0 {
        to.1.saturating_sub(from.1) as f64 / seconds
    } else {
        0.0
    }
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
            speed.sample(ms(tick * 100), tick * 1_000_000);
        }
        speed
    }

    #[test]
    fn a_steady_stick_has_a_steady_rate() {
        assert!((steady().bytes_per_second() - 10e6).abs() < 1e5);
    }

    #[test]
    fn nothing_is_told_before_anything_is_known() {
        let mut speed = Speed::default();
        assert!(speed.bytes_per_second() == 0.0);
        assert_eq!(speed.stalled(ms(5_000)), Duration::ZERO);
        speed.sample(ms(0), 0);
        assert!(speed.bytes_per_second() == 0.0);
        speed.sample(ms(1_000), 5_000_000);
        assert!(speed.bytes_per_second() > 0.0);
    }

    #[test]
    fn a_cliff_shows_within_seconds_and_a_stall_is_told() {
        let mut speed = steady();
        for tick in 1..=50 {
            speed.sample(ms(10_000 + tick * 100), 100_000_000 + tick * 200_000);
        }
        assert!((speed.bytes_per_second() - 2e6).abs() < 1e5);
        speed.sample(ms(21_000), 110_000_000);
        assert_eq!(speed.stalled(ms(21_000)), ms(6_000));
    }

    #[test]
    fn samples_out_of_order_never_make_it_negative() {
        let mut speed = steady();
        speed.sample(ms(9_000), 200_000_000);
        speed.sample(ms(11_000), 5);
        assert!((speed.bytes_per_second() - 10e6).abs() < 1e5);
        let mut still = Speed::default();
        still.sample(ms(5), 7);
        still.sample(ms(5), 9);
        assert!(still.bytes_per_second() == 0.0);
    }
}
