use std::time::Duration;

use super::SpeedCurve;

const MIB: u64 = 1 << 20;
/// Points that are wanted of a whole stick.
const POINTS: u64 = 200;

/// Draws a [`SpeedCurve`] while bytes come.
#[derive(Debug)]
pub struct Recorder {
    step: u64,
    curve: SpeedCurve,
    /// Where the piece begins that is being gathered.
    start: u64,
    bytes: u64,
    time: Duration,
}

impl Recorder {
    /// For so many bytes in all.
    pub fn new(total: u64) -> Self {
        Self {
            step: (total / POINTS).next_multiple_of(MIB).max(MIB),
            curve: SpeedCurve::default(),
            start: 0,
            bytes: 0,
            time: Duration::ZERO,
        }
    }

    /// More bytes, and the time that the stick took for them.
    pub fn add(&mut self, bytes: u64, time: Duration) {
        self.bytes += bytes;
        self.time += time;
        if self.bytes >= self.step {
            self.end_piece();
        }
    }

    /// The curve so far. A rest of less than half a piece says too little.
    pub fn into_curve(mut self) -> SpeedCurve {
        if self.bytes * 2 >= self.step {
            self.end_piece();
        }
        self.curve
    }

    fn end_piece(&mut self) {
        // A clock that stood still tells no rate.
        let seconds = self.time.as_secs_f64().max(1e-6);
        let rate = self.bytes as f64 / seconds;
        self.curve.points.push((self.start, rate));
        self.start += self.bytes;
        self.bytes = 0;
        self.time = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_stick_has_no_more_points_than_can_be_drawn() {
        for (total, least) in [(MIB / 4, 0), (8 * MIB, 8), (1 << 30, 170), (1 << 40, 190)] {
            let mut recorder = Recorder::new(total);
            let piece = (total / 4096).max(MIB / 4);
            for _ in 0..total / piece {
                recorder.add(piece, Duration::from_secs_f64(piece as f64 / 16e6));
            }
            let points = recorder.into_curve().points;
            assert!((least..=POINTS as usize).contains(&points.len()), "{total}");
            assert!(points.iter().all(|(_, rate)| (rate - 16e6).abs() < 1e3));
            let offsets = points.iter().map(|(offset, _)| *offset);
            assert!(offsets.clone().is_sorted() && offsets.take(1).all(|at| at == 0));
        }
    }
}
