use std::time::Duration;

use super::curve::Curve;
use super::stalls::{STALL, Stalls};
use super::stretch::{Beat, Stretch};

/// Seconds of a beat, at least: it ends when something arrives.
const BEAT: f64 = 1.0;
/// So many beats say something where nothing is remembered.
const LEAST_BEATS: usize = 2;
/// Between two samples so far apart nobody was looking: the computer slept, or was too busy.
const UNSEEN: f64 = 2.0;
/// What such a time counts for, at least: between two samples there usually is no more.
const GLANCE: f64 = 0.2;
/// From this share of a job on, the range is no wider than [`NARROW`] to each side.
const SETTLED: f64 = 0.3;
/// High and low are then at most 1.5 times apart, until few seconds are left.
const NARROW: f64 = 0.17;
/// The widest before.
const WIDE: f64 = 0.45;
/// Even where all is known, it is never known better.
const LEAST_SPREAD: f64 = 0.06;
/// Slower by so much is worth telling.
const SLOWER: f64 = 0.7;
/// Points that are kept of a job's own curve.
const MOST_POINTS: usize = 64;

/// When a job will be done with its bytes, from what it has done so far and from what is
/// remembered of its stick. Pure: times and bytes are handed in.
#[derive(Debug, Clone, Default)]
pub struct Forecast {
    curve: Curve,
    /// Bytes of the job that were done otherwise before.
    before: u64,
    /// The last sample: when it was taken, bytes.
    last: Option<(Duration, u64)>,
    /// Seconds in which the job was seen.
    clock: f64,
    /// When bytes came last, on that clock.
    grew: Option<f64>,
    /// How often they came without a stall before, and the seconds between.
    arrivals: (u32, f64),
    /// Where the present beat began: seconds of the clock, bytes.
    beat: (f64, u64),
    stretch: Stretch,
    stalls: Stalls,
    /// The fastest stretch so far, in bytes a second.
    best: f64,
    /// This job's own curve: bytes, and seconds without stalls.
    course: Vec<(u64, f64)>,
    /// Points of the course are two to the power of that many beats apart.
    rarely: u32,
    beats: usize,
    moving: f64,
}

impl Forecast {
    /// With what is remembered of the stick, which may be nothing.
    pub fn new(curve: Curve) -> Self {
        Self {
            curve,
            ..Self::default()
        }
    }

    /// Of the later part of a job, after so many bytes.
    pub fn after(bytes: u64, curve: Curve) -> Self {
        Self {
            before: bytes,
            ..Self::new(curve)
        }
    }

    /// Takes a sample: time since any fixed moment, bytes by then. Without new bytes it says that
    /// time has passed. Samples that go back in time or bytes are ignored.
    pub fn sample(&mut self, at: Duration, done: u64) {
        let Some((last_at, last)) = self.last else {
            self.last = Some((at, done));
            return;
        };
        if at < last_at || done < last {
            return;
        }
        self.last = Some((at, done));
        let passed = at.saturating_sub(last_at).as_secs_f64();
        self.clock += if passed > UNSEEN {
            // What came meanwhile tells how long the job went on.
            let rate = self.rate().unwrap_or(0.0);
            let needed = self.curve.cost(last, done) / rate.max(f64::MIN_POSITIVE);
            passed.min(needed.max(GLANCE))
        } else {
            passed
        };
        if done > last {
            self.arrived(done);
        }
    }

    /// The stick is written to in another way from now on: what it did before says little.
    pub fn turn(&mut self) {
        self.stretch.end();
        if let Some((_, done)) = self.last {
            self.beat = (self.grew.unwrap_or(self.clock), done);
        }
    }

    /// Seconds until that many more bytes are done, low and high: finite, never negative, and from
    /// 30 % of the job on at most 1.5 times apart while it is ten or more. `None` while too little is known, or while
    /// nothing comes.
    pub fn left(&self, bytes: u64) -> Option<[f64; 2]> {
        let (_, done) = self.last?;
        if self.silence() >= self.stall() {
            return None;
        }
        let rate = self.rate()?;
        let cost = self.curve.cost(done, done.saturating_add(bytes));
        let seconds = cost / rate + self.stalls.expected(done, bytes);
        let behind = done as f64 + self.before as f64;
        let share = behind / (behind + bytes as f64).max(1.0);
        let spread = self.spread(share);
        // The stick has gone on since bytes were last told, which a sample may have missed.
        let since = self.silence().min(seconds);
        let low = (seconds - since) * (1.0 - spread) - GLANCE;
        let range = [low.max(0.0), seconds * (1.0 + spread) - since + GLANCE];
        range.iter().all(|end| end.is_finite()).then_some(range)
    }

