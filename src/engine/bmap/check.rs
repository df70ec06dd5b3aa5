use std::ops::Range;

use super::{Bmap, MappedRange};
use crate::engine::checksum::{Checksum, Hasher};

/// Computes the checksums of a map's ranges while the image goes by.
#[derive(Debug)]
pub struct RangeCheck<'a> {
    ranges: &'a [MappedRange],
    hasher: Option<Hasher>,
    offset: u64,
}

/// A range of the image that is not what its map says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RangeMismatch {
    /// In the image.
    pub bytes: Range<u64>,
    /// What the map says.
    pub expected: Checksum,
    /// What it is.
    pub found: Checksum,
}

impl<'a> RangeCheck<'a> {
    /// From the image's start.
    pub fn new(map: &'a Bmap) -> Self {
        Self {
            ranges: &map.ranges,
            hasher: None,
            offset: 0,
        }
    }

    /// Takes the image's next bytes; tells the first range that is known to differ by then.
    pub fn update(&mut self, bytes: &[u8]) -> Result<(), RangeMismatch> {
        let end = self.offset + bytes.len() as u64;
        while let Some(range) = self.ranges.first()
            && range.bytes.start < end
        {
            let from = range.bytes.start.max(self.offset);
            let to = range.bytes.end.min(end);
            if let Some(expected) = &range.checksum {
                let algorithm = expected.algorithm();
                let hasher = self.hasher.get_or_insert_with(|| Hasher::new(algorithm));
                hasher.update(&bytes[(from - self.offset) as usize..(to - self.offset) as usize]);
            }
            if to < range.bytes.end {
                break;
            }
            self.ranges = &self.ranges[1..];
            judge(range, self.hasher.take())?;
        }
        self.offset = end;
        Ok(())
    }
}

fn judge(range: &MappedRange, hasher: Option<Hasher>) -> Result<(), RangeMismatch> {
    match (&range.checksum, hasher.map(Hasher::finish)) {
        (Some(expected), Some(found)) if *expected != found => Err(RangeMismatch {
            bytes: range.bytes.clone(),
            expected: expected.clone(),
            found,
        }),
        _ => Ok(()),
    }
}
