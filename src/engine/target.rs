//! Where files are written: what the writer asks of it, and a mounted folder that does it.

mod below;
mod folder;
mod mount;
mod read_back;
mod sys;
#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

pub use folder::{Folder, FolderFile};
pub use read_back::{FolderReader, ReadBack};

use super::plan::Existing;

/// A folder on a stick, or a model of one.
///
/// Paths are relative to it. Errors are the system's; the writer adds what was being done. An
/// error of write-back is told once, so whatever returns one is final.
pub trait Target {
    /// A file open for writing.
    type File: Send;
    /// A file open for reading back.
    type Reader: ReadBack;
    /// Holds a file, so that its space is not given to another one when its name goes. FAT writes
    /// the slot of a name and the clusters that are free again in different sectors, in any order:
    /// only behind a checkpoint that covers the one may the other follow.
    type Pin;

    /// Makes a folder; one that is there already will do.
    fn make_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes the folder for temporary names, or takes over the one that a crash has left;
    /// `EWOULDBLOCK` while another job has it.
    fn take_parts_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes a new file and, where the file system can, reserves `size` bytes for it in one piece.
    fn create(&self, path: &Path, size: u64) -> io::Result<Self::File>;
    /// Hands all bytes to the kernel.
    fn write_at(&self, file: &Self::File, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Starts the write-out of a range and comes back.
    fn start_write_out(&self, file: &Self::File, offset: u64, length: u64) -> io::Result<()>;
    /// Comes back when the stick has reported the range written.
    fn wait_write_out(&self, file: &Self::File, offset: u64, length: u64) -> io::Result<()>;
    /// Lets the kernel forget a confirmed range.
    fn drop_cache(&self, file: &Self::File, offset: u64, length: u64);
    /// Sets the file's time as well as the file system can hold it; never fails for it.
    fn set_modified(&self, file: &Self::File, modified: SystemTime);
    /// Closes files; many at once, for a mount with `flush` sleeps 0.1 s for each.
    fn close(&self, files: Vec<Self::File>) -> io::Result<()>;
    /// Gives a file another name that nothing has yet (`EEXIST` otherwise).
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file the name of another file, which loses it. At any time one of the two has it.
    fn replace(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Holds a file, and says what it is now.
    fn pin(&self, path: &Path) -> io::Result<(Self::Pin, Existing)>;
    /// Tells what lies in a folder, by paths relative to the target.
    fn list(&self, folder: &Path, tell: &mut dyn FnMut(PathBuf, Existing)) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_folder(&self, path: &Path) -> io::Result<()>;
    /// Makes everything so far durable, in the device's own cache too.
    fn checkpoint(&self) -> io::Result<()>;
    /// Asks the device to write out its cache; promises nothing about what the kernel holds.
    fn flush_device(&self) -> io::Result<()>;
    /// Opens a file to read what the stick has, not what the kernel remembers.
    fn open_read_back(&self, path: &Path) -> io::Result<Self::Reader>;
    /// Whether the stick has left.
    fn is_gone(&self) -> bool;
    /// Time since any fixed moment, as the stick's speed is measured in.
    fn now(&self) -> Duration;
    /// Lets the stick be for a while.
    fn pause(&self, time: Duration);
}
