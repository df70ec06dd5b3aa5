use std::io;
use std::path::Path;

use super::{Device, StopReason};
use crate::engine::{Error, Operation};

/// Says what was being done where when the stick failed, and whether it is gone by now.
pub(in crate::engine) fn fault<D: Device>(
    device: &D,
    operation: Operation,
    offset: Option<u64>,
) -> impl FnOnce(io::Error) -> StopReason {
    move |cause| {
        let error = Error::new(operation, Path::new(""), cause)
            .with_gone(|| device.is_gone(), |time| device.pause(time));
        StopReason::Target { error, offset }
    }
}
