//! Temporary names. They have a folder of their own so that the files' own names come into their
//! folders in order, without holes: cars play in that order.

use std::path::{Path, PathBuf};

/// The folder in the target that holds what has no name of its own yet.
pub(crate) const FOLDER: &str = ".steady-parts";

/// Files that may wait for their own names; bounds what the folder grows to.
pub(crate) const MAX_BATCH: usize = 1000;

/// The temporary name of the plan's file with that index.
pub(crate) fn part(index: usize) -> PathBuf {
    Path::new(FOLDER).join(format!("{index}.part"))
}
