use std::io::{self, BufRead, Chain, Cursor, ErrorKind, Read};

use lz4_flex::frame::FrameDecoder;

use super::members::{Member, is_at_end};
use crate::engine::image::container::is_skippable;

/// A frame of an lz4 file. The decoder compares the checksums that there are.
pub(super) struct Lz4<R: Read>(FrameDecoder<Watched<Chain<Cursor<[u8; 4]>, R>>>);

impl<R: BufRead> Member<R> for Lz4<R> {
    fn begin(mut input: R, is_first: bool) -> io::Result<Option<Self>> {
        let mut magic = [0; 4];
        let mut skipped = false;
        loop {
            if (skipped || !is_first) && is_at_end(&mut input)? {
                return Ok(None);
            }
            input.read_exact(&mut magic)?;
            if !is_skippable(u32::from_le_bytes(magic)) {
                break;
            }
            skip_frame(&mut input)?;
            skipped = true;
        }
        let input = Watched::new(Cursor::new(magic).chain(input));
        Ok(Some(Self(FrameDecoder::new(input))))
    }

    fn end(self) -> io::Result<R> {
        let input = self.0.into_inner();
        // The decoder takes the input's end for the frame's, and any error for the input's end.
        if input.has_ended {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        Ok(input.inner.into_inner().1)
    }
}

impl<R: BufRead> Read for Lz4<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

fn skip_frame(input: &mut impl BufRead) -> io::Result<()> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let length = u64::from(u32::from_le_bytes(length));
    let skipped = io::copy(&mut input.by_ref().take(length), &mut io::sink())?;
    if skipped < length {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(())
}

/// Notices that there was nothing more to read.
struct Watched<R> {
    inner: R,
    has_ended: bool,
}

impl<R> Watched<R> {
    fn new(inner: R) -> Self {
        Self {
            inner,
            has_ended: false,
        }
    }
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let result = self.inner.read(buffer);
        self.has_ended |= !buffer.is_empty() && !matches!(result, Ok(1..));
        result
    }
}
