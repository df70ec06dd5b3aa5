use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::StopReason;
use super::fault::fault;
use super::window::{Bounds, Piece, Window};
use crate::engine::speed::Speed;
use crate::engine::strategy::{Break, Chooser, Pulse, Strategy};
use crate::engine::target::Target;
use crate::engine::{Meter, Operation};

/// Pieces of a file end at multiples of this, so that no page is written twice.
const GRAIN: u64 = 64 << 10;

/// The bytes on their way to the stick: one queue of windows for all files, bounded by the rate
/// and paced by the strategy.
pub(super) struct Flow<'a, T: Target> {
    target: &'a T,
    meter: &'a Meter,
    start: Duration,
    /// Time spent on checkpoints, which says nothing about a strategy.
    aside: Duration,
    speed: Speed,
    chooser: Chooser,
    /// The strategy has changed and what came before it is still on its way.
    switched: bool,
    pulse: Pulse,
    filling: Window<'a, T::File>,
    in_flight: VecDeque<Window<'a, T::File>>,
}

impl<'a, T: Target> Flow<'a, T> {
    pub(super) fn new(target: &'a T, meter: &'a Meter, strategy: Strategy) -> Self {
        let mut speed = Speed::default();
        speed.sample(Duration::ZERO, meter.confirmed());
        Self {
            target,
            meter,
            start: target.now(),
            aside: Duration::ZERO,
            speed,
            chooser: Chooser::new(strategy, Strategy::Stream),
            switched: false,
            pulse: Pulse::default(),
            filling: Window::new(),
            in_flight: VecDeque::new(),
        }
    }

    /// The strategy in use.
    pub(super) fn strategy(&self) -> Strategy {
        self.chooser.strategy()
    }

    /// How many bytes go next: up to the end of the window, in whole grains.
    pub(super) fn next_length(&mut self, left: u64) -> Result<u64, StopReason> {
        if std::mem::take(&mut self.switched) {
            // At once, and not when all is confirmed that is on its way: that may take long.
            if self.chooser.strategy() == Strategy::Pulse {
                self.flush()?;
            }
            self.chooser.begin(self.measured());
        }
        loop {
            let room = self.filling.room(self.bounds());
            if left <= room {
                return Ok(left);
            }
            if room >= GRAIN {
                return Ok(room / GRAIN * GRAIN);
            }
            self.submit()?;
        }
    }

    /// Hands over so many bytes, as [`Flow::next_length`] said, once there is room for them.
    pub(super) fn write(
        &mut self,
        path: &'a Path,
        file: &Rc<T::File>,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), StopReason> {
        let length = bytes.len() as u64;
        self.make_room(length)?;
        let written = self.target.write_at(file, offset, bytes);
        written.map_err(fault(self.target, Operation::Write, path))?;
        self.meter.accept(length);
        let file = Rc::clone(file);
        self.filling.add(Piece {
            file,
            path,
            offset,
            length,
        });
        if self.filling.room(self.bounds()) == 0 {
            self.submit()?;
        }
        Ok(())
    }

    /// Starts the write-out of the window that is being filled.
    pub(super) fn submit(&mut self) -> Result<(), StopReason> {
        if self.filling.pieces.is_empty() {
            return Ok(());
        }
        let bytes = self.filling.bytes();
        if self.chooser.strategy() == Strategy::Pulse && self.pulse.is_due(bytes) {
            // What goes next is in memory already, so that the break is as short as can be.
            self.take_break()?;
        }
        self.pulse.accept(bytes);
        let window = std::mem::replace(&mut self.filling, Window::new());
        for piece in &window.pieces {
            let started = self
                .target
                .start_write_out(&piece.file, piece.offset, piece.length);
            started.map_err(fault(self.target, Operation::WriteOut, piece.path))?;
        }
        self.in_flight.push_back(window);
        Ok(())
    }

    /// Waits for the oldest window; what it held is confirmed then.
    pub(super) fn settle_oldest(&mut self) -> Result<(), StopReason> {
        let Some(window) = self.in_flight.pop_front() else {
            return Ok(());
        };
        for piece in &window.pieces {
            let written = self
                .target
                .wait_write_out(&piece.file, piece.offset, piece.length);
            written.map_err(fault(self.target, Operation::WriteOut, piece.path))?;
            self.target
                .drop_cache(&piece.file, piece.offset, piece.length);
            self.meter.confirm(piece.length);
        }
        let confirmed = self.meter.confirmed();
        self.speed.sample(self.elapsed(), confirmed);
        let before = self.chooser.strategy();
        if self.chooser.observe(self.measured(), confirmed) != before {
            self.switched = true;
            self.meter.turn();
        }
        Ok(())
    }

    /// Waits until all that was handed over is confirmed.
    pub(super) fn drain(&mut self) -> Result<(), StopReason> {
        self.submit()?;
        self.settle_all()
    }

    fn settle_all(&mut self) -> Result<(), StopReason> {
        while !self.in_flight.is_empty() {
            self.settle_oldest()?;
        }
        Ok(())
    }

    /// A checkpoint was made, at that cost.
    pub(super) fn rested(&mut self, cost: Duration) {
        self.aside += cost;
        self.pulse.rested(None);
    }

    /// Forgets what is on its way: the stick has failed.
    pub(super) fn forget(&mut self) {
        self.filling = Window::new();
        self.in_flight.clear();
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.target.now().saturating_sub(self.start)
    }

    /// Waits until that many more bytes, and one more piece, are within the bounds.
    fn make_room(&mut self, length: u64) -> Result<(), StopReason> {
        loop {
            let bounds = self.bounds();
            let pieces: usize = self
                .in_flight
                .iter()
                .map(|window| window.pieces.len())
                .sum();
            let fits = self.meter.unconfirmed() + length <= bounds.unconfirmed
                && pieces + self.filling.pieces.len() < bounds.pieces;
            if fits {
                return Ok(());
            }
            if self.in_flight.is_empty() {
                self.submit()?;
            }
            self.settle_oldest()?;
        }
    }

    /// Lets a stick breathe that gets slow when it is fed without a break.
    fn take_break(&mut self) -> Result<(), StopReason> {
        self.settle_all()?;
        let flush = match self.pulse.next_break() {
            Break::Pause(time) => {
                self.target.pause(time);
                None
            }
            Break::Flush => Some(self.flush()?),
        };
        self.pulse.rested(flush);
        Ok(())
    }

    /// Flushes the stick's own cache. Gives what it took.
    fn flush(&mut self) -> Result<Duration, StopReason> {
        let begin = self.target.now();
        let flushed = self.target.flush_device();
        flushed.map_err(fault(self.target, Operation::Checkpoint, Path::new("")))?;
        Ok(self.target.now().saturating_sub(begin))
    }

    fn bounds(&self) -> Bounds {
        Bounds::of_rate(self.speed.bytes_per_second())
    }

    /// Time that says something about a strategy.
    fn measured(&self) -> Duration {
        self.elapsed().saturating_sub(self.aside)
    }
}
