//! One stick in its port.

use std::{
    fs::File,
    io,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    Counters, Parameters, Profile, Stats,
    layers::Layers,
    stats::{Kept, Tally},
    timing::{Direction, Request, Timing},
};

mod ailment;
mod capacity;
mod error;

use ailment::Health;
pub use ailment::{Ailment, Operation};
use capacity::Capacity;
pub use error::StickError;

/// A stick that serves one request at a time, each call blocking for as long as the stick takes.
///
/// Its figures can be asked for, and its power taken away, at any time from another thread.
#[derive(Debug)]
pub struct Stick {
    capacity: Capacity,
    parameters: Parameters,
    plugged_in: Instant,
    /// Locked before `state` where both are.
    layers: Mutex<Layers>,
    state: Mutex<State>,
    /// Wakes a request that is taking its time.
    power: Condvar,
}

/// What is never locked while something takes long.
#[derive(Debug)]
struct State {
    timing: Timing,
    tally: Tally,
    health: Health,
    powered: bool,
    died: bool,
}

impl State {
    /// Whether requests are served.
    fn ready(&self) -> Result<(), StickError> {
        match (self.powered, self.died) {
            (false, _) => Err(StickError::Unpowered),
            (true, true) => Err(StickError::Dead),
            (true, false) => Ok(()),
        }
    }

    fn counters(&self, up: Duration) -> Counters {
        Counters {
            powered: self.powered,
            died: self.died,
            ..self.tally.counters(up)
        }
    }
}

impl Stick {
    /// Plugs in a stick with `medium`, which holds what a pull leaves alone. It has that size,
    /// and unless it is a fake one, the host is told that size.
    ///
    /// The error is of kind `InvalidInput` if no stick can have that size.
    pub fn plug_in(medium: File, profile: &Profile) -> io::Result<Self> {
        let parameters = profile.parameters();
        let capacity = Capacity::new(medium.metadata()?.len(), parameters)?;
        Ok(Self {
            plugged_in: Instant::now(),
            layers: Mutex::new(Layers::new(medium, parameters)),
            state: Mutex::new(State {
                timing: Timing::new(parameters.clone()),
                tally: Tally::new(profile.to_string(), capacity.claimed()),
                health: Health::default(),
                powered: true,
                died: false,
            }),
            power: Condvar::new(),
            parameters: parameters.clone(),
            capacity,
        })
    }

    /// Its size in bytes, as it claims.
    pub fn size(&self) -> u64 {
        self.capacity.claimed()
    }

