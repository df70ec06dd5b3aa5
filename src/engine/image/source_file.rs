use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{Advice, OFlags, fadvise};

use super::stamp::Stamp;
use crate::engine::{Error, Operation};

/// Bytes after which what was read is dropped from the cache.
const DROP_AFTER: u64 = 8 * 1024 * 1024;

/// The file that an image is in.
#[derive(Clone)]
pub(super) struct SourceFile {
    file: Arc<File>,
    path: PathBuf,
    stamp: Stamp,
    /// Reading goes from the beginning to the end and never comes back.
    is_once: bool,
    position: u64,
    dropped: u64,
}

impl SourceFile {
    pub(super) fn open(path: &Path) -> Result<Self, Error> {
        let fail = |error| Error::new(Operation::OpenSource, path, error);
        // Non-blocking, should it be a pipe.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)
            .map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        if !metadata.is_file() {
            let cause = io::Error::new(ErrorKind::InvalidInput, "it is not a file");
            return Err(fail(cause));
        }
        Ok(Self {
            file: Arc::new(file),
            path: path.to_path_buf(),
            stamp: Stamp::of(&metadata),
            is_once: false,
            position: 0,
            dropped: 0,
        })
    }

    /// Expects to be read once from its beginning to its end: read ahead, and drop what was read.
    pub(super) fn once(mut self) -> Self {
        #[expect(clippy::let_underscore_must_use, reason = "only a hint")]
        let _ = fadvise(&self.file, 0, None, Advice::Sequential);
        self.is_once = true;
        self
    }

    /// The file as it was when it was opened.
    pub(super) fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Looks again: it must be what it was when it was opened, or at that earlier time.
    pub(super) fn compare(&self, earlier: Option<&Stamp>) -> Result<(), Error> {
        let metadata = self
            .file
            .metadata()
            .map_err(|error| self.unreadable(error))?;
        let now = Stamp::of(&metadata);
        if now == *earlier.unwrap_or(&self.stamp) {
            return Ok(());
        }
        let cause = io::Error::new(ErrorKind::InvalidData, "it is not what it was");
        Err(Error::new(Operation::CompareSource, &self.path, cause))
    }

    pub(super) fn unreadable(&self, cause: io::Error) -> Error {
        Error::new(Operation::ReadSource, &self.path, cause)
    }

    fn drop_what_was_read(&mut self) {
        if self.is_once && self.position >= self.dropped + DROP_AFTER {
            let length = (self.position - self.dropped).try_into().ok();
            #[expect(
                clippy::let_underscore_must_use,
                reason = "only a hint: what was read is not read again"
            )]
            let _ = fadvise(&self.file, self.dropped, length, Advice::DontNeed);
            self.dropped = self.position;
        }
    }
}

impl Read for SourceFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.as_ref().read(buffer)?;
        self.position += count as u64;
        self.drop_what_was_read();
        Ok(count)
    }
}

impl Seek for SourceFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.position = self.file.as_ref().seek(to)?;
        self.dropped = self.position;
        Ok(self.position)
    }
}
