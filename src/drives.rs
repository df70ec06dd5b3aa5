//! USB sticks as UDisks2 knows them: list, watch, judge, format, mount, unmount, power off.
//!
//! Nothing here knows of files to copy or of a toolkit. Calls block and belong on a worker thread.

mod drive;
mod error;

pub use drive::{Drive, Refusal, Volume};
pub use error::Error;
