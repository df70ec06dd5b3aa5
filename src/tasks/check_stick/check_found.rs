use crate::engine::speed_curve::{Cliff, SpeedCurve};

/// What a check has found so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckFound {
    /// Bytes that the stick says it has.
    pub claimed: u64,
    /// Bytes that it has; `None`: that was not found out.
    pub real: Option<u64>,
    /// Bytes of test data that came back as they were written.
    pub compared: u64,
    /// How fast it was written, over the bytes before. Empty where nothing was filled.
    pub write_curve: SpeedCurve,
    /// How fast it was read.
    pub read_curve: SpeedCurve,
    /// After how much in a row writing is slower for good.
    pub cliff: Option<Cliff>,
    /// What was on the stick is gone.
    pub erased: bool,
    /// Test files may still be on the stick.
    pub left_over: bool,
}

impl CheckFound {
    /// Whether it has less room than it claims.
    pub fn is_fake(&self) -> bool {
        self.real.is_some_and(|real| real < self.claimed)
    }
}
