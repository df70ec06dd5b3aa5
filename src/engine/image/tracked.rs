use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::decoder::INPUT;
use super::watch::Watch;

/// A source with a buffer that tells where it is, keeps its own errors apart from the decoders',
/// and ends when nobody wants it any more. It is never interrupted.
pub(super) struct Tracked<R> {
    source: BufReader<R>,
    position: u64,
    watch: Arc<Watch>,
}

impl<R: Read> Tracked<R> {
    pub(super) fn new(source: R, watch: Arc<Watch>) -> Self {
        Self {
            source: BufReader::with_capacity(INPUT, source),
            position: 0,
            watch,
        }
    }

    fn try_read<T>(
        &mut self,
        mut read: impl FnMut(&mut BufReader<R>) -> io::Result<T>,
    ) -> io::Result<T> {
        loop {
            if self.watch.is_cancelled() {
                return Err(io::Error::other("nobody wants it any more"));
            }
            match read(&mut self.source) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.watch.fail(error);
                    return Err(io::Error::other("the source cannot be read"));
                }
                Ok(result) => return Ok(result),
            }
        }
    }

    fn go_on(&mut self, count: usize) {
        self.position += count as u64;
        self.watch.set_position(self.position);
    }
}

impl<R: Read> BufRead for Tracked<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.try_read(|source| source.fill_buf().map(|_| ()))?;
        Ok(self.source.buffer())
    }

    fn consume(&mut self, amount: usize) {
        self.source.consume(amount);
        self.go_on(amount);
    }
}

impl<R: Read> Read for Tracked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.try_read(|source| source.read(buffer))?;
        if !self.watch.spend(count as u64) {
            return Err(io::Error::other("it is too much to read"));
        }
        self.go_on(count);
        Ok(count)
    }
}

impl<R: Read + Seek> Seek for Tracked<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let result = match to {
            // The buffer is kept where it can be.
            SeekFrom::Start(to) => {
                let by = to.cast_signed().wrapping_sub(self.position.cast_signed());
                self.source.seek_relative(by).map(|()| to)
            }
            _ => self.source.seek(to),
        };
        match result {
            Ok(position) => {
                self.position = position;
                self.watch.set_position(position);
                Ok(position)
            }
            // An archive may name places that cannot be.
            Err(error) if error.kind() == ErrorKind::InvalidInput => Err(error),
            Err(error) => {
                self.watch.fail(error);
                Err(io::Error::other("the source cannot be read"))
            }
        }
    }
}
