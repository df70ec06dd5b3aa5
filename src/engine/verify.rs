//! Reading back: what the stick has, against the hash taken while writing.

use std::path::PathBuf;

use super::copy::{StopReason, Written, WrittenFile};
use super::target::{ReadBack, Target};
use super::{Error, ErrorKind, Meter, Operation};

/// What came of reading back.
#[derive(Debug, Default)]
pub struct Checked {
    /// Files read to their end.
    pub files: u64,
    /// Files that are not what was written.
    pub mismatches: Vec<Mismatch>,
    /// Whether every byte came from the stick for certain, past the kernel's memory.
    pub past_cache: bool,
}

/// A file that is not what was written.
#[derive(Debug)]
pub struct Mismatch {
    /// Relative to the target folder.
    pub target: PathBuf,
    /// The stick's error, where it could not be read; `None` where it reads differently.
    pub error: Option<Error>,
}

impl Checked {
    /// Whether it may be called verified: something was compared, from the stick, and is equal.
    pub fn is_verified(&self) -> bool {
        self.files > 0 && self.mismatches.is_empty() && self.past_cache
    }
}

/// Reads every written file from the stick and compares. Blocks; cancelled through the meter.
///
/// A file that differs or cannot be read is named and the others go on; only a stick that is gone
/// ends it.
pub fn read_back<T: Target>(
    written: &Written,
    target: &T,
    meter: &Meter,
) -> Result<Checked, StopReason> {
    let mut checked = Checked {
        past_cache: true,
        ..Checked::default()
    };
    for file in &written.files {
        meter.set_current(Some(&file.target));
        match compare(file, target, meter, &mut checked.past_cache) {
            Ok(true) => {}
            Ok(false) => {
                checked.mismatches.push(Mismatch {
                    target: file.target.clone(),
                    error: None,
                });
            }
            Err(StopReason::Target(error)) if error.kind() != ErrorKind::TargetGone => {
                let target = file.target.clone();
                checked.mismatches.push(Mismatch {
                    target,
                    error: Some(error),
                });
            }
            Err(reason) => return Err(reason),
        }
        checked.files += 1;
    }
    meter.set_current(None);
    Ok(checked)
}

fn compare<T: Target>(
    file: &WrittenFile,
    target: &T,
    meter: &Meter,
    past_cache: &mut bool,
) -> Result<bool, StopReason> {
    let fail = |cause| {
        let mut error = Error::new(Operation::ReadBack, &file.target, cause);
        error.gone = target.is_gone();
        StopReason::Target(error)
    };
    let mut reader = target.open_read_back(&file.target).map_err(fail)?;
    *past_cache &= reader.is_past_cache();
    let mut hasher = blake3::Hasher::new();
    let mut read = 0;
    loop {
        if meter.is_cancelled() {
            return Err(StopReason::Cancelled);
        }
        let bytes = reader.next().map_err(fail)?;
        if bytes.is_empty() || read + bytes.len() as u64 > file.size {
            read += bytes.len() as u64;
            break;
        }
        hasher.update(bytes);
        read += bytes.len() as u64;
        meter.check(bytes.len() as u64);
    }
    Ok(read == file.size && hasher.finalize() == file.hash)
}
