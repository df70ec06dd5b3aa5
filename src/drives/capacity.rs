use super::{FileSystem, FormatProblem};

/// For files left on a stick of `size` bytes after formatting it, and the size of its clusters.
pub fn formatted_capacity(file_system: FileSystem, size: u64) -> (u64, u64) {
    let _ = file_system;
    (size, 4096)
}

/// Why a stick of `size` bytes cannot have `file_system`.
pub(super) fn size_problem(file_system: FileSystem, size: u64) -> Option<FormatProblem> {
    let _ = (file_system, size);
    None
}
