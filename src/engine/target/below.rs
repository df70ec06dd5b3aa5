//! Ways to what lies below a folder.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{self, Mode, OFlags, ResolveFlags};
use rustix::io::{Errno, Result};

/// A folder that no path leads out of: a link on a stick, or one that takes a folder's place while
/// files are copied, is an error and never a way to somewhere else, and neither is `..`.
#[derive(Debug)]
pub(super) struct Below(OwnedFd);

/// A name in an open folder, for the calls that take both.
#[derive(Debug)]
pub(super) struct Place<'a> {
    root: &'a OwnedFd,
    /// `None`: the root.
    folder: Option<OwnedFd>,
    pub(super) name: &'a OsStr,
}

impl Below {
    pub(super) fn new(root: OwnedFd) -> Self {
        Self(root)
    }

    pub(super) fn root(&self) -> &OwnedFd {
        &self.0
    }

    /// Opens what has this path; an empty one is the folder itself.
    pub(super) fn open(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            path
        };
        let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let resolve =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        match fs::openat2(&self.0, path, flags, mode, resolve) {
            // Linux before 5.6, or a sandbox that knows no newer one.
            Err(Errno::NOSYS | Errno::PERM) => self.walk(path, flags, mode),
            opened => opened,
        }
    }

    /// The folder that holds what has this path, and its name there.
    pub(super) fn place<'a>(&'a self, path: &'a Path) -> Result<Place<'a>> {
        let name = path.file_name().ok_or(Errno::INVAL)?;
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => {
                Some(self.open(folder, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?)
            }
            _ => None,
        };
        let root = &self.0;
        Ok(Place { root, folder, name })
    }

    /// The same name by name.
    fn walk(&self, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
        let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let mut folder = None;
        let mut parts = path.components().peekable();
        while let Some(part) = parts.next() {
            let name = match part {
                Component::Normal(name) => name,
                Component::CurDir => OsStr::new("."),
                _ => return Err(Errno::XDEV),
            };
            let at = folder.as_ref().unwrap_or(&self.0);
            if parts.peek().is_none() {
                return fs::openat(at, name, flags, mode);
            }
            folder = Some(fs::openat(at, name, step, Mode::empty())?);
        }
        Err(Errno::NOENT)
    }
}

impl AsFd for Place<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.folder.as_ref().unwrap_or(self.root).as_fd()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{create_dir_all, write};
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn no_path_leads_outside_by_the_kernels_help_or_without() {
        let around = tempfile::tempdir().unwrap();
        let stick = around.path().join("stick");
        create_dir_all(stick.join("films/old")).unwrap();
        write(stick.join("films/old/a"), "a").unwrap();
        write(around.path().join("secret"), "secret").unwrap();
        symlink("..", stick.join("up")).unwrap();
        symlink(around.path(), stick.join("films/out")).unwrap();
        symlink("films", stick.join("inside")).unwrap();
        symlink("../secret", stick.join("file")).unwrap();
        symlink("/proc/self/root", stick.join("magic")).unwrap();
        let root = fs::open(&stick, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
        let below = Below::new(root);

        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let both = |path: &str| {
            let path = Path::new(path);
            let kernel = below.open(path, flags, Mode::empty()).map(drop);
            let steps = below.walk(path, flags, Mode::empty()).map(drop);
            assert_eq!(kernel.is_ok(), steps.is_ok(), "{path:?}");
            kernel.is_ok()
        };
        for there in ["films", "films/old/a", "./films"] {
            assert!(both(there), "{there}");
        }
        for outside in [
            "up",
            "up/secret",
            "films/out/secret",
            "films/out/stick/films/old/a",
            "inside/old/a",
            "file",
            "magic",
            "magic/etc/passwd",
            "../secret",
            "films/../../secret",
            "/etc/passwd",
        ] {
            assert!(!both(outside), "{outside}");
            let held = below.place(Path::new(outside)).map(|place| {
                fs::statat(&place, place.name, fs::AtFlags::SYMLINK_NOFOLLOW)
                    .is_ok_and(|stat| fs::FileType::from_raw_mode(stat.st_mode).is_file())
            });
            assert!(!held.unwrap_or_default(), "{outside}");
        }
        assert!(below.open(Path::new(""), flags, Mode::empty()).is_ok());
        let place = below.place(Path::new("films/old/a")).unwrap();
        let stat = fs::statat(&place, place.name, fs::AtFlags::empty()).unwrap();
        assert_eq!((place.name, stat.st_size), (OsStr::new("a"), 1));
    }
}
