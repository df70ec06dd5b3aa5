use super::digest::Digest;
use crate::engine::aligned::AlignedBuffer;
use crate::engine::pool::Pooled;

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
    buffer: Pooled<AlignedBuffer>,
}

impl Block {
    /// Zeroes what follows its bytes, so that it can be written in whole logical blocks.
    pub(super) fn new(index: u64, length: usize, mut buffer: Pooled<AlignedBuffer>) -> Self {
        let padded = length.next_multiple_of(AlignedBuffer::ALIGNMENT);
        buffer.as_mut_slice()[length..padded].fill(0);
        Self {
            index,
            length,
            digest: None,
            used: 0,
            buffer,
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
        self.buffer.as_slice()
    }
}
