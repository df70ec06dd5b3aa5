use crate::engine::speed::Curve;

/// Bytes that a file counts for beside its own where nothing is remembered: creating, dating and
/// naming it takes many small writes.
const FILE: u64 = 128 << 10;

/// What is known of a job's time before it begins.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::tasks) struct Ahead {
    /// How the stick takes bytes, as remembered; may say nothing.
    pub(in crate::tasks) curve: Curve,
    /// Bytes that a file counts for beside its own.
    pub(in crate::tasks) file: u64,
    /// What follows the writing.
    pub(in crate::tasks) check: Check,
}

/// Whether everything is read back.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(in crate::tasks) enum Check {
    /// No.
    #[default]
    No,
    /// Yes, on a stick that was never read.
    Unknown,
    /// Yes, and it took such a job that many seconds before.
    Seconds(f64),
}

impl Default for Ahead {
    fn default() -> Self {
        Self {
            curve: Curve::default(),
            file: FILE,
            check: Check::No,
        }
    }
}
