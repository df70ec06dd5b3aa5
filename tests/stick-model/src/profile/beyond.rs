/// What becomes of what is written beyond the end of what a fake stick has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It lands at the beginning, over what is there.
    Wrap,
    /// It is gone, and zeroes are read in its place.
    Drop,
}
