//! Block maps: which parts of an image hold anything, with their checksums.
//!
//! The format is that of bmaptool, versions 1.3, 1.4 and 2.x. The map names ranges of blocks; the
//! rest of the image was never written and is left alone on the stick.

mod check;
mod error;
mod parse;
#[cfg(test)]
pub(crate) mod tests;

use std::ops::Range;

pub use check::{RangeCheck, RangeMismatch};
pub use error::BmapError;

use super::aligned::AlignedBuffer;
use super::checksum::Checksum;

/// A block map that has been found sound: its own checksum, its sums, its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bmap {
    image_size: u64,
    ranges: Vec<MappedRange>,
    extents: Vec<Range<u64>>,
}

/// A mapped range of an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MappedRange {
    /// Within the image's size.
    pub bytes: Range<u64>,
    /// Of exactly these bytes, where the map has it.
    pub checksum: Option<Checksum>,
}

impl Bmap {
    /// Reads a map and checks all that it says about itself.
    pub fn parse(xml: &[u8]) -> Result<Self, BmapError> {
        parse::parse(xml)
    }

    fn new(image_size: u64, ranges: Vec<MappedRange>) -> Self {
        let extents = extents(image_size, &ranges);
        Self {
            image_size,
            ranges,
            extents,
        }
    }

    /// Bytes of the whole image.
    pub fn image_size(&self) -> u64 {
        self.image_size
    }

    /// The mapped ranges, in order.
    pub fn ranges(&self) -> &[MappedRange] {
        &self.ranges
    }

    /// Bytes that are written: the mapped ones, in whole blocks of direct I/O.
    pub fn mapped_bytes(&self) -> u64 {
        self.extents
            .iter()
            .map(|extent| extent.end - extent.start)
            .sum()
    }

    /// What of `part` is written, in order.
    pub fn within(&self, part: Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let first = self
            .extents
            .partition_point(|extent| extent.end <= part.start);
        self.extents[first..]
            .iter()
            .take_while(move |extent| extent.start < part.end)
            .map(move |extent| extent.start.max(part.start)..extent.end.min(part.end))
    }
}

/// The ranges made wider to whole blocks of direct I/O, and joined where they touch.
fn extents(image_size: u64, ranges: &[MappedRange]) -> Vec<Range<u64>> {
    const GRAIN: u64 = AlignedBuffer::ALIGNMENT as u64;
    let mut extents: Vec<Range<u64>> = Vec::new();
    for MappedRange { bytes, .. } in ranges {
        let start = bytes.start / GRAIN * GRAIN;
        let end = bytes
            .end
            .div_ceil(GRAIN)
            .saturating_mul(GRAIN)
            .min(image_size);
        match extents.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => extents.push(start..end),
        }
    }
    extents
}
