//! Calls that rustix does not have.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, IntoRawFd, OwnedFd};

/// Starts the write-out of a file's range, or waits for it too and tells its errors.
pub(super) fn sync_file_range(
    file: BorrowedFd<'_>,
    offset: u64,
    length: u64,
    wait: bool,
) -> io::Result<()> {
    let mut flags = libc::SYNC_FILE_RANGE_WRITE;
    if wait {
        flags |= libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    }
    let (offset, length) = (offset.cast_signed(), length.cast_signed());
    loop {
        // SAFETY: the descriptor is open for as long as it is borrowed; no memory is passed.
        let result = unsafe { libc::sync_file_range(file.as_raw_fd(), offset, length, flags) };
        if result == 0 {
            return Ok(());
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
}

/// Closes a descriptor and tells the error that dropping it would hide.
pub(super) fn close(file: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor was owned and is given up here; it is never closed a second time,
    // not even after an error, for Linux has released it by then.
    if unsafe { libc::close(file.into_raw_fd()) } == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        error if error.kind() == io::ErrorKind::Interrupted => Ok(()),
        error => Err(error),
    }
}
