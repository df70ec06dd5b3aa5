//! Files that Steady keeps for a person: nobody else's business, and whole at any time.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Makes the folder for such a file, and what is missing above it, for its owner only. One that is
/// there stays as it is: it may be shared on purpose.
pub(super) fn make_folder_of(file: &Path) -> io::Result<()> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder_of(file))
}

/// Opens such a file for adding at its end; made for its owner only where there is none.
pub(super) fn open_to_append(file: &Path) -> io::Result<File> {
    make_folder_of(file)?;
    File::options()
        .create(true)
        .append(true)
        .read(true)
        .mode(0o600)
        .open(file)
}

/// Puts a file with these bytes in place of the old one, in one step and durably: after a crash
/// there is the old one or the new one, whole.
pub(super) fn replace(file: &Path, bytes: &[u8]) -> io::Result<()> {
    make_folder_of(file)?;
    let folder = folder_of(file);
    // Made for its owner only.
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(bytes)?;
    new.as_file().sync_data()?;
    new.persist(file)?;
    File::open(folder)?.sync_all()
}

/// Removes such a file; one that is not there is fine.
pub(super) fn remove(file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn folder_of(file: &Path) -> &Path {
    file.parent().unwrap_or(Path::new("/"))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn others_see_neither_the_file_nor_its_folder() {
        let place = tempfile::tempdir().expect("a folder");
        let mode = |path: &Path| {
            let metadata = fs::metadata(path).expect("it is there");
            metadata.permissions().mode() & 0o777
        };
        let (one, other) = (place.path().join("a/b/one"), place.path().join("c/other"));
        replace(&one, b"1").expect("written");
        replace(&one, b"22").expect("replaced");
        open_to_append(&other)
            .and_then(|mut file| file.write_all(b"3"))
            .expect("written");
        for file in [&one, &other] {
            assert_eq!(mode(file), 0o600, "{file:?}");
            assert_eq!(mode(folder_of(file)), 0o700, "{file:?}");
        }
        assert_eq!(fs::read(&one).expect("read"), b"22");
        let left = fs::read_dir(folder_of(&one)).expect("listed").count();
        assert_eq!(left, 1, "no temporary file");
    }

    #[test]
    fn what_cannot_be_written_leaves_the_old_one() {
        let place = tempfile::tempdir().expect("a folder");
        let file = place.path().join("one");
        replace(&file, b"old").expect("written");
        assert!(replace(&file.join("below"), b"new").is_err());
        assert_eq!(fs::read(&file).expect("read"), b"old");
        remove(&file).expect("removed");
        remove(&file).expect("removed twice");
        assert!(!file.exists());
    }
}
