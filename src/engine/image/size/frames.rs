use std::io::{self, Read, Seek};

use super::Told;
use super::headers::{Headers, Stop, Sum};
use crate::engine::image::container::is_skippable;

/// Adds up what the frames of a file say, from one to the next, skippable ones left out. `frame`
/// reads one from behind its `magic`.
pub(super) fn told<R: Read + Seek>(
    source: &mut R,
    file_size: u64,
    magic: u32,
    frame: fn(&mut Headers<'_, R>, &mut Sum) -> Result<(), Stop>,
) -> io::Result<Told> {
    let mut headers = Headers::new(source, file_size);
    let mut sum = Sum::default();
    let end = walk(&mut headers, &mut sum, magic, frame);
    sum.told(end)
}

fn walk<R: Read + Seek>(
    headers: &mut Headers<'_, R>,
    sum: &mut Sum,
    wanted: u32,
    frame: fn(&mut Headers<'_, R>, &mut Sum) -> Result<(), Stop>,
) -> Result<(), Stop> {
    while !headers.is_at_end() {
        let magic = headers.number(4)? as u32;
        if is_skippable(magic) {
            let length = headers.number(4)?;
            headers.skip(length)?;
        } else if magic == wanted {
            frame(headers, sum)?;
        } else {
            return Err(headers.corrupt());
        }
    }
    Ok(())
}
