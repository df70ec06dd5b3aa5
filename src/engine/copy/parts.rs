//! Temporary names. They have a folder of their own so that the files' own names come into their
//! folders in order, without holes: cars play in that order.

use std::path::{Path, PathBuf};

/// The folder in the target that holds what has no name of its own yet.
pub(crate) const FOLDER: &str = ".steady-parts";

/// Files that may wait for their own names; bounds what the folder grows to.
pub(crate) const MAX_BATCH: usize = 1000;
/// Files without a name that may be held at once. A process may have 1,024 open.
pub(super) const MAX_HELD: usize = 200;

/// The number in a name that [`part`] makes.
pub(crate) fn number(path: &Path) -> Option<usize> {
    let number = path.file_name()?.to_str()?.strip_suffix(".part")?;
    let digits = number.bytes().all(|digit| digit.is_ascii_digit());
    digits.then(|| number.parse().ok()).flatten()
}

/// The temporary name with that number.
pub(crate) fn part(number: usize) -> PathBuf {
    Path::new(FOLDER).join(format!("{number}.part"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_taken_for_ours() {
        for index in [0, 9, 123_456] {
            assert_eq!(number(&part(index)), Some(index));
        }
        for name in ["film.part", ".part", "1.part.gz", "1", "-1.part", "+1.part"] {
            assert_eq!(number(Path::new(name)), None, "{name}");
        }
    }
}
