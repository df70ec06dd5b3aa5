use std::ffi::OsString;
use std::path::Path;
use std::time::SystemTime;

use super::FileId;

/// What a name on the target belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Existing {
    /// A folder: merged with a folder of the same name.
    Folder,
    /// A regular file: replaced only where that was chosen.
    File {
        /// Bytes.
        size: u64,
        /// Its time, where the file system tells one.
        modified: Option<SystemTime>,
    },
    /// Anything else: never overwritten.
    Other,
}

/// What is on the target before anything is written. Paths are relative to the target folder.
///
/// Any closure that answers [`Present::existing`] will do.
pub trait Present {
    /// What a path is, by the file system's own look-up; a link is not followed.
    fn existing(&self, path: &Path) -> Option<Existing>;

    /// What a folder holds. `None` where it cannot be listed: then each name is looked up by
    /// itself.
    fn list(&self, _folder: &Path) -> Option<Listing> {
        None
    }
}

/// A folder on the target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listing {
    /// The folder itself.
    pub id: FileId,
    /// The names in it, in no order.
    pub names: Vec<OsString>,
}

impl<F: Fn(&Path) -> Option<Existing>> Present for F {
    fn existing(&self, path: &Path) -> Option<Existing> {
        self(path)
    }
}
