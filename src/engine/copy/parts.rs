//! Temporary names. They have a folder of their own so that the files' own names come into their
//! folders in order, without holes: cars play in that order.

use std::path::{Path, PathBuf};

/// The folder in the target that holds what has no name of its own yet.
pub(crate) const FOLDER: &str = ".steady-parts";

/// Files that may wait for their own names; bounds what the folder grows to.
pub(crate) const MAX_BATCH: usize = 1000;

/// Whether a name in that folder is one that [`part`] makes.
pub(crate) fn is_part(name: &[u8]) -> bool {
    name.strip_suffix(b".part")
        .is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// The temporary name of the plan's file with that index.
pub(crate) fn part(index: usize) -> PathBuf {
    Path::new(FOLDER).join(format!("{index}.part"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn only_our_own_names_are_taken_for_ours() {
        for index in [0, 9, 123_456] {
            assert!(is_part(part(index).file_name().unwrap().as_bytes()));
        }
        for name in ["film.part", ".part", "1.part.gz", "1", "-1.part"] {
            assert!(!is_part(name.as_bytes()), "{name}");
        }
    }
}
