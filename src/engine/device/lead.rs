use std::ops::Range;

use super::block::Block;
use crate::engine::aligned::AlignedBuffer;

/// Bytes of the lead: boot sector, partition tables, boot loaders behind them, and the marks of
/// an ISO 9660 image and of unpartitioned file systems lie in there.
pub(super) const LEAD: u64 = 1 << 20;
/// The very last that is written: MBR, and GPT's header where blocks have 512 bytes.
const HEAD: usize = 4096;
/// What stands in the lead's place until then. Zeroes would do to look like nothing, but they
/// would not show that a stick with less room than it claims has put other zeroes there.
const GUARD: &[u8; 64] = b"This stick was not finished: the rest of its image is missing. \n";

/// The first bytes of an image, kept in memory until all others are on the stick.
#[derive(Debug)]
pub(super) struct Lead {
    buffer: AlignedBuffer,
    counted: u64,
}

impl Lead {
    /// For a device of that size; empty, which is what is written where a block map leaves out
    /// something.
    pub(super) fn new(device: u64) -> Self {
        Self {
            buffer: AlignedBuffer::new(LEAD.min(device) as usize),
            counted: 0,
        }
    }

    /// Takes what is written of the image's first block as far as it belongs here.
    pub(super) fn keep(&mut self, first: &Block, written: &[Range<u64>]) {
        let length = self.len();
        let kept = self.buffer.as_mut_slice();
        for range in written {
            let range = (range.start.min(length) as usize)..(range.end.min(length) as usize);
            self.counted += range.len() as u64;
            kept[range.clone()].copy_from_slice(&first.buffer()[range]);
        }
    }

    /// Bytes; whole logical blocks.
    pub(super) fn len(&self) -> u64 {
        self.buffer.as_slice().len() as u64
    }

    /// Bytes of the image that are written with it.
    pub(super) fn counted(&self) -> u64 {
        self.counted
    }

    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer.as_slice()
    }

    /// What is written last, and what right before it, as ranges of [`Lead::bytes`].
    pub(super) fn head_and_rest(&self) -> (Range<usize>, Range<usize>) {
        let length = self.bytes().len();
        let head = HEAD.min(length);
        (0..head, head..length)
    }

    /// What stands in its place until then.
    pub(super) fn guard(&self) -> AlignedBuffer {
        let mut guard = AlignedBuffer::new(self.bytes().len());
        for line in guard.as_mut_slice().chunks_mut(GUARD.len()) {
            line.copy_from_slice(&GUARD[..line.len()]);
        }
        guard
    }
}
