use std::io;

use rustix::fd::OwnedFd;
use rustix::fs::{Advice, fadvise};
use rustix::io::Errno;

use crate::engine::aligned::AlignedBuffer;

/// Reads a file from its start to its end.
pub trait ReadBack {
    /// The next bytes, at most 1 MiB; empty at the end.
    fn next(&mut self) -> io::Result<&[u8]>;
    /// Whether the bytes come from the stick for certain, not from the kernel's memory.
    fn is_past_cache(&self) -> bool;
}

/// A file of a mounted folder, read by direct I/O where the file system can.
#[derive(Debug)]
pub struct FolderReader {
    file: OwnedFd,
    offset: u64,
    ended: bool,
    direct: bool,
    buffer: AlignedBuffer,
}

impl FolderReader {
    pub(super) fn new(file: OwnedFd, direct: bool) -> Self {
        Self {
            file,
            offset: 0,
            ended: false,
            direct,
            buffer: AlignedBuffer::new(1 << 20),
        }
    }
}

impl ReadBack for FolderReader {
    fn next(&mut self) -> io::Result<&[u8]> {
        let buffer = self.buffer.as_mut_slice();
        let mut filled = 0;
        while filled < buffer.len() && !self.ended {
            match rustix::io::pread(&self.file, &mut buffer[filled..], self.offset) {
                Ok(count) => {
                    filled += count;
                    self.offset += count as u64;
                    // A direct read comes back unaligned only at the end of the file; another one
                    // from there would be refused.
                    self.ended = count == 0
                        || self.direct && !count.is_multiple_of(AlignedBuffer::ALIGNMENT);
                }
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        if !self.direct {
            #[expect(
                clippy::let_underscore_must_use,
                reason = "only a hint, and then nothing is claimed of it"
            )]
            let _ = fadvise(&self.file, 0, None, Advice::DontNeed);
        }
        Ok(&self.buffer.as_mut_slice()[..filled])
    }

    fn is_past_cache(&self) -> bool {
        self.direct
    }
}
