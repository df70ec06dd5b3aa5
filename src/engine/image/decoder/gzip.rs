use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

use super::members::{Member, is_at_end};

/// A member of a gzip file. The decoder compares checksum and length.
pub(super) struct Gzip<R>(GzDecoder<R>);

impl<R: BufRead> Member<R> for Gzip<R> {
    fn begin(mut input: R, is_first: bool) -> io::Result<Option<Self>> {
        // Tapes and disks pad with zeroes, which may end the file and nothing else.
        if !is_first && skip_zeroes(&mut input)? {
            return Ok(None);
        }
        Ok(Some(Self(GzDecoder::new(input))))
    }

    fn end(self) -> io::Result<R> {
        Ok(self.0.into_inner())
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

/// Goes over zeroes; whether nothing came after them.
fn skip_zeroes(input: &mut impl BufRead) -> io::Result<bool> {
    while !is_at_end(input)? {
        let bytes = input.fill_buf()?;
        let zeroes = bytes.iter().take_while(|byte| **byte == 0).count();
        if zeroes == 0 {
            return Ok(false);
        }
        input.consume(zeroes);
    }
    Ok(true)
}