    /// Whether the stick has become clearly slower than it was in this job.
    pub fn is_slower(&self) -> bool {
        let now = self.stretch.bytes_per_second();
        now.is_some_and(|now| now < SLOWER * self.best)
    }

    /// What was learnt of the stick in this job: from so many bytes on, so many a second.
    pub fn learnt(&self) -> Vec<(u64, f64)> {
        let pairs = self.course.iter().zip(self.course.iter().skip(1));
        let rates = pairs.map(|(from, to)| (from.0, (to.0 - from.0) as f64 / (to.1 - from.1)));
        rates.filter(|(_, rate)| rate.is_finite()).collect()
    }

    /// Seconds since the first sample, as far as the job was seen.
    pub fn seconds(&self) -> f64 {
        self.clock
    }

    /// Cost a second: what is remembered holds until the job shows something else.
    fn rate(&self) -> Option<f64> {
        let remembered = (!self.curve.is_empty()).then_some(1.0);
        let enough = self.stretch.beats() >= LEAST_BEATS || remembered.is_some();
        let seen = self.stretch.rate();
        match self.stretch.beats() {
            0 => seen.or(remembered),
            _ => seen.filter(|_| enough).or(remembered),
        }
    }

    fn spread(&self, share: f64) -> f64 {
        let beats = self.stretch.beats() as f64;
        let little_seen = 0.3 / (1.0 + beats);
        let uneven = self.stretch.unevenness() / beats.max(1.0).sqrt();
        // What a stick does that nobody knows shows later.
        let unknown = if self.curve.is_empty() { 0.3 } else { 0.0 };
        let early = unknown * (1.0 - share / SETTLED).max(0.0);
        let most = if share < SETTLED { WIDE } else { NARROW };
        (LEAST_SPREAD + little_seen + uneven + early).min(most)
    }

    /// Seconds since bytes came last.
    fn silence(&self) -> f64 {
        self.grew.map_or(0.0, |grew| self.clock - grew)
    }

    /// Seconds of silence that are more than this stick's way: a very slow one has little to tell.
    fn stall(&self) -> f64 {
        let (count, seconds) = self.arrivals;
        STALL.max(4.0 * seconds / f64::from(count.max(1)))
    }

    fn arrived(&mut self, done: u64) {
        let (silence, is_first) = (self.silence(), self.grew.is_none());
        let is_stall = self.arrivals.0 > 0 && silence >= self.stall();
        self.grew = Some(self.clock);
        if is_first {
            // What came before the first bytes is no work of the stick.
            self.beat = (self.clock, done);
            self.course = vec![(done, 0.0)];
            return;
        }
        if is_stall {
            // It begins anew behind the silence.
            self.stalls.add(silence);
            self.beat = (self.clock, done);
            return;
        }
        self.arrivals = (self.arrivals.0 + 1, self.arrivals.1 + silence);
        let (begun, from) = self.beat;
        let seconds = self.clock - begun;
        if seconds < BEAT {
            return;
        }
        self.beat = (self.clock, done);
        self.stretch.add(Beat {
            seconds,
            bytes: done - from,
            cost: self.curve.cost(from, done),
        });
        if let Some(rate) = self.stretch.bytes_per_second() {
            self.best = self.best.max(rate);
        }
        self.moving += seconds;
        self.keep(done);
    }

    /// Notes how far the job has come, ever less often.
    fn keep(&mut self, done: u64) {
        self.beats += 1;
        if !self.beats.is_multiple_of(1 << self.rarely) {
            return;
        }
        self.course.push((done, self.moving));
        if self.course.len() > MOST_POINTS {
            let mut index = 0;
            self.course.retain(|_| {
                index += 1;
                index % 2 == 1
            });
            self.rarely += 1;
        }
    }
}
