//! The free space of a stick filled with test data, read back and set free again. Only behind a
//! [`super::probe`]: on a stick that comes round, filling it would write over its own files.

mod read;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::path::{Path, PathBuf};

pub use read::{Misread, ReadBack, read_back};
pub use write::{Filled, fill};

use super::Operation;
use super::copy::{StopReason, fault};
use super::plan::Existing;
use super::target::Target;

/// The folder that holds the test files.
pub const FOLDER: &str = ".steady-check";
/// Bytes of a test file: every file system can hold it.
const FILE: u64 = 1 << 30;

/// Removes what is left of this check or of an earlier one; true: something was there. Nothing
/// else in the folder is touched, and then it stays.
pub fn clean_up<T: Target>(target: &T) -> Result<bool, StopReason> {
    let folder = Path::new(FOLDER);
    let mut found = Vec::new();
    let listed = target.list(folder, &mut |path, what| {
        if is_ours(&path) && what != Existing::Folder {
            found.push(path);
        }
    });
    match listed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        listed => listed.map_err(fault(target, Operation::Remove, folder))?,
    }
    for path in &found {
        let removed = target.remove(path);
        removed.map_err(fault(target, Operation::Remove, path))?;
    }
    match target.remove_folder(folder) {
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {}
        removed => removed.map_err(fault(target, Operation::Remove, folder))?,
    }
    let durable = target.checkpoint();
    durable.map_err(fault(target, Operation::Checkpoint, Path::new("")))?;
    Ok(!found.is_empty())
}

fn name(number: usize) -> PathBuf {
    Path::new(FOLDER).join(format!("{number}.check"))
}

fn is_ours(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str());
    let number = name.and_then(|name| name.strip_suffix(".check"));
    number.is_some_and(|number| {
        !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
    })
}
