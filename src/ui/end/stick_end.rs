/// How the job ended on one of several sticks, as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StickEnd {
    pub(super) icon: &'static str,
    /// What people call it.
    pub(super) stick: String,
    /// Lines: how it ended, what is on it now, checked or not, and how fast.
    pub(super) text: String,
}
