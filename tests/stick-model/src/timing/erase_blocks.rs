use std::ops::Range;

use crate::Parameters;

/// Flash that is only erased in whole blocks, behind a controller that keeps few of them open.
///
/// An open block is a fresh one that is filled from its beginning to its end, in place of the old
/// one at the same address. When it is given up (for another block, or because something behind
/// its pointer is written again), all that was not written into it has to be copied over from the
/// old one. Every block is taken to be full of data, as on a stick that was in use for a while.
#[derive(Debug)]
pub(super) struct EraseBlocks {
    size: u64,
    /// How many can be open; 0 if nothing of this is modelled.
    most: usize,
    /// The one written to last is last.
    open: Vec<Open>,
}

/// A block that is being filled.
#[derive(Debug, Default)]
struct Open {
    number: u64,
    /// Where in the block writing can go on without giving it up.
    pointer: u64,
    /// Bytes that need not be copied any more.
    written: u64,
}

impl EraseBlocks {
    pub(super) fn new(parameters: &Parameters) -> Self {
        Self {
            size: parameters.erase_block,
            most: parameters.open_blocks,
            open: Vec::new(),
        }
    }

    /// Takes `length` bytes at `offset`. Returned are the bytes that have to be copied for it.
    pub(super) fn write(&mut self, offset: u64, length: u64) -> u64 {
        let end = offset + length;
        let mut at = offset;
        let mut copied = 0;
        while at < end && self.most > 0 {
            let number = at / self.size;
            let start = number * self.size;
            let to = end.min(start.saturating_add(self.size));
            copied += self.write_within(number, &(at - start..to - start));
            at = to;
        }
        copied
    }

    /// The same for a range of one block.
    fn write_within(&mut self, number: u64, range: &Range<u64>) -> u64 {
        let found = self.open.iter().position(|open| open.number == number);
        let given_up = match found {
            Some(index) => (range.start < self.open[index].pointer).then_some(index),
            None => (self.open.len() == self.most).then_some(0),
        };
        let copied = given_up.map_or(0, |index| self.size - self.open.remove(index).written);
        let mut block = match found {
            Some(index) if given_up.is_none() => self.open.remove(index),
            _ => Open {
                number,
                ..Open::default()
            },
        };
        block.pointer = range.end;
        block.written += range.end - range.start;
        self.open.push(block);
        copied
    }
}
