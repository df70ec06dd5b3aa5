use std::io::{self, Read, Seek};

use super::headers::{Headers, Stop, Sum};
use super::{Told, frames};
use crate::engine::image::container::LZ4;

/// A block that is not packed has this bit in its length.
const PLAIN: u64 = 0x8000_0000;

/// Adds up what the frames say, from one to the next. The format: `lz4_Frame_format.md` of lz4.
pub(super) fn told(source: &mut (impl Read + Seek), file_size: u64) -> io::Result<Told> {
    frames::told(source, file_size, LZ4, frame)
}

fn frame<R: Read + Seek>(headers: &mut Headers<'_, R>, sum: &mut Sum) -> Result<(), Stop> {
    let flags = headers.number(2)?;
    let has = |bit: u64| flags & bit != 0;
    let block_checksum = if has(0x10) { 4 } else { 0 };
    sum.add(if has(0x08) {
        Some(headers.number(8)?)
    } else {
        None
    });
    let dictionary = if has(0x01) { 4 } else { 0 };
    let header_checksum = 1;
    headers.skip(dictionary + header_checksum)?;
    loop {
        let block = headers.number(4)?;
        if block == 0 {
            break;
        }
        headers.skip((block & !PLAIN) + block_checksum)?;
    }
    headers.skip(if has(0x04) { 4 } else { 0 })
}
