//! Files that seem to be on the stick already: read from it and compared with their sources, so
//! that a job that was interrupted can go on.

use std::io;

use super::super::StopReason;
use super::super::fault::fault;
use super::super::outcome::{Kept, State};
use super::super::reader::News;
use super::Writer;
use crate::engine::plan::{Existing, PlannedFile, Replaces};
use crate::engine::target::{ReadBack, Target};
use crate::engine::{Error, Operation};

/// What came of comparing.
enum Compared {
    /// Byte by byte.
    Equal(Kept),
    /// Or not to be read on the stick.
    Different,
    /// The source has failed.
    Failed(Error),
}

impl<'a, T: Target> Writer<'a, T> {
    /// Whether nothing is left to be done for a file, because it is there already or because its
    /// source has failed.
    pub(super) fn is_settled(
        &mut self,
        index: usize,
        planned: &'a PlannedFile,
    ) -> Result<bool, StopReason> {
        let Replaces::IfDifferent(Existing::File { size, .. }) = planned.replaces else {
            return Ok(false);
        };
        if size != planned.size {
            return Ok(false);
        }
        // Reading from the stick would hold up what is on its way to it.
        self.flow.drain()?;
        match self.compare(index, planned)? {
            Compared::Equal(kept) => {
                self.outcome.keep(index, kept);
                self.named.push(index);
                self.meter.keep(planned.size);
                Ok(true)
            }
            Compared::Failed(error) => {
                self.fail(index, State::Missing, error, 0);
                Ok(true)
            }
            Compared::Different => {
                self.read_on_from(index);
                Ok(false)
            }
        }
    }

    fn compare(&mut self, index: usize, planned: &'a PlannedFile) -> Result<Compared, StopReason> {
        let target = self.target;
        let mut on_stick = match target.open_read_back(&planned.target) {
            Ok(reader) => Stream::new(reader),
            Err(error) => return different_unless_gone(target, planned, error),
        };
        loop {
            let equal = match self.next_news(index)? {
                News::Opened => Ok(true),
                News::Bytes(bytes) => on_stick
                    .begins_with(&bytes)
                    .inspect(|_| self.meter.compare(bytes.len() as u64)),
                News::Whole(hash) => match on_stick.has_ended() {
                    Ok(true) => {
                        let past_cache = on_stick.reader.is_past_cache();
                        return Ok(Compared::Equal(Kept { hash, past_cache }));
                    }
                    ended => ended,
                },
                News::Failed(error) => return Ok(Compared::Failed(error)),
            };
            match equal {
                Ok(true) => {}
                Ok(false) => return Ok(Compared::Different),
                Err(error) => return different_unless_gone(target, planned, error),
            }
        }
    }
}

/// What cannot be read is written anew.
fn different_unless_gone<T: Target>(
    target: &T,
    planned: &PlannedFile,
    error: io::Error,
) -> Result<Compared, StopReason> {
    match fault(target, Operation::ReadBack, &planned.target)(error) {
        StopReason::Target(error) if error.gone => Err(StopReason::Target(error)),
        _ => Ok(Compared::Different),
    }
}

/// A file on the stick, taken in pieces of any size.
struct Stream<R> {
    reader: R,
    ahead: Vec<u8>,
    used: usize,
}

impl<R: ReadBack> Stream<R> {
    fn new(reader: R) -> Self {
        Self {
            reader,
            ahead: Vec::new(),
            used: 0,
        }
    }

    /// Whether the next bytes are these; they are behind then.
    fn begins_with(&mut self, mut bytes: &[u8]) -> io::Result<bool> {
        while !bytes.is_empty() {
            if self.has_ended()? {
                return Ok(false);
            }
            let ahead = &self.ahead[self.used..];
            let length = ahead.len().min(bytes.len());
            if ahead[..length] != bytes[..length] {
                return Ok(false);
            }
            self.used += length;
            bytes = &bytes[length..];
        }
        Ok(true)
    }

    fn has_ended(&mut self) -> io::Result<bool> {
        if self.used == self.ahead.len() {
            self.ahead.clear();
            self.ahead.extend_from_slice(self.reader.next()?);
            self.used = 0;
        }
        Ok(self.ahead.is_empty())
    }
}
