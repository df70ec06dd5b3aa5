//! Every problem before the first byte: what is there, what the stick can hold, what will be done.

mod choices;
mod file_system;
mod gather;
mod gathered;
mod names;
mod order;
mod planner;
mod problem;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::SystemTime;

pub use choices::Choices;
pub use file_system::FileSystem;
pub use gather::gather;
pub use gathered::{FileId, Gathered, Item, ItemKind};
pub use order::natural;
pub use planner::plan;
pub use problem::{Choice, Problem, ProblemKind};

/// What the plan has to know about the target folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetFacts {
    /// From the mount, not from a label.
    pub file_system: FileSystem,
    /// Bytes free for the person.
    pub free: u64,
    /// Bytes in a cluster (block) of the file system.
    pub cluster: u64,
    /// The target folder itself, where it exists already.
    pub root: Option<FileId>,
}

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

/// What will be done, after the choices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Old files that are removed before anything is written, relative to the target: chosen where
    /// old and new do not fit side by side.
    pub delete_first: Vec<PathBuf>,
    /// Folders to make, relative to the target, each after the one that holds it.
    pub folders: Vec<PathBuf>,
    /// Files in the order in which they will lie in their folders.
    pub files: Vec<PlannedFile>,
    /// Everything found, whatever was chosen.
    pub problems: Vec<Problem>,
    /// Apparent bytes of all planned files.
    pub bytes: u64,
    /// Bytes of the stick that it takes, clusters and folder entries included.
    pub space: u64,
    /// Sources left out by a choice.
    pub skipped: Vec<PathBuf>,
}

/// One file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Where it is read.
    pub source: PathBuf,
    /// Where it goes, relative to the target.
    pub target: PathBuf,
    /// Apparent bytes.
    pub size: u64,
    /// Its time, where the source told one.
    pub modified: Option<SystemTime>,
    /// What becomes of a file that has this name on the stick.
    pub replaces: Replaces,
}

/// What becomes of a file that has a planned file's name on the stick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Replaces {
    /// There is none; should one appear, it stays.
    #[default]
    Nothing,
    /// It stands until the new one is durable and then gives way, if it is still what was seen.
    Old(Existing),
    /// It looks like the same file: compared first, and written only where it differs.
    IfDifferent(Existing),
}

impl Plan {
    /// Whether a problem's choice is to stop: then nothing may be written.
    pub fn must_stop(&self) -> bool {
        self.problems
            .iter()
            .any(|problem| problem.chosen == Choice::Stop)
    }
}
