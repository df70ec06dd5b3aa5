use std::ffi::OsString;
use std::path::PathBuf;

use crate::engine::plan::folder_names::There;
use crate::engine::plan::{FileSystem, Replaces};

/// What will be copied, with the name that it gets.
pub(super) struct Placed {
    pub(super) source: PathBuf,
    pub(super) name: OsString,
    pub(super) is_renamed: bool,
    pub(super) what: What,
}

/// A folder or a file.
pub(super) enum What {
    Folder {
        item: usize,
        there: There,
    },
    File {
        item: usize,
        replaces: Replaces,
        /// Bytes of the file that gives way.
        old: Option<u64>,
    },
}

impl Placed {
    pub(super) fn is_folder(&self) -> bool {
        matches!(self.what, What::Folder { .. })
    }

    /// Bytes that its name adds to the folder.
    pub(super) fn new_entry(&self, file_system: FileSystem) -> u64 {
        match &self.what {
            What::Folder {
                there: There::No, ..
            }
            | What::File {
                replaces: Replaces::Nothing,
                ..
            } => file_system.entry_size(&self.name),
            _ => 0,
        }
    }
}
