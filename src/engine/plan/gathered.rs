use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::SystemTime;

use super::ProblemKind;

/// What was found under the sources: plain data.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gathered {
    /// Regular files and folders, a folder before what it holds.
    pub items: Vec<Item>,
    /// What cannot be copied, with its source path.
    pub left_out: Vec<(ProblemKind, PathBuf)>,
    /// One for each source that is there.
    pub roots: Vec<Root>,
}

/// A file or folder to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Where it is.
    pub source: PathBuf,
    /// Where it would go, relative to the target.
    pub target: PathBuf,
    /// Folder or file.
    pub kind: ItemKind,
}

/// Folder or file.
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
}

/// A source as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// Its path.
    pub source: PathBuf,
    /// The device that holds it.
    pub device: u64,
    /// Every folder above it, links resolved.
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
