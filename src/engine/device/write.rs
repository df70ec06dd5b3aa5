use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::block::Block;
use super::digest::Digests;
use super::fault::fault;
use super::flushing::Flushing;
use super::lead::Lead;
use super::{Device, Image, Lane, OnStick, StopReason, Stopped, Written, marks};
use crate::engine::strategy::{Break, Chooser, Pulse, Strategy};
use crate::engine::{Meter, Operation, Speed};

const MIB: u64 = 1 << 20;
/// Bytes of the largest write. One at a time fills the queue of any stick: the kernel cuts it
/// into many requests that are on their way together, and in order, which sticks like best. A
/// second writer would only mix two sequences.
const MOST: u64 = 4 * MIB;

/// Writes an image's blocks as they come, all but its lead, until they are durable. Blocks; tells
/// its progress to the meter and stops when that is cancelled.
///
/// Begins with that strategy, where the stick is known: [`Strategy::Pulse`] gives it breaks.
///
/// Nothing is written before the image's first bytes are there. Then the old marks at both ends
/// go, and whatever ends the writing from there on leaves a stick that looks like nothing.
pub fn write<D: Device>(
    lane: Lane,
    device: &D,
    strategy: Option<Strategy>,
    meter: &Meter,
) -> Result<Written, Box<Stopped>> {
    let strategy = match strategy {
        Some(Strategy::Pulse) => Strategy::Pulse,
        _ => Strategy::Bulk,
    };
    let mut writer = Writer {
        image: Arc::clone(lane.image()),
        device,
        meter,
        lead: Lead::new(device.size()),
        start: device.now(),
        speed: Speed::default(),
        flushing: Flushing::default(),
        chooser: Chooser::new(strategy, Strategy::Bulk),
        pulse: Pulse::default(),
        touched: false,
    };
    match writer.run(lane) {
        Ok((size, digests)) => Ok(Written {
            size,
            mapped: writer.image.mapped(size),
            strategy: writer.chooser.strategy(),
            lead: writer.lead,
            digests,
        }),
        Err(reason) => {
            let on_stick = if writer.touched {
                OnStick::Incomplete
            } else {
                OnStick::AsBefore
            };
            Err(Box::new(Stopped { reason, on_stick }))
        }
    }
}

struct Writer<'a, D: Device> {
    image: Arc<Image>,
    device: &'a D,
    meter: &'a Meter,
    lead: Lead,
    start: Duration,
    speed: Speed,
    flushing: Flushing,
    chooser: Chooser,
    pulse: Pulse,
    /// Something was written, or may have been.
    touched: bool,
}

impl<D: Device> Writer<'_, D> {
    fn run(&mut self, mut lane: Lane) -> Result<(u64, Digests), StopReason> {
        let known = self.image.known_size();
        self.check_room(known.unwrap_or(0))?;
        self.sample();
        while let Some(block) = lane.next(self.meter)? {
            self.check_room(block.end())?;
            let written = self.image.written_of(block.start()..block.end());
            if block.index == 0 {
                self.clear_ends()?;
                self.lead.keep(&block, &written);
            }
            for range in written {
                self.write_range(&block, range)?;
            }
            lane.confirmed(&block);
        }
        let (size, digests) = lane.into_end();
        self.clear_behind(size)?;
        self.flush()?;
        Ok((size, digests))
    }

    fn check_room(&self, end: u64) -> Result<(), StopReason> {
        let device = self.device.size();
        if end <= device {
            return Ok(());
        }
        let image = self.image.known_size();
        Err(StopReason::TooLarge { device, image })
    }

    /// The old marks go, and something that is none takes the lead's place.
    fn clear_ends(&mut self) -> Result<(), StopReason> {
        self.touched = true;
        let tail = marks::tail(self.device.size());
        marks::zero(self.device, tail.start.max(self.lead.len())..tail.end)?;
        let guard = self.lead.guard();
        self.device.write_at(0, guard.as_slice()).map_err(fault(
            self.device,
            Operation::Write,
            Some(0),
        ))?;
        self.flush()
    }

    /// What lies behind the image, and was not cleared at the start.
    fn clear_behind(&self, size: u64) -> Result<(), StopReason> {
        let end = size.next_multiple_of(self.device.block_size());
        let tail = marks::tail(self.device.size());
        for range in marks::stale_ranges(self.device.size()) {
            let start = range.start.max(end).max(self.lead.len());
            let range = start..range.end.min(tail.start);
            if !range.is_empty() {
                marks::zero(self.device, range)?;
            }
        }
        Ok(())
    }

    fn write_range(&mut self, block: &Block, range: Range<u64>) -> Result<(), StopReason> {
        let mut offset = range.start.max(self.lead.len());
        while offset < range.end {
            if self.meter.is_cancelled() {
                return Err(StopReason::Cancelled);
            }
            let length = self.piece().min(range.end - offset);
            let padded = length.next_multiple_of(self.device.block_size()) as usize;
            let from = (offset - block.start()) as usize;
            self.meter.accept(length);
            self.device
                .write_at(offset, &block.buffer()[from..from + padded])
                .map_err(fault(self.device, Operation::Write, Some(offset)))?;
            self.meter.confirm(length);
            self.sample();
            self.choose(length);
            self.take_break(length)?;
            offset += length;
        }
        Ok(())
    }

    /// Watches whether the stick wants breaks.
    fn choose(&mut self, written: u64) {
        self.pulse.accept(written);
        let (at, before) = (self.elapsed(), self.chooser.strategy());
        if self.chooser.observe(at, self.meter.confirmed()) != before {
            self.chooser.begin(at);
            self.meter.turn();
        }
    }

    /// A flush, where it costs next to nothing; a stick that wants breaks gets them at any cost.
    fn take_break(&mut self, next: u64) -> Result<(), StopReason> {
        let (now, confirmed) = (self.device.now(), self.meter.confirmed());
        if self.flushing.is_due(now, confirmed) {
            return self.flush();
        }
        if self.chooser.strategy() != Strategy::Pulse || !self.pulse.is_due(next) {
            return Ok(());
        }
        match self.pulse.next_break() {
            Break::Flush => self.flush(),
            Break::Pause(time) => {
                self.device.pause(time);
                self.pulse.rested(None);
                Ok(())
            }
        }
    }

    fn flush(&mut self) -> Result<(), StopReason> {
        let (began, confirmed) = (self.device.now(), self.meter.confirmed());
        self.device
            .flush()
            .map_err(fault(self.device, Operation::Checkpoint, None))?;
        self.meter.durable_up_to(confirmed);
        let ended = self.device.now();
        self.flushing.made(began, ended, confirmed);
        self.pulse.rested(Some(ended.saturating_sub(began)));
        Ok(())
    }

    fn sample(&mut self) {
        self.speed.sample(self.elapsed(), self.meter.confirmed());
    }

    fn elapsed(&self) -> Duration {
        self.device.now().saturating_sub(self.start)
    }

    /// Half a second's bytes: what is on its way can be neither counted nor called back.
    fn piece(&self) -> u64 {
        let half = self.speed.bytes_per_second() / 2.0;
        (half as u64 / MIB * MIB).clamp(MIB, MOST)
    }
}
