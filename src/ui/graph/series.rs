use std::time::Duration;

use super::curve::Point;

/// So many stretches are kept, whatever the size of the job.
const MOST: usize = 240;
/// So many points are drawn: more would only be restless.
const DRAWN: usize = 60;
/// The stretches of a small job, in bytes.
const SMALLEST: u64 = 64 * 1024;

/// How long each stretch of bytes took, from samples of a position that only grows. The clock is
/// handed in.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Bytes of each stretch; the last one may be shorter.
    width: u64,
    /// Seconds of each stretch.
    seconds: Vec<f64>,
    /// Up to where, and when that was reached.
    reached: Option<(Duration, u64)>,
}

impl Default for Series {
    fn default() -> Self {
        Self {
            width: SMALLEST,
            seconds: Vec::new(),
            reached: None,
        }
    }
}

impl Series {
    /// Takes a sample: the time, and the bytes that are done by then. The first one is where the
    /// series begins. Samples that go back in time or bytes are ignored.
    pub(super) fn sample(&mut self, at: Duration, position: u64) {
        let Some((since, from)) = self.reached else {
            self.reached = Some((at, position));
            return;
        };
        // Time without new bytes belongs to the next ones.
        if at < since || position <= from {
            return;
        }
        while position > self.width * MOST as u64 {
            self.widen();
        }
        let seconds_per_byte = at.saturating_sub(since).as_secs_f64() / (position - from) as f64;
        let mut start = from;
        while start < position {
            let stretch = (start / self.width) as usize;
            let end = position.min((stretch as u64 + 1) * self.width);
            if self.seconds.len() <= stretch {
                self.seconds.resize(stretch + 1, 0.0);
            }
            self.seconds[stretch] += (end - start) as f64 * seconds_per_byte;
            start = end;
        }
        self.reached = Some((at, position));
    }

    /// What is to be drawn: each point the average over itself and its neighbours, because bytes
    /// are confirmed by whole windows.
    pub(super) fn points(&self) -> Vec<Point> {
        let stretches = self.stretches();
        (0..stretches.len())
            .map(|at| {
                let around = &stretches[at.saturating_sub(1)..stretches.len().min(at + 2)];
                let bytes: u64 = around.iter().map(|(from, to, _)| to - from).sum();
                let seconds: f64 = around.iter().map(|(.., seconds)| seconds).sum();
                let (from, to, _) = stretches[at];
                Point {
                    from,
                    to,
                    rate: bytes as f64 / seconds,
                }
            })
            .collect()
    }

    /// From, to and seconds of at most [`DRAWN`] stretches; each took some time.
    fn stretches(&self) -> Vec<(u64, u64, f64)> {
        let Some((_, reached)) = self.reached else {
            return Vec::new();
        };
        let together = self.seconds.len().div_ceil(DRAWN).max(1);
        let mut stretches: Vec<(u64, u64, f64)> = Vec::with_capacity(DRAWN);
        let (mut from, mut seconds) = (0, 0.0);
        for (at, pieces) in (1..).zip(self.seconds.chunks(together)) {
            let to = reached.min(at * together as u64 * self.width);
            seconds += pieces.iter().sum::<f64>();
            // Bytes that took no time came with the next ones.
            if seconds > 0.0 {
                stretches.push((from, to, seconds));
                (from, seconds) = (to, 0.0);
            }
        }
        stretches
    }

    fn widen(&mut self) {
        self.width *= 2;
        let pairs = self.seconds.chunks(2).map(|pair| pair.iter().sum());
        self.seconds = pairs.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::super::curve::Curve;
    use super::*;

    const MB: u64 = 1_000_000;

    /// Samples five times a second of a stick that takes `rate(position)` bytes a second.
    fn series(total: u64, rate: impl Fn(u64) -> u64) -> Series {
        let mut series = Series::default();
        let (mut at, mut position) = (Duration::ZERO, 0);
        series.sample(at, position);
        while position < total {
            let step = (rate(position) / 5).min(total - position);
            at += Duration::from_secs_f64(step as f64 / rate(position) as f64);
            position += step;
            series.sample(at, position);
        }
        series
    }

    fn is_near(rate: f64, wanted: u64) -> bool {
        (rate - wanted as f64).abs() < wanted as f64 * 0.05
    }

    #[test]
    fn an_even_stick_gives_a_level_line() {
        for total in [MB, 429 * MB, 64_000 * MB] {
            let points = series(total, |_| 16 * MB).points();
            assert!(points.iter().all(|point| is_near(point.rate, 16 * MB)));
            assert_eq!(points.last().map(|point| point.to), Some(total));
            assert!(points.windows(2).all(|pair| pair[0].to == pair[1].from));
        }
    }

    #[test]
    fn the_memory_is_bounded_and_the_line_never_restless() {
        let mut long = series(400_000 * MB, |_| 200 * MB);
        assert!(long.seconds.len() <= MOST && long.points().len() <= DRAWN);
        long.sample(Duration::from_hours(1_000), u64::MAX / 2);
        assert!(long.seconds.len() <= MOST && long.points().len() <= DRAWN);
    }

    #[test]
    fn what_was_fast_stays_fast_when_the_rest_is_slow() {
        let points = series(
            400 * MB,
            |position| {
                if position < 100 * MB { 16 * MB } else { 4 * MB }
            },
        )
        .points();
        let at = |position| {
            let mut points = points.iter();
            let found = points.find(|point| point.from <= position && position < point.to);
            found.expect("a point").rate
        };
        assert!(is_near(at(50 * MB), 16 * MB) && is_near(at(300 * MB), 4 * MB));
        let cliff = Curve::new(points, 400 * MB).cliff.expect("a cliff");
        assert!((90 * MB..110 * MB).contains(&cliff), "{cliff}");
    }

    #[test]
    fn silence_is_the_time_of_the_bytes_that_follow() {
        let mut series = Series::default();
        for (seconds, position) in [(0, 0), (1, MB), (9, MB), (10, 2 * MB)] {
            series.sample(Duration::from_secs(seconds), position);
        }
        let total: f64 = series.seconds.iter().sum();
        assert!((total - 10.0).abs() < 1e-9, "{total}");
    }

    #[test]
    fn what_makes_no_sense_is_ignored() {
        let mut series = Series::default();
        assert!(series.points().is_empty());
        series.sample(Duration::from_secs(5), 5 * MB);
        series.sample(Duration::from_secs(4), 9 * MB);
        series.sample(Duration::from_secs(6), 2 * MB);
        assert!(series.points().is_empty());
        // All at once: no speed can be told of it.
        series.sample(Duration::from_secs(5), 6 * MB);
        assert!(series.points().iter().all(|point| point.rate.is_finite()));
    }
}
