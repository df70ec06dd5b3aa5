use std::io::{self, Read, Seek};

use super::headers::{Headers, Stop, Sum};
use super::{Told, frames};
use crate::engine::image::container::ZSTD;

/// Adds up what the frames say, from one to the next. The format: RFC 8878, 3.1.
pub(super) fn told(source: &mut (impl Read + Seek), file_size: u64) -> io::Result<Told> {
    frames::told(source, file_size, ZSTD, frame)
}

fn frame<R: Read + Seek>(headers: &mut Headers<'_, R>, sum: &mut Sum) -> Result<(), Stop> {
    let flags = headers.number(1)?;
    let single_segment = flags & 0x20 != 0;
    let dictionary = [0, 1, 2, 4][flags as usize & 3];
    headers.skip(u64::from(!single_segment) + dictionary)?;
    sum.add(match flags >> 6 {
        0 if single_segment => Some(headers.number(1)?),
        0 => None,
        1 => Some(headers.number(2)? + 256),
        2 => Some(headers.number(4)?),
        _ => Some(headers.number(8)?),
    });
    loop {
        let block = headers.number(3)?;
        let length = block >> 3;
        match (block >> 1) & 3 {
            // One byte, to be repeated so many times.
            1 => headers.skip(1)?,
            3 => return Err(headers.corrupt()),
            _ => headers.skip(length)?,
        }
        if block & 1 == 1 {
            break;
        }
    }
    let checksum = if flags & 4 == 0 { 0 } else { 4 };
    headers.skip(checksum)
}
