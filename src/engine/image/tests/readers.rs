//! Sources with habits.

use std::io::{self, Cursor, ErrorKind, Read};
use std::sync::mpsc::{Receiver, Sender};

use super::bytes::Chance;

/// Yields pieces of 1 to 4,096 bytes, and is interrupted now and then.
pub(super) struct Fitful {
    bytes: Cursor<Vec<u8>>,
    chance: Chance,
}

impl Fitful {
    pub(super) fn new(bytes: Vec<u8>, seed: u64) -> Self {
        Self {
            bytes: Cursor::new(bytes),
            chance: Chance::new(seed),
        }
    }
}

impl Read for Fitful {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.chance.below(4) == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let length = buffer.len().min(1 + self.chance.below(4096));
        self.bytes.read(&mut buffer[..length])
    }
}

/// Yields its bytes, then the system's error 5.
pub(super) struct Failing(pub Cursor<Vec<u8>>);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.0.read(buffer)? {
            0 if !buffer.is_empty() => Err(rustix::io::Errno::IO.into()),
            count => Ok(count),
        }
    }
}

/// Yields the same bytes over and over, and tells when it is dropped.
pub(super) struct Endless {
    pub bytes: Vec<u8>,
    pub at: usize,
    pub dropped: Sender<()>,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        for byte in &mut *buffer {
            *byte = self.bytes[self.at];
            self.at = (self.at + 1) % self.bytes.len();
        }
        Ok(buffer.len())
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.dropped.send(());
    }
}

/// Does not answer until that channel is closed.
pub(super) struct Silent(pub Receiver<()>);

impl Read for Silent {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        Ok(0)
    }
}
