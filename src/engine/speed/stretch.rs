/// So many beats in a row that all differ begin a new stretch.
const IN_A_ROW: usize = 3;
/// From that share of the rate on it differs.
const DIFFERS: f64 = 0.8;
/// So few beats are enough where it differs by [`SHARPLY`].
const FEW: usize = 2;
const SHARPLY: f64 = 0.5;

/// A second or so of a job.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Beat {
    pub(super) seconds: f64,
    pub(super) bytes: u64,
    /// What the bytes were remembered to cost.
    pub(super) cost: f64,
}

impl Beat {
    fn rate(&self) -> f64 {
        self.cost / self.seconds
    }
}

/// The part of a job in which the stick has kept its ways. At a cliff, or when it is written to in
/// another way, a new one begins, and what was before says nothing any more.
#[derive(Debug, Clone, Default)]
pub(super) struct Stretch {
    beats: Vec<Beat>,
    /// The rate of the one before.
    before: Option<f64>,
}

impl Stretch {
    pub(super) fn add(&mut self, beat: Beat) {
        self.beats.push(beat);
        for (count, share) in [(FEW, SHARPLY), (IN_A_ROW, DIFFERS)] {
            if self.ends_before_last(count, share) {
                let kept = self.beats.split_off(self.beats.len() - count);
                self.before = rate(&self.beats);
                self.beats = kept;
            }
        }
    }

    /// The stick is written to in another way from now on.
    pub(super) fn end(&mut self) {
        self.before = self.rate();
        self.beats.clear();
    }

    pub(super) fn beats(&self) -> usize {
        self.beats.len()
    }

    /// Remembered cost a second: of the later half, for sticks get warm and full; while there is
    /// nothing of this stretch yet, of the one before.
    pub(super) fn rate(&self) -> Option<f64> {
        rate(self.later()).or(self.before)
    }

    /// How far beats lie from each other, as a share of the rate.
    pub(super) fn unevenness(&self) -> f64 {
        let later = self.later();
        let Some(mean) = rate(later) else { return 0.0 };
        let squares = later.iter().map(|beat| (beat.rate() / mean - 1.0).powi(2));
        (squares.sum::<f64>() / later.len() as f64).sqrt()
    }

    /// Bytes a second, once a few beats tell it.
    pub(super) fn bytes_per_second(&self) -> Option<f64> {
        if self.beats.len() < IN_A_ROW {
            return None;
        }
        let bytes: u64 = self.beats.iter().map(|beat| beat.bytes).sum();
        let seconds: f64 = self.beats.iter().map(|beat| beat.seconds).sum();
        Some(bytes as f64 / seconds)
    }

    fn later(&self) -> &[Beat] {
        /// So many are few enough to need all.
        const ALL: usize = 20;
        let count = self.beats.len();
        &self.beats[count - count.min(ALL.max(count / 2))..]
    }

    fn ends_before_last(&self, count: usize, share: f64) -> bool {
        let Some(first) = self.beats.len().checked_sub(count) else {
            return false;
        };
        let (older, last) = self.beats.split_at(first);
        let Some(rate) = rate(older) else {
            return false;
        };
        let slower = last.iter().all(|beat| beat.rate() < rate * share);
        let faster = last.iter().all(|beat| beat.rate() > rate / share);
        slower || faster
    }
}

fn rate(beats: &[Beat]) -> Option<f64> {
    let seconds: f64 = beats.iter().map(|beat| beat.seconds).sum();
    let cost: f64 = beats.iter().map(|beat| beat.cost).sum();
    (seconds > 0.0 && cost > 0.0).then(|| cost / seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rates: &[u64]) -> Stretch {
        let mut stretch = Stretch::default();
        for rate in rates {
            stretch.add(Beat {
                seconds: 1.0,
                bytes: *rate,
                cost: *rate as f64,
            });
        }
        stretch
    }

    #[test]
    fn a_cliff_begins_a_new_stretch_and_a_stutter_does_not() {
        let cliff = of(&[100, 100, 100, 100, 60, 60, 60]);
        assert_eq!((cliff.beats(), cliff.rate()), (3, Some(60.0)));
        let abyss = of(&[100, 100, 100, 100, 20, 20]);
        assert_eq!((abyss.beats(), abyss.rate()), (2, Some(20.0)));
        let stutter = of(&[100, 100, 30, 100, 100, 30, 100, 100, 30]);
        assert_eq!(stutter.beats(), 9);
        assert!(stutter.unevenness() > 0.3 && of(&[7, 7, 7]).unevenness() < 1e-9);
    }

    #[test]
    fn what_was_before_holds_until_something_new_is_known() {
        let mut stretch = of(&[100, 100, 100]);
        stretch.end();
        assert_eq!((stretch.beats(), stretch.rate()), (0, Some(100.0)));
        assert_eq!(stretch.bytes_per_second(), None);
        assert_eq!(of(&[]).rate(), None);
    }
}
