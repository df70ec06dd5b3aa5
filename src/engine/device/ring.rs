use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::ImageTrouble;
use super::block::Block;

/// The blocks between the reader of an image and its sticks, bounded and shared.
///
/// The reader waits while it is full. Nobody else waits for anybody: when a stick has taken all
/// there is and the ring is full, those that are behind by the whole of it are left behind.
#[derive(Debug)]
pub(super) struct Ring {
    state: Mutex<State>,
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug)]
struct State {
    blocks: VecDeque<Arc<Block>>,
    /// Index of the first of them.
    first: u64,
    places: Vec<Place>,
    end: Option<Result<u64, ImageTrouble>>,
}

/// Where a stick is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// It takes this block next, and waits for it or not.
    At { next: u64, waits: bool },
    /// Others went on without it.
    Behind,
    /// It takes no more.
    Gone,
}

/// What a stick gets.
#[derive(Debug)]
pub(super) enum Taken {
    Block(Arc<Block>),
    /// All was taken; bytes of the image.
    End(u64),
    /// No block can be had, for the image is not what it should be.
    Trouble(ImageTrouble),
    /// It has fallen behind, and the others went on.
    Behind,
    /// Nothing came within the time.
    Nothing,
}

/// Nobody takes blocks any more.
#[derive(Debug)]
pub(super) struct Unwanted;

impl Ring {
    /// For that many blocks and sticks.
    pub(super) fn new(capacity: usize, sticks: usize) -> Self {
        let start = Place::At {
            next: 0,
            waits: false,
        };
        Self {
            state: Mutex::new(State {
                blocks: VecDeque::new(),
                first: 0,
                places: vec![start; sticks],
                end: None,
            }),
            changed: Condvar::new(),
            capacity,
        }
    }

    /// Adds the next block once there is room.
    pub(super) fn put(&self, block: Block) -> Result<(), Unwanted> {
        let mut state = self.lock();
        loop {
            state.drop_taken();
            if !state.is_wanted() {
                return Err(Unwanted);
            }
            if state.blocks.len() < self.capacity {
                state.blocks.push_back(Arc::new(block));
                self.changed.notify_all();
                return Ok(());
            }
            if state.someone_waits() {
                state.leave_last_behind();
                self.changed.notify_all();
                continue;
            }
            state = self.wait(state);
        }
    }

    /// No more blocks come: the image's bytes were that many, or something is wrong with it.
    pub(super) fn end(&self, end: Result<u64, ImageTrouble>) {
        self.lock().end.get_or_insert(end);
        self.changed.notify_all();
    }

    /// The next block for a stick.
    pub(super) fn take(&self, stick: usize, patience: Duration) -> Taken {
        let mut state = self.lock();
        let mut patient = true;
        loop {
            let next = match state.places[stick] {
                Place::At { next, .. } => next,
                Place::Behind | Place::Gone => return Taken::Behind,
            };
            if let Some(Err(trouble)) = &state.end {
                return Taken::Trouble(trouble.clone());
            }
            let block = state.blocks.get((next - state.first) as usize).cloned();
            let found = match (block, &state.end) {
                (Some(block), _) => Some((Taken::Block(block), next + 1)),
                (None, Some(Ok(size))) => Some((Taken::End(*size), next)),
                (None, _) if !patient => Some((Taken::Nothing, next)),
                (None, _) => None,
            };
            let waits = found.is_none();
            let next = found.as_ref().map_or(next, |(_, next)| *next);
            state.places[stick] = Place::At { next, waits };
            // There may be room now, or a reason to leave others behind.
            self.changed.notify_all();
            if let Some((taken, _)) = found {
                return taken;
            }
            let waited = self.changed.wait_timeout_while(state, patience, |state| {
                let at = state.places[stick] == Place::At { next, waits: true };
                let there = next < state.first + state.blocks.len() as u64;
                at && !there && state.end.is_none()
            });
            let (guard, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            state = guard;
            patient = !timeout.timed_out();
        }
    }

    /// A stick takes no more.
    pub(super) fn leave(&self, stick: usize) {
        self.lock().places[stick] = Place::Gone;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        let waited = self.changed.wait(state);
        waited.unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn is_wanted(&self) -> bool {
        self.next_of_all().next().is_some()
    }

    fn next_of_all(&self) -> impl Iterator<Item = u64> {
        self.places.iter().filter_map(|place| match place {
            Place::At { next, .. } => Some(*next),
            Place::Behind | Place::Gone => None,
        })
    }

    fn drop_taken(&mut self) {
        let Some(least) = self.next_of_all().min() else {
            return;
        };
        while self.first < least && self.blocks.pop_front().is_some() {
            self.first += 1;
        }
    }

    fn someone_waits(&self) -> bool {
        let end = self.first + self.blocks.len() as u64;
        let hungry = Place::At {
            next: end,
            waits: true,
        };
        self.places.contains(&hungry)
    }

    /// Those that have taken nothing of what is there.
    fn leave_last_behind(&mut self) {
        for place in &mut self.places {
            if matches!(place, Place::At { next, .. } if *next == self.first) {
                *place = Place::Behind;
            }
        }
    }
}
