use std::io;
use std::path::Path;

use super::StopReason;
use crate::engine::target::Target;
use crate::engine::{Error, Operation};

/// Says what was being done to what when the target failed, and whether it is gone by now.
pub(in crate::engine) fn fault<T: Target>(
    target: &T,
    operation: Operation,
    path: &Path,
) -> impl FnOnce(io::Error) -> StopReason {
    move |cause| {
        let error = Error::new(operation, path, cause);
        StopReason::Target(error.with_gone(|| target.is_gone(), |time| target.pause(time)))
    }
}
