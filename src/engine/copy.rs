//! Windowed writing: never more with the kernel than the stick takes in two seconds.

mod fault;
mod flow;
mod left_overs;
mod on_stick;
mod outcome;
mod pacing;
pub(super) mod parts;
mod reader;
mod source;
mod stuck;
#[cfg(test)]
mod tests;
mod window;
mod writer;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use on_stick::OnStick;

pub(super) use fault::fault;
pub(super) use window::{Bounds, CHUNK};

use super::plan::Plan;
use super::strategy::Strategy;
use super::target::Target;
use super::{Error, Meter};

/// How to write.
#[derive(Debug, Clone)]
pub struct Options {
    /// The strategy to begin with, where the stick is known.
    pub strategy: Option<Strategy>,
    /// Nothing will be read back: the sources need not be hashed, which costs a slow computer
    /// more than the copying.
    pub without_hash: bool,
    /// The file system was checked and is sound: whatever an earlier job has left under temporary
    /// names can be removed. Otherwise what may share its clusters with a file stays.
    pub sound: bool,
    /// How long a source may give no byte, while nothing else is to be done, before its file has
    /// failed as [`ErrorKind::Stalled`](super::ErrorKind::Stalled) and the next one's turn comes.
    pub source_patience: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: None,
            without_hash: false,
            sound: false,
            source_patience: Duration::from_secs(20),
        }
    }
}

/// A job that came to its end, maybe with failed items.
#[derive(Debug)]
pub struct Written {
    /// Complete and durable on the stick under their own names.
    pub files: Vec<WrittenFile>,
    /// Left out because of their source or their name; the rest went on.
    pub failed: Vec<FailedItem>,
    /// The strategy that was in use at the end.
    pub strategy: Strategy,
    /// What is on the stick now.
    pub on_stick: OnStick,
}

/// One file that is complete and durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenFile {
    /// Relative to the target folder.
    pub target: PathBuf,
    /// Bytes.
    pub size: u64,
    /// Of the bytes that were read from the source; `None` with [`Options::without_hash`].
    pub hash: Option<blake3::Hash>,
    /// It was there already and was not written.
    pub kept: bool,
    /// It was read from the stick and compared already.
    pub checked: bool,
}

/// One file that could not be copied.
#[derive(Debug)]
pub struct FailedItem {
    /// Where it was read.
    pub source: PathBuf,
    /// Where it would have gone, relative to the target folder.
    pub target: PathBuf,
    /// Why.
    pub error: Error,
}

/// A job that ended before its end.
#[derive(Debug)]
pub struct Stopped {
    /// Why.
    pub reason: StopReason,
    /// Complete and durable all the same.
    pub files: Vec<WrittenFile>,
    /// Failed before.
    pub failed: Vec<FailedItem>,
    /// The strategy that was in use.
    pub strategy: Strategy,
    /// What is on the stick now, as far as it still told.
    pub on_stick: OnStick,
}

/// Why a job ended before its end.
#[derive(Debug)]
pub enum StopReason {
    /// [`Meter::cancel`] was called.
    Cancelled,
    /// The stick failed, left, or is full.
    Target(Error),
}

/// Writes what is planned. Blocks; tells its progress to the meter and stops when that is
/// cancelled.
///
/// Files are written as `.steady-parts/N.part` in the target folder and get their own names, in
/// order, once a checkpoint has made them durable. What exists is replaced only where the plan says
/// so, and only while it is what the plan saw: the old file stands until the new one takes over its
/// name, so old and new lie side by side for a while. Bytes count as durable only after a
/// checkpoint without error.
///
/// Files keep their times as well as the file system can hold them. Folders do not: theirs would
/// have to be written once more after all they hold, and nobody plays or sorts by them.
///
/// What a pull at any moment leaves: each file's own name leads to nothing, to the whole file, or
/// to the file that it was to replace. One exception is FAT's: a name that the kernel was just
/// making (the batch being named) may lead to an empty file.
///
/// # Panics
///
/// When the plan must stop.
pub fn write<T: Target>(
    plan: &Plan,
    target: &T,
    options: &Options,
    meter: &Meter,
) -> Result<Written, Box<Stopped>> {
    write_from(plan, target, options, meter, Arc::new(source::RealDisk))
}

fn write_from<T: Target>(
    plan: &Plan,
    target: &T,
    options: &Options,
    meter: &Meter,
    disk: Arc<dyn source::Disk>,
) -> Result<Written, Box<Stopped>> {
    assert!(!plan.must_stop(), "a plan that must stop is not written");
    writer::Writer::new(plan, target, options, meter, disk).run()
}
