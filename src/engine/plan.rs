//! Every problem before the first byte: what is there, what the stick can hold, what will be done.

mod alike;
mod children;
mod choices;
mod file_system;
mod fold;
mod folder_names;
mod gather;
mod gathered;
mod gathering;
mod names;
mod order;
mod planner;
mod present;
mod problem;
mod space;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::SystemTime;

use super::copy::parts;

pub(super) use alike::FAT_TIMES;
pub use choices::Choices;
pub use file_system::FileSystem;
pub use gather::{gather, gather_with};
pub use gathered::{FileId, Gathered, Item, ItemKind, Root};
pub use gathering::Gathering;
pub use planner::plan;
pub use present::{Existing, Listing, Present};
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
    /// The character set of a mount of FAT or exFAT that cannot take UTF-8: then only ASCII names
    /// arrive as they are.
    pub charset: Option<String>,
    /// Bytes for names that the target folder holds at most, where it differs from other folders:
    /// the root of FAT12 and FAT16 cannot grow.
    pub root_names: Option<u64>,
}

impl TargetFacts {
    /// Of a stick that was just formatted.
    pub fn fresh(file_system: FileSystem, free: u64, cluster: u64) -> Self {
        Self {
            file_system,
            free,
            cluster,
            root: None,
            charset: None,
            root_names: None,
        }
    }

    /// What is wrong with a name there; `is_root` where the target folder itself would hold it.
    fn name_fault(&self, name: &OsStr, is_root: bool) -> Option<ProblemKind> {
        let fault = self.file_system.name_fault(name);
        let is_foreign = self.charset.is_some() && !name.is_ascii();
        // A folder of that name on the stick is cleared of half files by each start.
        let is_ours = is_root && name.eq_ignore_ascii_case(parts::FOLDER);
        fault
            .or(is_foreign.then_some(ProblemKind::NameCharset))
            .or(is_ours.then_some(ProblemKind::NameReserved))
    }

    /// A name without such faults.
    fn legal_name(&self, name: &OsStr, is_root: bool) -> OsString {
        let legal = names::legal(self.file_system, self.charset.is_some(), name);
        if is_root && legal.eq_ignore_ascii_case(parts::FOLDER) {
            names::marked(&legal)
        } else {
            legal
        }
    }
}

/// What will be done, after the choices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// Old files that are removed before anything is written, relative to the target: chosen where
    /// old and new do not fit side by side. Their planned files replace nothing.
    pub delete_first: Vec<PathBuf>,
    /// Folders to make, relative to the target, each after the one that holds it; those that are
    /// there already included.
    pub folders: Vec<PathBuf>,
    /// Files in the order in which they will lie in their folders.
    pub files: Vec<PlannedFile>,
    /// Files and folders that get another name than their source has, with their sources.
    pub renamed: Vec<Renamed>,
    /// Everything found, whatever was chosen.
    pub problems: Vec<Problem>,
    /// Apparent bytes of all planned files.
    pub bytes: u64,
    /// Bytes of the stick that must be free for it, clusters and folder entries included: the
    /// peak, for an old file stands until the new one is durable. Files that are compared first
    /// are taken to be equal.
    pub space: u64,
    /// Sources left out by a choice; a folder stands for all it holds.
    pub skipped: Vec<PathBuf>,
}

/// A file or folder that gets another name than its source has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renamed {
    /// Where it is read.
    pub source: PathBuf,
    /// Where it goes, relative to the target.
    pub target: PathBuf,
}

/// One file to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedFile {
    /// Where it is read.
    pub source: PathBuf,
    /// Where it goes, relative to the target. A file that is replaced keeps the spelling that it
    /// has on the stick.
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
