use std::io;

use crate::engine::target::ReadBack;

/// Reads a file of a [`Model`].
pub struct ModelReader {
    pub(super) bytes: Vec<u8>,
    pub(super) offset: usize,
}

impl ReadBack for ModelReader {
    fn next(&mut self) -> io::Result<&[u8]> {
        let from = self.offset;
        self.offset = (from + (1 << 20)).min(self.bytes.len());
        Ok(&self.bytes[from..self.offset])
    }

    fn is_past_cache(&self) -> bool {
        true
    }
}
