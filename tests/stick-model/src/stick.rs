//! One stick in its port.

use std::{
    fs::File,
    io,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use crate::{
    Counters, Profile, Stats,
    layers::Layers,
    stats::Tally,
    timing::{Direction, Request, Timing},
};

mod error;

pub use error::StickError;

/// A failing write ends in a whole sector.
const SECTOR: u64 = 512;

/// A stick that serves one request at a time, each call blocking for as long as the stick takes.
///
/// Its figures can be asked for, and its power taken away, at any time from another thread.
#[derive(Debug)]
pub struct Stick {
    size: u64,
    dies_at: u64,
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
    /// Plugs in a stick of the size of `medium`, which holds what a pull leaves alone.
    pub fn plug_in(medium: File, profile: &Profile) -> io::Result<Self> {
        let size = medium.metadata()?.len();
        let parameters = profile.parameters();
        Ok(Self {
            size,
            dies_at: parameters.dies_at.unwrap_or(u64::MAX),
            plugged_in: Instant::now(),
            layers: Mutex::new(Layers::new(medium, parameters)),
            state: Mutex::new(State {
                timing: Timing::new(parameters.clone()),
                tally: Tally::new(profile.to_string(), size),
                powered: true,
                died: false,
            }),
            power: Condvar::new(),
        })
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Fills `buffer` from `offset` on.
    pub fn read(&self, buffer: &mut [u8], offset: u64) -> Result<(), StickError> {
        self.transfer(Direction::Read, buffer.len(), offset)?;
        let layers = lock(&self.layers);
        self.state().ready()?;
        layers.read(buffer, offset)?;
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
        let left = self.dies_at.saturating_sub(so_far);
        let dies = left < data.len() as u64;
        let taken = if dies {
            &data[..(left - left % SECTOR) as usize]
        } else {
            data
        };
        let volatile = layers.write(taken, offset, durable)?;

        let mut state = self.state();
        let range = offset..offset + taken.len() as u64;
        state.tally.wrote(&range, !volatile, self.up());
        if durable {
            state.tally.forced();
        }
        if dies {
            state.died = true;
            return Err(StickError::Dead);
        }
        Ok(())
    }

    /// Makes everything written so far survive a pull.
    pub fn flush(&self) -> Result<(), StickError> {
        let mut state = self.ready()?;
        state.tally.asked_to_flush();
        let done_at = state.timing.flush(Instant::now());
        self.wait(state, done_at)?;
        let mut layers = lock(&self.layers);
        self.state().ready()?;
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
            self.state().tally.survived(&survived);
        }
        Ok(())
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

    /// Lets a read or a write take its time.
    fn transfer(&self, direction: Direction, length: usize, offset: u64) -> Result<(), StickError> {
        let length = length as u64;
        if offset.checked_add(length).is_none_or(|end| end > self.size) {
            return Err(StickError::OutOfRange);
        }
        let mut state = self.ready()?;
        let request = Request {
            direction,
            offset,
            length,
        };
        let begun = state.timing.begin(request, Instant::now());
        state.tally.begin(direction, begun);
        self.wait(state, begun.done_at)
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
