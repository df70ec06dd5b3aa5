use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::SystemTime;

use rustix::fs::{Advice, OFlags, fadvise};

use crate::engine::plan::{FileId, PlannedFile};
use crate::engine::{Error, Operation};

/// How sources are read; tests have theirs fail, or hang, where they like.
pub(super) trait Disk: Send + Sync + 'static {
    /// Opens a file for reading.
    fn open(&self, path: &Path) -> io::Result<File> {
        // Non-blocking, should a pipe have taken the file's place.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        OpenOptions::new()
            .read(true)
            .custom_flags(flags.bits().cast_signed())
            .open(path)
    }

    /// Reads that many bytes, or up to the end, in place of what is in `bytes`.
    fn read(&self, _path: &Path, file: &File, length: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        bytes.reserve_exact(length as usize);
        file.take(length).read_to_end(bytes)?;
        Ok(())
    }
}

/// The computer's own.
pub(super) struct RealDisk;

impl Disk for RealDisk {}

/// A regular file, read once from its start to its end.
pub(super) struct Source<'a> {
    disk: &'a dyn Disk,
    planned: &'a PlannedFile,
    file: File,
    id: FileId,
    modified: Option<SystemTime>,
    offset: u64,
}

impl<'a> Source<'a> {
    /// Opens it and looks again: what the plan saw must still be there.
    pub(super) fn open(planned: &'a PlannedFile, disk: &'a dyn Disk) -> Result<Self, Error> {
        let fail = |error| Error::new(Operation::OpenSource, &planned.source, error);
        let file = disk.open(&planned.source).map_err(fail)?;
        let metadata = file.metadata().map_err(fail)?;
        let source = Self {
            disk,
            planned,
            file,
            id: FileId::from(&metadata),
            modified: metadata.modified().ok(),
            offset: 0,
        };
        if !metadata.is_file() || metadata.len() != planned.size {
            return Err(source.changed());
        }
        #[expect(
            clippy::let_underscore_must_use,
            reason = "only a hint for reading ahead"
        )]
        let _ = fadvise(&source.file, 0, None, Advice::Sequential);
        Ok(source)
    }

    /// Bytes that the plan expects and that are not read yet.
    pub(super) fn left(&self) -> u64 {
        self.planned.size - self.offset
    }

    /// The next bytes, in place of what is in `bytes`: that many, or what is left.
    pub(super) fn read(&mut self, most: u64, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let length = self.left().min(most);
        self.disk
            .read(&self.planned.source, &self.file, length, bytes)
            .map_err(|error| self.unreadable(error))?;
        if bytes.len() as u64 != length {
            return Err(self.changed());
        }
        let range = length.try_into().ok();
        #[expect(
            clippy::let_underscore_must_use,
            reason = "only a hint: what was read is not read again"
        )]
        let _ = fadvise(&self.file, self.offset, range, Advice::DontNeed);
        self.offset += length;
        Ok(())
    }

    /// Looks a last time, when all is read: it must not have grown or changed meanwhile, and no
    /// other file may have taken its place. One that was only removed was read whole.
    pub(super) fn finish(mut self) -> Result<(), Error> {
        let read = self
            .file
            .read(&mut [0])
            .map_err(|error| self.unreadable(error))?;
        let metadata = self
            .file
            .metadata()
            .map_err(|error| self.unreadable(error))?;
        if read != 0 || self.has_changed(&metadata) || self.is_replaced() {
            return Err(self.changed());
        }
        Ok(())
    }

    fn has_changed(&self, metadata: &Metadata) -> bool {
        metadata.len() != self.planned.size || metadata.modified().ok() != self.modified
    }

    fn is_replaced(&self) -> bool {
        fs::metadata(&self.planned.source).is_ok_and(|metadata| FileId::from(&metadata) != self.id)
    }

    fn changed(&self) -> Error {
        let cause = io::Error::new(ErrorKind::InvalidData, "it is not what it was");
        Error::new(Operation::CompareSource, &self.planned.source, cause)
    }

    fn unreadable(&self, error: io::Error) -> Error {
        Error::new(Operation::ReadSource, &self.planned.source, error)
    }
}
