//! Reading back: what the stick has, against the hash taken while writing.

use std::path::PathBuf;

use super::copy::{StopReason, WrittenFile};
use super::target::{ReadBack, Target};
use super::{Error, ErrorKind, Meter, Operation};

/// What came of reading back.
#[derive(Debug, Default)]
pub struct Checked {
    /// Files looked at.
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

/// Reads every written file that has a hash from the stick and compares; one that was compared
/// before it was kept counts as read. Blocks; cancelled through the meter.
///
/// A file that differs or cannot be read is named and the others go on; only a stick that is gone
/// ends it.
pub fn read_back<T: Target>(
    written: &[WrittenFile],
    target: &T,
    meter: &Meter,
) -> Result<Checked, StopReason> {
    let mut checked = Checked {
        past_cache: true,
        ..Checked::default()
    };
    for (file, hash) in written.iter().filter_map(|file| Some((file, file.hash?))) {
        if file.checked {
            meter.check(file.size);
            checked.files += 1;
            continue;
        }
        meter.set_current(Some(&file.target));
        match compare(file, hash, target, meter, &mut checked.past_cache) {
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
    hash: blake3::Hash,
    target: &T,
    meter: &Meter,
    past_cache: &mut bool,
) -> Result<bool, StopReason> {
    let fail = |cause| {
        let error = Error::new(Operation::ReadBack, &file.target, cause);
        StopReason::Target(error.with_gone(|| target.is_gone(), |time| target.pause(time)))
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
    Ok(read == file.size && hasher.finalize() == hash)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use rustix::io::Errno;

    use super::*;
    use crate::engine::copy::{Options, write};
    use crate::engine::testing::{Fault, Model, Sources};

    fn written(files: &[(&str, usize)]) -> (Model, Vec<WrittenFile>) {
        let model = Model::default();
        let plan = Sources::new(files);
        let written = write(&plan.plan(), &model, &Options::default(), &Meter::default()).unwrap();
        (model, written.files)
    }

    #[test]
    fn equal_files_are_verified_and_counted() {
        let (model, written) = written(&[("a", 0), ("b", 1), ("c", (3 << 20) + 1)]);
        let meter = Meter::default();
        let checked = read_back(&written, &model, &meter).unwrap();
        assert!(checked.is_verified() && checked.files == 3);
        assert_eq!(meter.totals().checked, (3 << 20) + 2);
    }

    #[test]
    fn one_changed_bit_names_its_file_and_the_others_stay() {
        let (model, written) = written(&[("a", 2 << 20), ("b", 70_000), ("c", 5)]);
        model.corrupt(Path::new("job/b"), 69_999);
        let checked = read_back(&written, &model, &Meter::default()).unwrap();
        assert_eq!(checked.files, 3);
        assert!(!checked.is_verified());
        let [bad] = checked.mismatches.as_slice() else {
            panic!("{checked:?}")
        };
        assert!(bad.target == Path::new("job/b") && bad.error.is_none());
    }

    #[test]
    fn an_unreadable_file_is_named_and_a_gone_stick_ends_it() {
        let (model, written) = written(&[("a", 10), ("b", 10)]);
        let at = model.calls.borrow().len();
        model.fault.set(Some(Fault {
            at,
            errno: Errno::IO,
            for_good: false,
        }));
        let checked = read_back(&written, &model, &Meter::default()).unwrap();
        assert_eq!(checked.mismatches.len(), 1);
        assert!(checked.mismatches[0].error.is_some());
        model.pull();
        let result = read_back(&written, &model, &Meter::default());
        let Err(StopReason::Target(error)) = result else {
            panic!("{result:?}")
        };
        assert_eq!(error.kind(), ErrorKind::TargetGone);
    }

    #[test]
    fn nothing_to_compare_is_never_verified() {
        assert!(
            !Checked {
                past_cache: true,
                ..Checked::default()
            }
            .is_verified()
        );
        let from_memory = Checked {
            files: 1,
            past_cache: false,
            ..Checked::default()
        };
        assert!(!from_memory.is_verified());
    }

    #[test]
    fn what_was_not_hashed_is_not_verified() {
        let (model, sources) = (Model::default(), Sources::new(&[("a", 10)]));
        let options = Options {
            without_hash: true,
            ..Options::default()
        };
        let written = write(&sources.plan(), &model, &options, &Meter::default()).unwrap();
        assert_eq!(written.on_stick.complete.len(), 1);
        let checked = read_back(&written.files, &model, &Meter::default()).unwrap();
        assert!(checked.files == 0 && !checked.is_verified());
    }

    #[test]
    fn cancel_ends_it() {
        let (model, written) = written(&[("a", 10)]);
        let meter = Meter::default();
        meter.cancel();
        let result = read_back(&written, &model, &meter);
        assert!(matches!(result, Err(StopReason::Cancelled)));
    }
}
