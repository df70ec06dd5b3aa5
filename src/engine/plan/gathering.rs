use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// How far a walk through the sources has come; shared with the thread that does it.
///
/// A folder that does not answer holds up the walk, not the one who looks at this.
#[derive(Debug, Default)]
pub struct Gathering {
    items: AtomicU64,
    bytes: AtomicU64,
    cancelled: AtomicBool,
}

impl Gathering {
    /// Files, folders and what cannot be copied, so far.
    pub fn items(&self) -> u64 {
        self.items.load(Ordering::Relaxed)
    }

    /// Apparent bytes so far.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    /// Asks the walk to end; it does once the folder at hand answers.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether [`Gathering::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }

    pub(super) fn found(&self, bytes: u64) {
        self.items.fetch_add(1, Ordering::Relaxed);
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
    }
}
