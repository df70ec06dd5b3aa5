use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What the thread that unpacks and those who wait for it know of each other.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// Where the thread is in the file.
    position: AtomicU64,
    /// Where the packed bytes begin there.
    start: AtomicU64,
    /// Bytes handed out, and the packed bytes that they were made of.
    delivered: AtomicU64,
    consumed: AtomicU64,
    cancelled: AtomicBool,
    /// Bytes that may still be read, where that is bounded.
    budget: Mutex<Option<u64>>,
    failure: Mutex<Option<io::Error>>,
}

impl Watch {
    pub(super) fn set_position(&self, position: u64) {
        self.position.store(position, Ordering::Relaxed);
    }

    pub(super) fn set_start(&self, start: u64) {
        self.start.store(start, Ordering::Relaxed);
    }

    /// Packed bytes that were read so far.
    pub(super) fn read_so_far(&self) -> u64 {
        let position = self.position.load(Ordering::Relaxed);
        position.saturating_sub(self.start.load(Ordering::Relaxed))
    }

    pub(super) fn deliver(&self, bytes: u64) {
        self.delivered.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn consume_up_to(&self, packed: u64) {
        self.consumed.fetch_max(packed, Ordering::Relaxed);
    }

    pub(super) fn delivered(&self) -> u64 {
        self.delivered.load(Ordering::Relaxed)
    }

    pub(super) fn consumed(&self) -> u64 {
        self.consumed.load(Ordering::Relaxed)
    }

    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    /// Bounds what is read from now on, or lifts the bound.
    pub(super) fn set_budget(&self, bytes: Option<u64>) {
        *lock(&self.budget) = bytes;
    }

    /// Whether so many more bytes may be read.
    pub(super) fn spend(&self, bytes: u64) -> bool {
        let mut budget = lock(&self.budget);
        let left = budget.map(|budget| budget.checked_sub(bytes));
        if let Some(Some(left)) = left {
            *budget = Some(left);
        }
        left != Some(None)
    }

    /// The source could not be read. Decoders turn such errors into their own; this one lasts.
    pub(super) fn fail(&self, error: io::Error) {
        lock(&self.failure).get_or_insert(error);
    }

    pub(super) fn take_failure(&self) -> Option<io::Error> {
        lock(&self.failure).take()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
