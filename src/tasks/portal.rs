//! Sources that come through the document portal, which shows them by paths and on a device of its own:
//! they are recognised by where they really lie.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::engine::plan::{FileId, Gathered, ItemKind};

/// On what comes from the portal: its path outside. In bytes, with a 0 at the end.
const HOST_PATH: &str = "user.document-portal.host-path";
const LONGEST_PATH: usize = 4096;

/// Where a source lies outside of the sandbox; `None` for what did not come through the portal, and
/// where the portal is too old to tell.
pub(super) fn host_path(source: &Path) -> Option<PathBuf> {
    let mut value = vec![0; LONGEST_PATH];
    let length = rustix::fs::getxattr(source, HOST_PATH, &mut value).ok()?;
    value.truncate(length);
    while value.last() == Some(&0) {
        value.pop();
    }
    (!value.is_empty()).then(|| OsString::from_vec(value).into())
}

/// Lets the plan see where such sources lie, so that it knows one in the target folder, and one that
/// holds it. The stick is mounted at the same place in the sandbox as outside.
pub(super) fn locate(gathered: &mut Gathered, target: &Path) {
    locate_by(gathered, target, host_path);
}

fn locate_by(gathered: &mut Gathered, target: &Path, lies_at: impl Fn(&Path) -> Option<PathBuf>) {
    let id = |folder: &Path| Some(FileId::from(&folder.metadata().ok()?));
    for root in &mut gathered.roots {
        let Some(path) = lies_at(&root.source) else {
            continue;
        };
        // As far as the sandbox sees them, which it does if they are the stick's.
        root.above = path.ancestors().skip(1).map_while(id).collect();
        let item = &mut gathered.items[root.item];
        if let (ItemKind::Folder(found), Some(target_id)) = (&mut item.kind, id(target))
            && target.starts_with(&path)
        {
            *found = target_id;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::engine::plan::{
        Choice, Choices, FileSystem, ProblemKind, TargetFacts, gather, plan,
    };

    #[test]
    fn x06_the_portal_tells_where_a_file_lies_and_others_lie_where_they_are() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        assert_eq!(host_path(file.path()), None);
        assert_eq!(host_path(Path::new("/no/such/file")), None);
        let set = rustix::fs::setxattr(
            file.path(),
            HOST_PATH,
            b"/media/ann/MUSIC/a.iso\0",
            rustix::fs::XattrFlags::empty(),
        );
        // Not every file system takes them.
        if set.is_ok() {
            let found = host_path(file.path());
            assert_eq!(found.as_deref(), Some(Path::new("/media/ann/MUSIC/a.iso")));
        }
    }

    /// A stick at `media/STICK` with `a.iso` and a folder `films` on it, and what the portal shows of a
    /// source: the same, elsewhere.
    fn stick_and_portal() -> (tempfile::TempDir, PathBuf, PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let stick = place.path().join("media/STICK");
        let portal = place.path().join("doc/5a1c");
        for folder in [stick.join("films"), portal.join("STICK/films")] {
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("film.mp4"), "film").unwrap();
        }
        for file in [stick.join("a.iso"), portal.join("a.iso")] {
            fs::write(file, "image").unwrap();
        }
        (place, stick, portal)
    }

    /// What copying a source, which really lies at `lies_at`, to the stick is told as.
    fn told(source: &Path, lies_at: &Path, stick: &Path) -> Vec<(ProblemKind, Vec<Choice>)> {
        let mut gathered = gather(&[source.to_path_buf()]);
        locate_by(&mut gathered, stick, |_| Some(lies_at.to_path_buf()));
        let facts = TargetFacts {
            root: Some(FileId::from(&stick.metadata().unwrap())),
            ..TargetFacts::fresh(FileSystem::Fat32, 1 << 30, 4096)
        };
        let stick = crate::engine::target::Folder::open(stick).unwrap();
        let plan = plan(&gathered, &facts, &stick, &Choices::default());
        let problems = plan.problems.iter();
        problems
            .map(|problem| (problem.kind, problem.choices.to_vec()))
            .collect()
    }

    #[test]
    fn x06_a_folder_from_the_portal_that_holds_the_stick_is_not_copied_into_it() {
        let (place, stick, portal) = stick_and_portal();
        let source = portal.join("STICK");
        let into_itself = (ProblemKind::IntoItself, vec![Choice::Stop, Choice::Skip]);
        for lies_at in [&stick, &place.path().join("media")] {
            let told = told(&source, lies_at, &stick);
            assert_eq!(told.first(), Some(&into_itself), "{}", lies_at.display());
        }
        assert_eq!(told(&source, &place.path().join("other"), &stick), []);
    }

    #[test]
    fn x06_a_file_from_the_portal_that_is_on_the_stick_is_never_replaced_by_itself() {
        let (place, stick, portal) = stick_and_portal();
        let source = portal.join("a.iso");
        let replace = |lies_at: &Path| {
            let told = told(&source, lies_at, &stick);
            told[0].1.contains(&Choice::Replace)
        };
        assert!(!replace(&stick.join("a.iso")), "it is that file");
        assert!(replace(&place.path().join("a.iso")), "it is another one");
    }
}
