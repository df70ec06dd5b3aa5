use std::sync::{Arc, Mutex, PoisonError};

use super::digest::Digest;
use crate::engine::aligned::AlignedBuffer;

/// Bytes of a block: what is read, handed round and hashed at once.
pub(super) const BLOCK: u64 = 4 << 20;

/// A part of an image in memory, shared by the sticks that it goes to.
#[derive(Debug)]
pub(super) struct Block {
    /// Its place: it begins at `index * BLOCK`.
    pub(super) index: u64,
    /// Bytes of the image in it; only the last has fewer than [`BLOCK`].
    pub(super) length: usize,
    /// Of what is written of it, where it will be read back.
    pub(super) digest: Option<Digest>,
    /// Bytes of the packed file that were used up to its end.
    pub(super) used: u64,
    /// Always there but while it is dropped.
    buffer: Option<AlignedBuffer>,
    pool: Pool,
}

/// Buffers of blocks that are through with, to be used again: fresh ones cost a computer as much
/// as copying.
#[derive(Debug, Clone, Default)]
pub(super) struct Pool(Arc<Mutex<Vec<AlignedBuffer>>>);

impl Pool {
    pub(super) fn take(&self) -> AlignedBuffer {
        let spare = self.spare().pop();
        spare.unwrap_or_else(|| AlignedBuffer::new(BLOCK as usize))
    }

    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<AlignedBuffer>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Block {
    /// Zeroes what follows its bytes, so that it can be written in whole logical blocks.
    pub(super) fn new(index: u64, length: usize, mut buffer: AlignedBuffer, pool: &Pool) -> Self {
        let padded = length.next_multiple_of(AlignedBuffer::ALIGNMENT);
        buffer.as_mut_slice()[length..padded].fill(0);
        Self {
            index,
            length,
            digest: None,
            used: 0,
            buffer: Some(buffer),
            pool: pool.clone(),
        }
    }

    /// Where it begins in the image.
    pub(super) fn start(&self) -> u64 {
        self.index * BLOCK
    }

    /// Where it ends in the image.
    pub(super) fn end(&self) -> u64 {
        self.start() + self.length as u64
    }

    /// The whole buffer: its bytes, zeroes up to the next multiple of 4096, then anything.
    pub(super) fn buffer(&self) -> &[u8] {
        let buffer = self.buffer.as_ref().expect("a block has its buffer");
        buffer.as_slice()
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.pool.spare().extend(self.buffer.take());
    }
}
