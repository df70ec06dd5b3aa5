/// Where a stick has put what was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    OnMedium,
    InCache,
    /// It said that it has it, and has not.
    Nowhere,
}
