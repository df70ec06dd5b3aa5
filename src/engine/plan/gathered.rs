use std::ffi::OsString;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::SystemTime;

use super::ProblemKind;

/// What was found under the sources: plain data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Everything, a folder before what it holds.
    pub items: Vec<Item>,
    /// The sources as they were named.
    pub roots: Vec<Root>,
}

/// A file, a folder, or what cannot be copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The folder that holds it, as an index into the items; `None` for a source itself.
    pub parent: Option<usize>,
    /// Its name in that folder; of a source, the name that it would have on the target.
    pub name: OsString,
    /// What it is.
    pub kind: ItemKind,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// A folder and what it is to the system, however it was reached.
    Folder(FileId),
    /// A regular file.
    File {
        /// Apparent bytes: sparse files arrive in full.
        size: u64,
        /// Its time, where the file system tells one.
        modified: Option<SystemTime>,
    },
    /// What cannot be copied, and all it may hold.
    LeftOut(ProblemKind),
}

/// A source as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its path.
    pub source: PathBuf,
    /// Its item.
    pub item: usize,
    /// Every folder above it, the nearest first, links resolved.
    pub above: Vec<FileId>,
}

/// A file or folder whatever path leads to it: links, bind mounts and other letter case included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileId {
    /// `st_dev`.
    pub device: u64,
    /// `st_ino`.
    pub inode: u64,
}

impl From<&Metadata> for FileId {
    fn from(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
        }
    }
}
