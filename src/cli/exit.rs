use std::process::ExitCode;

/// How `steady-cli` ended, as its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exit {
    /// 0: done and nothing failed.
    Done,
    /// 1: failed, or done with failed items.
    Failed,
    /// 2: wrong use, or refused before the first byte.
    Refused,
    /// 130: cancelled, or the password dismissed.
    Cancelled,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Refused => 2,
            Exit::Cancelled => 130,
        })
    }
}
