//! What a lab starts from: made once, kept in the user's cache, made again when that from which it
//! is made has changed. Runs inside the Debian 13 tree, and as root: device nodes and owners of the
//! guest's files have to be right.

use std::{
    fs,
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, SystemTime},
};

use anyhow::{Context, Result, ensure};

use crate::{state::Lock, step};

mod disk;
mod packages;
mod ready;
mod tree;

pub use packages::package_of;
pub(crate) use {disk::Disk, ready::Ready};

/// How long what is not used any more is kept: other checkouts, made from something else, may be at
/// work at the same time.
const KEPT: Duration = Duration::from_hours(24);

/// A kind of thing in the cache, and what it is made from.
struct Recipe<'a> {
    /// The name starts with it.
    kind: &'a str,
    /// Anything that makes the result another one.
    key: &'a [u8],
    /// For the announcement: what is done, and how long it usually takes.
    what: &'a str,
    usually: &'a str,
}

impl Recipe<'_> {
    /// The path in the cache, made by `make` (which is given a path that does not exist yet) when
    /// it is absent. Others of its kind that nobody has used for a day are removed. One maker at a
    /// time.
    fn made(&self, cache: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
        let Self { kind, key, .. } = self;
        let path = cache.join(format!("{kind}-{}", &blake3::hash(key).to_hex()[..12]));
        let _lock = Lock::take(&cache.join(format!("{kind}.lock")))?;
        if path.exists() {
            touch(&path)?;
            return Ok(path);
        }
        step(self.what, self.usually);
        let new = cache.join(format!("{kind}.new"));
        remove(&new)?;
        make(&new).with_context(|| format!("{} failed", self.what))?;
        for entry in fs::read_dir(cache)? {
            let entry = entry?;
            let name = entry.file_name();
            let of_its_kind = name.to_string_lossy().starts_with(&format!("{kind}-"));
            let unused = entry.metadata()?.modified()?.elapsed().unwrap_or_default();
            if of_its_kind && unused > KEPT {
                remove(&entry.path())?;
            }
        }
        fs::rename(&new, &path)?;
        touch(&path)?;
        Ok(path)
    }
}

/// Marks it as used now.
fn touch(path: &Path) -> Result<()> {
    Ok(fs::File::open(path)?.set_modified(SystemTime::now())?)
}

fn remove(path: &Path) -> Result<()> {
    if path.is_dir() && !path.is_symlink() {
        fs::remove_dir_all(path)?;
    } else if path.exists() {
        fs::remove_file(path)?;
    }
    Ok(())
}

/// Runs a tool to its end; when it fails, the error holds the end of what it said.
pub(crate) fn tool(command: &mut Command) -> Result<()> {
    let program = command.get_program().display().to_string();
    let output = command.output().with_context(|| program.clone())?;
    let said = String::from_utf8_lossy(&output.stderr);
    let end: Vec<_> = said.lines().rev().take(20).collect();
    ensure!(
        output.status.success(),
        "{program}: {}\n{}",
        output.status,
        end.into_iter().rev().collect::<Vec<_>>().join("\n")
    );
    Ok(())
}

/// Appends names, modes and contents of all files below `folder`, in a fixed order.
pub(crate) fn describe(folder: &Path, into: &mut Vec<u8>) -> Result<()> {
    let mut paths: Vec<_> = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    for path in paths {
        let about = fs::symlink_metadata(&path)?;
        into.extend_from_slice(path.file_name().unwrap_or_default().as_bytes());
        if about.is_symlink() {
            into.extend_from_slice(fs::read_link(&path)?.as_os_str().as_bytes());
        } else if about.is_dir() {
            describe(&path, into)?;
        } else {
            into.extend_from_slice(&about.permissions().mode().to_le_bytes());
            into.extend_from_slice(blake3::hash(&fs::read(&path)?).as_bytes());
        }
    }
    Ok(())
}