    /// Fills `buffer` from `offset` on.
    pub fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), StickError> {
        self.transfer(Direction::Read, buffer.len(), offset)?;
        let layers = lock(&self.layers);
        self.state().ready()?;
        for piece in self.capacity.pieces(offset, buffer.len()) {
            let part = &mut buffer[piece.part];
            match piece.place {
                Some(place) => layers.read(part, place)?,
                None => part.fill(0),
            }
        }
        self.state().tally.read(buffer.len() as u64, self.up());
        Ok(())
    }

    /// Writes `data` at `offset`; `durable` asks that it survives a pull by itself (FUA).
    ///
    /// The write with which a stick dies arrives up to that byte, in whole sectors, and fails.
    pub fn write(&self, data: &[u8], offset: u64, durable: bool) -> Result<(), StickError> {
        self.transfer(Direction::Write, data.len(), offset)?;
        let mut layers = lock(&self.layers);
        let so_far = self.ready()?.tally.bytes_written();
        let left = self.parameters.dies_at.map(|at| at.saturating_sub(so_far));
        let dies = left.filter(|left| *left < data.len() as u64);
        let taken = match dies {
            Some(left) => &data[..(left - left % self.parameters.sector) as usize],
            None => data,
        };
        for piece in self.capacity.pieces(offset, taken.len()) {
            let kept = match piece.place {
                Some(place) if layers.write(&taken[piece.part.clone()], place, durable)? => {
                    Kept::InCache
                }
                Some(_) => Kept::OnMedium,
                None => Kept::Nowhere,
            };
            let mut state = self.state();
            for range in self.capacity.overwritten_by(&piece) {
                state.tally.lost(&range);
            }
            state.tally.wrote(&piece.seen, kept, self.up());
        }

        let mut state = self.state();
        if durable {
            state.tally.forced();
        }
        if dies.is_some() {
            state.died = true;
            return Err(StickError::Dead);
        }
        Ok(())
    }

    /// Makes everything written so far survive a pull.
    pub fn flush(&self) -> Result<(), StickError> {
        let mut state = self.ready()?;
        state.tally.asked_to_flush();
        let done_at = state.timing.flush(Instant::now()) + state.health.delay(Operation::Flush);
        self.wait(state, done_at)?;
        let mut layers = lock(&self.layers);
        if self.ready()?.health.fails(Operation::Flush) {
            return Err(StickError::Failed);
        }
        layers.flush()?;
        self.state().tally.flushed();
        Ok(())
    }

    /// Takes the power away: what was not flushed is lost or not, and every request fails from
    /// now on. When this returns, the medium's file is final and synced.
    pub fn power_off(&self) -> io::Result<()> {
        let was_powered = std::mem::replace(&mut self.state().powered, false);
        self.power.notify_all();
        let mut layers = lock(&self.layers);
        if was_powered {
            let survived = layers.power_off()?;
            let seen = survived
                .into_iter()
                .flat_map(|place| self.capacity.seen_at(place));
            self.state().tally.survived(seen);
        }
        Ok(())
    }

    /// From now on the stick suffers from that.
    pub fn befall(&self, ailment: Ailment) {
        self.state().health.befallen(ailment);
    }

    /// The scalar figures.
    pub fn counters(&self) -> Counters {
        self.state().counters(self.up())
    }

    /// All figures.
    pub fn stats(&self) -> Stats {
        let state = self.state();
        state.tally.stats(state.counters(self.up()))
    }

    /// Lets a read or a write take its time, which it also does where it fails.
    fn transfer(&self, direction: Direction, length: usize, offset: u64) -> Result<(), StickError> {
        let request = Request {
            direction,
            offset,
            length: length as u64,
        };
        self.check(request)?;
        let mut state = self.ready()?;
        let begun = state.timing.begin(request, Instant::now());
        state.tally.begin(direction, begun);
        let operation = match direction {
            Direction::Read => Operation::Read,
            Direction::Write => Operation::Write,
        };
        let delay = state.health.delay(operation);
        self.wait(state, begun.done_at + delay)?;
        if self.is_bad(request) {
            return Err(StickError::Bad);
        }
        if self.ready()?.health.fails(operation) {
            return Err(StickError::Failed);
        }
        Ok(())
    }

    /// Whether any stick of this size could do it.
    fn check(&self, request: Request) -> Result<(), StickError> {
        let Request { offset, length, .. } = request;
        let sector = self.parameters.sector;
        if offset
            .checked_add(length)
            .is_none_or(|end| end > self.size())
        {
            Err(StickError::OutOfRange)
        } else if !(offset.is_multiple_of(sector) && length.is_multiple_of(sector)) {
            Err(StickError::Unaligned)
        } else {
            Ok(())
        }
    }

    /// Whether it touches what this stick cannot read or write.
    fn is_bad(&self, request: Request) -> bool {
        let concerned = match request.direction {
            Direction::Read => self.parameters.bad_reads,
            Direction::Write => self.parameters.bad_writes,
        };
        concerned
            && self.parameters.bad.as_ref().is_some_and(|bad| {
                bad.start < request.offset + request.length && request.offset < bad.end
            })
    }

    /// Waits until `deadline`, or until the power is gone. The state is unlocked meanwhile.
    fn wait(&self, mut state: MutexGuard<'_, State>, deadline: Instant) -> Result<(), StickError> {
        loop {
            state.ready()?;
            let now = Instant::now();
            if now >= deadline {
                state.timing.finish(now);
                return Ok(());
            }
            state = self
                .power
                .wait_timeout(state, deadline - now)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
    }

    /// The state, unless the stick is dead or without power.
    fn ready(&self) -> Result<MutexGuard<'_, State>, StickError> {
        let state = self.state();
        state.ready()?;
        Ok(state)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn up(&self) -> Duration {
        self.plugged_in.elapsed()
    }
}

/// A panic elsewhere leaves figures that may be off by one request; tests still want to see them.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests;
