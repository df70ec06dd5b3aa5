//! USB sticks as UDisks2 knows them: list, watch, judge, format, mount, unmount, power off.
//!
//! Nothing here knows of files to copy or of a toolkit. Calls block and belong on a worker thread.

mod capacity;
mod drive;
mod error;
mod format_spec;
mod label;
mod udisks;
mod watch;

pub use capacity::formatted_capacity;
pub use drive::{Drive, Refusal, Volume};
pub use error::Error;
pub use format_spec::{FileSystem, FormatProblem, FormatSpec, format_problem};
pub use label::{LABEL_MAX, LabelProblem, label_problem, normalized_label};
pub use udisks::{PowerOff, Udisks};
pub use watch::watch;
