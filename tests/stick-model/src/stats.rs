//! What a stick has counted.

use serde::{Deserialize, Serialize};

mod counters;
mod extents;
mod file_data;
mod kept;
mod tally;

pub use counters::Counters;
pub(crate) use {kept::Kept, tally::Tally};

/// Everything a stick has counted since it was plugged in. Sizes and offsets in bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stats {
    /// The scalar figures.
    #[serde(flatten)]
    pub counters: Counters,
    /// Ranges written, as (offset, length): merged, sorted, at most [`Stats::MOST_RANGES`].
    pub written: Vec<(u64, u64)>,
    /// Those of them that are file data; see [`Counters::data_bytes_written`].
    pub file_data: Vec<(u64, u64)>,
    /// Ranges left out of `written` and `file_data` because there were too many.
    pub ranges_left_out: u64,
    /// Traffic as (second, bytes written, bytes read), counted from the plugging in; seconds
    /// without traffic are left out.
    pub curve: Vec<(u64, u64, u64)>,
}

impl Stats {
    /// The most ranges that one list holds.
    pub const MOST_RANGES: usize = 10_000;
}
