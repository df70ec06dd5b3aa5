use std::time::Duration;

use super::bench::{Bench, Stopped};
use super::narrow::Narrow;
use super::period::Multiple;
use super::seen::{Seen, distances, end_between};
use super::{Beyond, Capacity};
use crate::engine::Meter;
use crate::engine::device::Device;

/// How long the run may be away from its place at a time.
const AWAY: Duration = Duration::from_secs(2);

/// The way from a first look to the size.
pub(super) struct Search<'a, D: Device> {
    bench: Bench<'a, D>,
    claimed: u64,
    block: u64,
}

impl<'a, D: Device> Search<'a, D> {
    /// `None` where the stick is too small to be looked at.
    pub(super) fn begin(
        device: &'a D,
        meter: &'a Meter,
        long: bool,
    ) -> Result<Option<Self>, Stopped> {
        let bench = Bench::begin(device, meter, long)?;
        Ok(bench.map(|bench| Self {
            bench,
            claimed: device.size(),
            block: device.block_size(),
        }))
    }

    pub(super) fn quick(&mut self) -> Result<Capacity, Stopped> {
        let points = self.bench.places.points.clone();
        let seen = self.bench.try_points(&points)?;
        for distance in distances(&points, &seen, &self.bench.places.run) {
            if let Some(period) = self.period(distance)? {
                return self.up_to(period);
            }
        }
        match end_between(&points, &seen, self.floor()) {
            Some((good, bad)) => {
                let real = self.end(good, bad)?;
                Ok(self.capacity(real, Beyond::Drops))
            }
            None => Ok(Capacity::honest(self.claimed)),
        }
    }

    /// Bytes that the stick had to take so far.
    pub(super) fn written(&self) -> u64 {
        self.bench.written()
    }

    pub(super) fn thorough(&mut self) -> Result<Capacity, Stopped> {
        let capacity = self.quick()?;
        if capacity.is_fake() {
            return Ok(capacity);
        }
        match self.look_everywhere()? {
            Some(period) => self.up_to(period),
            None => Ok(capacity),
        }
    }

    /// Every room that is smaller than the claim has a multiple in its upper half, and there a place
    /// that comes round to the run.
    fn look_everywhere(&mut self) -> Result<Option<u64>, Stopped> {
        let run = self.bench.places.run.clone();
        let first = (self.claimed / 2 + run.end) / self.block * self.block - self.block;
        let stride = run.end - run.start;
        let mut points = (first..self.claimed).step_by(stride as usize).peekable();
        while points.peek().is_some() {
            if let Some((point, Seen::Other(place))) = self.bench.look_for_run(&mut points, AWAY)?
                && let Some(period) = self.period(point - place)?
            {
                return Ok(Some(period));
            }
        }
        Ok(None)
    }

    /// The least distance after which the stick comes round, if it does after this one.
    fn period(&mut self, distance: u64) -> Result<Option<u64>, Stopped> {
        let run = self.bench.places.run.clone();
        let multiple = Multiple::new(distance / self.block);
        let mut points: Vec<_> = multiple
            .candidates()
            .into_iter()
            .map(|blocks| run.start + blocks * self.block)
            .filter(|point| (run.end..self.claimed).contains(point))
            .collect();
        points.sort_unstable();
        let seen = self.bench.try_points(&points)?;
        let comes_round = |blocks: u64| {
            let point = points.binary_search(&(run.start + blocks * self.block));
            point.is_ok_and(|point| seen[point].is_in(&run))
        };
        let period = multiple.reduce(comes_round);
        Ok(period.map(|blocks| blocks * self.block))
    }

    /// The size of a stick that comes round there; it may have even less.
    fn up_to(&mut self, period: u64) -> Result<Capacity, Stopped> {
        let last = period - self.block;
        let real = match self.bench.try_points(&[last])?[0] {
            Seen::Own => period,
            _ => self.end(self.floor(), last)?,
        };
        Ok(self.capacity(real, Beyond::Wraps))
    }

    /// Bytes in front of the place where it ends.
    fn end(&mut self, good: u64, bad: u64) -> Result<u64, Stopped> {
        let mut narrow = Narrow::between(good, bad, self.block);
        loop {
            let points = narrow.points();
            if points.is_empty() {
                return Ok(narrow.end());
            }
            let seen = self.bench.try_points(&points)?;
            narrow.take(&points, &seen);
        }
    }

    /// The last block that is taken to be there.
    fn floor(&self) -> u64 {
        self.bench.places.run.end - self.block
    }

    fn capacity(&self, real: u64, beyond: Beyond) -> Capacity {
        Capacity {
            claimed: self.claimed,
            real,
            beyond: Some(beyond),
        }
    }
}
