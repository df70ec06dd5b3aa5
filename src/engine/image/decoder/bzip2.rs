use std::io::{self, BufRead, Read};

use ::bzip2::bufread::BzDecoder;

use super::members::{Member, is_at_end};

/// A stream of a bzip2 file. The decoder compares the checksums of its blocks and of it all.
pub(super) struct Bzip2<R>(BzDecoder<R>);

impl<R: BufRead> Member<R> for Bzip2<R> {
    fn begin(mut input: R, is_first: bool) -> io::Result<Option<Self>> {
        if !is_first && is_at_end(&mut input)? {
            return Ok(None);
        }
        Ok(Some(Self(BzDecoder::new(input))))
    }

    fn end(self) -> io::Result<R> {
        Ok(self.0.into_inner())
    }
}

impl<R: BufRead> Read for Bzip2<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}
