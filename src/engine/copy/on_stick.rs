use std::path::PathBuf;

/// What is on the stick at the end. Each planned file is in exactly one of `complete`, `missing`,
/// `removed` and `partial`. Paths are relative to the target folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OnStick {
    /// Complete and durable under their own names.
    pub complete: Vec<PathBuf>,
    /// Those of the complete ones that were there already and compared equal.
    pub kept: Vec<PathBuf>,
    /// Never begun.
    pub missing: Vec<PathBuf>,
    /// Begun, and removed again.
    pub removed: Vec<PathBuf>,
    /// Not known to be whole, and not removed because the stick no longer answered.
    pub partial: Vec<PathBuf>,
    /// Old files that were removed to make room and whose new ones did not arrive. Where the stick
    /// left in the middle, some of them may still be there.
    pub deleted: Vec<PathBuf>,
    /// Temporary files of an earlier job that may share their clusters with a file. They can go once
    /// the file system was repaired: [`Options::sound`](super::Options::sound).
    pub left_over: Vec<PathBuf>,
    /// Sources left out before the start.
    pub skipped: Vec<PathBuf>,
}
