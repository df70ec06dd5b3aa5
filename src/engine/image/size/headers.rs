use std::io::{self, Read, Seek, SeekFrom};

use super::{Size, Told};

/// Headers that are read: 2 GiB of a zstd file. Each costs a reading of its own, which takes time
/// on a slow disk.
const MOST: u32 = 16 * 1024;

/// Goes through a file from header to header.
pub(super) struct Headers<'a, R> {
    source: &'a mut R,
    at: u64,
    file_size: u64,
    left: u32,
}

/// Why going on makes no sense.
pub(super) enum Stop {
    /// The file cannot be read.
    Source(io::Error),
    /// No header can be at that byte.
    Corrupt(u64),
    /// There are too many.
    Enough,
}

impl<'a, R: Read + Seek> Headers<'a, R> {
    pub(super) fn new(source: &'a mut R, file_size: u64) -> Self {
        Self {
            source,
            at: 0,
            file_size,
            left: MOST,
        }
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.file_size
    }

    /// The next bytes, as a number of up to eight of them, the lowest first.
    pub(super) fn number(&mut self, length: usize) -> Result<u64, Stop> {
        self.left = self.left.checked_sub(1).ok_or(Stop::Enough)?;
        let start = self.at;
        self.skip(length as u64)?;
        let mut bytes = [0; 8];
        self.source
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.source.read_exact(&mut bytes[..length]))
            .map_err(Stop::Source)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Goes on without looking.
    pub(super) fn skip(&mut self, length: u64) -> Result<(), Stop> {
        self.at = self
            .at
            .checked_add(length)
            .filter(|at| *at <= self.file_size)
            .ok_or(Stop::Corrupt(self.file_size))?;
        Ok(())
    }

    /// Something at the bytes just read cannot be.
    pub(super) fn corrupt(&self) -> Stop {
        Stop::Corrupt(self.at)
    }
}

/// The sizes that frames say, added up.
#[derive(Default)]
pub(super) struct Sum {
    known: u64,
    silent: bool,
}

impl Sum {
    /// One more frame begins.
    pub(super) fn add(&mut self, said: Option<u64>) {
        match said {
            Some(size) => self.known = self.known.saturating_add(size),
            None => self.silent = true,
        }
    }

    /// What is known after such an end.
    pub(super) fn told(self, end: Result<(), Stop>) -> io::Result<Told> {
        match end {
            Ok(()) if !self.silent => Ok(Told::Size(Size::Exact(self.known))),
            Ok(()) | Err(Stop::Enough) => Ok(Told::Size(Size::AtLeast(self.known))),
            Err(Stop::Corrupt(at)) => Ok(Told::Corrupt(at)),
            Err(Stop::Source(error)) => Err(error),
        }
    }
}
