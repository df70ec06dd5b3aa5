use std::cell::Cell;
use std::io;
use std::time::Duration;

use super::places::Places;
use super::seen::Seen;
use crate::engine::aligned::AlignedBuffer;
use crate::engine::device::{Device, StopReason, fault, partition_starts};
use crate::engine::pattern::Pattern;
use crate::engine::{Meter, Operation};

/// Bytes from the start in which partition tables are looked for.
const TABLES: u64 = 64 << 10;
/// How often something is put back before it is given up.
const ATTEMPTS: u32 = 3;
/// Between two of them.
const PAUSE: Duration = Duration::from_millis(50);

/// Why a stick's room is not known.
#[derive(Debug)]
pub struct Stopped {
    /// Cancelled, or the stick failed.
    pub reason: StopReason,
    /// Everything is as it was. Otherwise some blocks hold test data now.
    pub intact: bool,
}

impl From<StopReason> for Stopped {
    fn from(reason: StopReason) -> Self {
        Self {
            reason,
            intact: true,
        }
    }
}

/// Writes test data to a stick, looks at it, and puts back what was there.
pub(super) struct Bench<'a, D: Device> {
    device: &'a D,
    meter: &'a Meter,
    pattern: Pattern,
    pub(super) places: Places,
    run: AlignedBuffer,
    /// Bytes, of test data and of what was put back.
    written: Cell<u64>,
}

/// What was at the places of one trial.
struct Originals<'a> {
    points: &'a [u64],
    bytes: AlignedBuffer,
}

impl<'a, D: Device> Bench<'a, D> {
    /// Reads where it may write, for a long look or a short one; `None` where the stick is too
    /// small.
    pub(super) fn begin(
        device: &'a D,
        meter: &'a Meter,
        long: bool,
    ) -> Result<Option<Self>, Stopped> {
        let mut head = AlignedBuffer::new(TABLES.min(device.size()) as usize);
        let read = device.read_at(0, head.as_mut_slice());
        read.map_err(fault(device, Operation::ReadBack, Some(0)))?;
        let starts = partition_starts(head.as_slice());
        let places = Places::of(device.size(), device.block_size(), &starts, long);
        Ok(places.map(|places| Self {
            device,
            meter,
            pattern: Pattern::random(),
            run: AlignedBuffer::new((places.run.end - places.run.start) as usize),
            written: Cell::new(0),
            places,
        }))
    }

    /// Writes to the points, which are in order and behind the run, then to the run; tells what
    /// is at the points then. Everything is as it was afterwards.
    pub(super) fn try_points(&mut self, points: &[u64]) -> Result<Vec<Seen>, Stopped> {
        self.read_run()?;
        let originals = self.read_points(points)?;
        let seen = self.write_points(points).and_then(|()| {
            self.write_run()?;
            self.look_at(points.iter().copied())
        });
        // What came round lies over what is lower, so that goes back last.
        let back = self.put_points_back(&originals);
        let back = self.put_run_back().and(back);
        self.end(seen, back)
    }

    /// Writes to the run, and looks at other places for so long; tells the first that shows
    /// the run. Everything is as it was afterwards.
    pub(super) fn look_for_run(
        &mut self,
        points: &mut impl Iterator<Item = u64>,
        time: Duration,
    ) -> Result<Option<(u64, Seen)>, Stopped> {
        self.read_run()?;
        let found = self.write_run().and_then(|()| {
            // Again, so that none of it is only in a cache that reading elsewhere passes by.
            self.write_run()?;
            let run = self.places.run.clone();
            let began = self.device.now();
            while self.device.now().saturating_sub(began) < time {
                let Some(point) = points.next() else { break };
                let seen = self.look_at([point].into_iter())?[0];
                if seen.is_in(&run) {
                    return Ok(Some((point, seen)));
                }
            }
            Ok(None)
        });
        let back = self.put_run_back();
        self.end(found, back)
    }

    /// Bytes that the stick had to take so far.
    pub(super) fn written(&self) -> u64 {
        self.written.get()
    }

    fn end<T>(&self, result: Result<T, StopReason>, back: io::Result<()>) -> Result<T, Stopped> {
        let intact = back.is_ok();
        let back = back.map_err(fault(self.device, Operation::Write, None));
        // What went wrong first says more.
        result
            .and_then(|result| back.map(|()| result))
            .map_err(|reason| Stopped { reason, intact })
    }

