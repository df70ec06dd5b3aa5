use std::sync::Arc;

use super::watch::Watch;

/// How far an image has come, told from any thread; also ends it.
#[derive(Debug, Clone)]
pub struct Progress {
    pub(super) watch: Arc<Watch>,
    pub(super) packed_size: Option<u64>,
}

impl Progress {
    /// Bytes of the image that were handed out.
    pub fn delivered(&self) -> u64 {
        self.watch.delivered()
    }

    /// Bytes of the file (of the archive's entry) of which these were made; never ahead of them.
    pub fn consumed(&self) -> u64 {
        self.watch.consumed()
    }

    /// Bytes of the file (of the archive's entry) altogether: at the end, all are consumed.
    pub fn packed_size(&self) -> Option<u64> {
        self.packed_size
    }

    /// Lets nobody wait any longer, not even for a source that does not answer.
    pub fn cancel(&self) {
        self.watch.cancel();
    }
}
