//! How fast a stick is from its first byte to its last, and where that changes.

mod cliff;
mod recorder;

use serde::{Deserialize, Serialize};

pub use cliff::{Cliff, cliff};
pub use recorder::Recorder;

/// Rates over the bytes written or read so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SpeedCurve {
    /// Where each piece begins, in bytes, and its rate in bytes a second; in order.
    pub points: Vec<(u64, f64)>,
}

impl SpeedCurve {
    /// The middle one of the rates, bytes a second; 0 where there is none.
    pub fn typical(&self) -> f64 {
        cliff::median(&self.points)
    }
}
