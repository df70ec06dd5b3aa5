use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The running totals of one job: written by the worker, read by whoever shows them.
///
/// Totals only grow, and a reader sees `durable <= confirmed <= accepted`.
#[derive(Debug, Default)]
pub struct Meter {
    accepted: AtomicU64,
    confirmed: AtomicU64,
    durable: AtomicU64,
    checked: AtomicU64,
    items_done: AtomicU64,
    peak_unconfirmed: AtomicU64,
    current: Mutex<Option<PathBuf>>,
    cancelled: AtomicBool,
}

/// What a [`Meter`] held at one moment. Bytes, except `items_done`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Totals {
    /// Handed to the kernel.
    pub accepted: u64,
    /// Reported written by the stick.
    pub confirmed: u64,
    /// Covered by a flush that reached the device's own cache.
    pub durable: u64,
    /// Read back from the stick and compared.
    pub checked: u64,
    /// Files that are complete on the stick under their own names.
    pub items_done: u64,
    /// The file being worked on.
    pub current: Option<PathBuf>,
}

impl Meter {
    /// Bytes were handed to the kernel.
    pub fn accept(&self, bytes: u64) {
        let accepted = self.accepted.fetch_add(bytes, Ordering::SeqCst) + bytes;
        let unconfirmed = accepted - self.confirmed.load(Ordering::SeqCst);
        self.peak_unconfirmed
            .fetch_max(unconfirmed, Ordering::SeqCst);
    }

    /// The stick has reported them written.
    pub fn confirm(&self, bytes: u64) {
        let confirmed = self.confirmed.fetch_add(bytes, Ordering::SeqCst) + bytes;
        debug_assert!(confirmed <= self.accepted.load(Ordering::SeqCst));
    }

    /// A flush that came back without error covers all that was confirmed before it began.
    pub fn durable_up_to(&self, confirmed: u64) {
        self.durable.fetch_max(confirmed, Ordering::SeqCst);
    }

    /// Bytes were read back and are equal.
    pub fn check(&self, bytes: u64) {
        self.checked.fetch_add(bytes, Ordering::SeqCst);
    }

    /// Files got their own names.
    pub fn finish_items(&self, items: u64) {
        self.items_done.fetch_add(items, Ordering::SeqCst);
    }

    /// The file being worked on from now on.
    pub fn set_current(&self, path: Option<&Path>) {
        *self.lock_current() = path.map(Path::to_path_buf);
    }

    /// Asks the worker to stop; it does so between two pieces.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Whether [`Meter::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Bytes confirmed so far.
    pub fn confirmed(&self) -> u64 {
        self.confirmed.load(Ordering::SeqCst)
    }

    /// Bytes accepted and not yet confirmed.
    pub fn unconfirmed(&self) -> u64 {
        let confirmed = self.confirmed.load(Ordering::SeqCst);
        self.accepted.load(Ordering::SeqCst) - confirmed
    }

    /// The most bytes that were ever accepted and unconfirmed at once.
    pub fn peak_unconfirmed(&self) -> u64 {
        self.peak_unconfirmed.load(Ordering::SeqCst)
    }

    /// The totals now. Each is read before the one it may not exceed.
    pub fn totals(&self) -> Totals {
        let durable = self.durable.load(Ordering::SeqCst);
        let confirmed = self.confirmed.load(Ordering::SeqCst);
        let accepted = self.accepted.load(Ordering::SeqCst);
        Totals {
            accepted,
            confirmed,
            durable,
            checked: self.checked.load(Ordering::SeqCst),
            items_done: self.items_done.load(Ordering::SeqCst),
            current: self.lock_current().clone(),
        }
    }

    fn lock_current(&self) -> std::sync::MutexGuard<'_, Option<PathBuf>> {
        self.current
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
