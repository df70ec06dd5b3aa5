use super::capacity;
use super::label::{LabelProblem, label_problem};

/// A file system that a stick can be formatted with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileSystem {
    /// Read everywhere; no file over 4 GiB.
    Fat32,
    /// Large files; not read by every car and TV.
    ExFat,
}

/// What a formatted stick shall be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormatSpec {
    /// The one file system it gets.
    pub file_system: FileSystem,
    /// Its name as typed; may be empty. FAT32 upper-cases it.
    pub label: String,
}

/// Why a stick cannot be formatted as asked: known before the first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormatProblem {
    /// FAT32 would have too few clusters, and others would read it as FAT16.
    TooSmall,
    /// A partition table of this kind (MBR) cannot tell of more than 2 TiB.
    TooLarge,
    /// The name does not fit.
    Label(LabelProblem),
}

/// What keeps a stick of `size` bytes from being formatted as asked; `None` when nothing does.
pub fn format_problem(size: u64, spec: &FormatSpec) -> Option<FormatProblem> {
    capacity::size_problem(spec.file_system, size)
        .or_else(|| label_problem(spec.file_system, &spec.label).map(FormatProblem::Label))
}
