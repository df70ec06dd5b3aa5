/// What a stick has room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capacity {
    /// Bytes that it says it has.
    pub claimed: u64,
    /// Bytes that it has.
    pub real: u64,
    /// What becomes of what is written beyond them; `None`: it has what it claims.
    pub beyond: Option<Beyond>,
}

/// What a stick does with bytes that it has no room for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Beyond {
    /// They come round to its start, over what is there.
    Wraps,
    /// They are lost.
    Drops,
}

impl Capacity {
    pub(super) fn honest(claimed: u64) -> Self {
        Self {
            claimed,
            real: claimed,
            beyond: None,
        }
    }

    /// Whether it has less than it claims.
    pub fn is_fake(&self) -> bool {
        self.beyond.is_some()
    }
}