    fn stop_if_cancelled(&self) -> Result<(), StopReason> {
        if self.meter.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        Ok(())
    }

    fn read_run(&mut self) -> Result<(), StopReason> {
        self.stop_if_cancelled()?;
        let offset = self.places.run.start;
        let read = self.device.read_at(offset, self.run.as_mut_slice());
        read.map_err(fault(self.device, Operation::ReadBack, Some(offset)))
    }

    fn read_points<'p>(&self, points: &'p [u64]) -> Result<Originals<'p>, StopReason> {
        let block = self.device.block_size() as usize;
        let mut bytes = AlignedBuffer::new(points.len() * block);
        for (point, bytes) in points.iter().zip(bytes.as_mut_slice().chunks_mut(block)) {
            self.stop_if_cancelled()?;
            let read = self.device.read_at(*point, bytes);
            read.map_err(fault(self.device, Operation::ReadBack, Some(*point)))?;
        }
        Ok(Originals { points, bytes })
    }

    /// From the lowest to the highest.
    fn write_points(&self, points: &[u64]) -> Result<(), StopReason> {
        let mut block = AlignedBuffer::new(self.device.block_size() as usize);
        for point in points {
            self.stop_if_cancelled()?;
            self.pattern.fill(*point, block.as_mut_slice());
            let written = self.write(*point, block.as_slice());
            written.map_err(fault(self.device, Operation::Write, Some(*point)))?;
        }
        self.flush()
    }

    fn write_run(&self) -> Result<(), StopReason> {
        self.stop_if_cancelled()?;
        let offset = self.places.run.start;
        let mut run = AlignedBuffer::new(self.run.as_slice().len());
        self.pattern.fill(offset, run.as_mut_slice());
        let written = self.write(offset, run.as_slice());
        written.map_err(fault(self.device, Operation::Write, Some(offset)))?;
        self.flush()
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.written.set(self.written.get() + bytes.len() as u64);
        self.device.write_at(offset, bytes)
    }

    fn flush(&self) -> Result<(), StopReason> {
        let flushed = self.device.flush();
        flushed.map_err(fault(self.device, Operation::Checkpoint, None))
    }

    fn look_at(&self, points: impl Iterator<Item = u64>) -> Result<Vec<Seen>, StopReason> {
        let mut block = AlignedBuffer::new(self.device.block_size() as usize);
        let seen = points.map(|point| {
            self.stop_if_cancelled()?;
            let read = self.device.read_at(point, block.as_mut_slice());
            read.map_err(fault(self.device, Operation::ReadBack, Some(point)))?;
            let bytes = block.as_slice();
            Ok(match self.pattern.mismatch(point, bytes) {
                None => Seen::Own,
                Some(_) => match self.pattern.place_of(&bytes[..Pattern::SECTOR]) {
                    // A torn block: it was begun, and is not what was written.
                    Some(place) if place == point => Seen::Lost,
                    Some(place) => Seen::Other(place),
                    None => Seen::Lost,
                },
            })
        });
        seen.collect()
    }

    /// From the highest to the lowest. All of them, whatever becomes of one.
    fn put_points_back(&self, originals: &Originals<'_>) -> io::Result<()> {
        let block = self.device.block_size() as usize;
        let bytes = originals.bytes.as_slice().chunks(block);
        originals
            .points
            .iter()
            .zip(bytes)
            .rev()
            .map(|(point, bytes)| self.insist(|| self.write(*point, bytes)))
            .fold(Ok(()), io::Result::and)
    }

    fn put_run_back(&self) -> io::Result<()> {
        let (offset, bytes) = (self.places.run.start, self.run.as_slice());
        let written = self.insist(|| self.write(offset, bytes));
        written.and(self.insist(|| self.device.flush()))
    }

    /// Tries again what must not be left undone.
    fn insist(&self, attempt: impl Fn() -> io::Result<()>) -> io::Result<()> {
        let mut result = attempt();
        for _ in 1..ATTEMPTS {
            if result.is_ok() || self.device.is_gone() {
                break;
            }
            self.device.pause(PAUSE);
            result = attempt();
        }
        result
    }
}
