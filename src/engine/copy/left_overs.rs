//! What a job that crashed, or whose stick was pulled, has left under temporary names.
//!
//! On a FAT pulled while files were being named, a temporary name and a file's own name can lead
//! to the same clusters: the two slots lie in different sectors, and only one of them may have
//! reached the stick. Removing the temporary name would then free the clusters of the file, for
//! the next one to write over. Nothing that a program may ask tells where a file's clusters lie,
//! but both slots tell the same size and the same time. So a left-over stays as long as any file
//! looks like it; what a repair has emptied, and everything on a file system that was checked and
//! is sound, can go.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::parts;
use crate::engine::plan::Existing;
use crate::engine::target::Target;

/// The temporary names that were there at the start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct LeftOvers {
    /// Can be removed.
    pub(super) loose: Vec<PathBuf>,
    /// May share their clusters with a file.
    pub(super) shared: Vec<PathBuf>,
}

impl LeftOvers {
    /// Looks for them. `sound`: the file system was checked. `None` when `stop` says so.
    pub(super) fn find<T: Target>(
        target: &T,
        sound: bool,
        stop: &dyn Fn() -> bool,
    ) -> io::Result<Option<Self>> {
        let mut found = Vec::new();
        target.list(Path::new(parts::FOLDER), &mut |path, what| {
            if parts::number(&path).is_some() && what != Existing::Folder {
                found.push((path, what));
            }
        })?;
        let may_share = |what: &Existing| !sound && !matches!(what, Existing::File { size: 0, .. });
        let looks = if found.iter().any(|(_, what)| may_share(what)) {
            match looks_of_files(target, stop)? {
                Some(looks) => looks,
                None => return Ok(None),
            }
        } else {
            HashSet::new()
        };
        let (shared, loose): (Vec<_>, Vec<_>) = found
            .into_iter()
            .partition(|(_, what)| may_share(what) && looks.contains(what));
        let paths = |found: Vec<(PathBuf, Existing)>| found.into_iter().map(|(path, _)| path);
        Ok(Some(Self {
            loose: paths(loose).collect(),
            shared: paths(shared).collect(),
        }))
    }

    /// The first number that no temporary name has which stays.
    pub(super) fn first_number(&self) -> usize {
        let numbers = self.shared.iter().filter_map(|path| parts::number(path));
        numbers.max().map_or(0, |last| last + 1)
    }
}

/// Size and time of every file in the target, temporary names left out.
fn looks_of_files<T: Target>(
    target: &T,
    stop: &dyn Fn() -> bool,
) -> io::Result<Option<HashSet<Existing>>> {
    let mut looks = HashSet::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        if stop() {
            return Ok(None);
        }
        let listed = target.list(&folder, &mut |path, what| match what {
            Existing::Folder if path != Path::new(parts::FOLDER) => folders.push(path),
            Existing::File { .. } => drop(looks.insert(what)),
            _ => {}
        });
        match listed {
            // Somebody else's folder. FAT and exFAT, which are what this is about, have none.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {}
            listed => listed?,
        }
    }
    Ok(Some(looks))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;
    use crate::engine::testing::Model;

    #[test]
    fn what_looks_like_a_file_stays_until_the_file_system_is_sound() {
        let time = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
        let model = Model::default();
        model.make_folder(Path::new("job")).unwrap();
        model.make_folder(Path::new("job/deep")).unwrap();
        model.take_parts_folder(Path::new(parts::FOLDER)).unwrap();
        model.put_with_time("job/deep/film", b"film", time(5));
        model.put_with_time("job/empty", b"", time(5));
        model.put_with_time("JOB/DEEP/LOUD", b"loud", time(7));
        for (number, bytes, seconds) in [
            (7, b"film".as_slice(), 5),
            (8, b"", 5),
            (9, b"film", 6),
            (10, b"half", 5),
            (11, b"fil", 5),
            (12, b"loud", 7),
        ] {
            model.put_with_time(parts::part(number).to_str().unwrap(), bytes, time(seconds));
        }
        model.put(".steady-parts/somebody's", b"film");
        let find = |sound| LeftOvers::find(&model, sound, &|| false).unwrap().unwrap();
        let found = find(false);
        assert_eq!(
            found.shared,
            [parts::part(10), parts::part(12), parts::part(7)]
        );
        assert_eq!(found.first_number(), 13);
        assert_eq!(found.loose.len(), 3);
        let found = find(true);
        assert_eq!((found.shared.len(), found.loose.len()), (0, 6));
        assert_eq!(found.first_number(), 0);
        assert_eq!(LeftOvers::find(&model, false, &|| true).unwrap(), None);
    }
}
