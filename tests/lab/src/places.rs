use std::{
    env, fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

/// Where a lab keeps its things.
#[derive(Clone, Debug)]
pub struct Places {
    /// The checkout that this lab belongs to.
    pub project: PathBuf,
    /// The user's cache, shared by all checkouts: images that labs start from.
    pub cache: PathBuf,
    /// Sockets and records of the running lab. Short, because a socket's path has at most 107 bytes.
    pub state: PathBuf,
    /// Disks and sticks of this lab: too big for a folder in memory, as `state` may be.
    pub work: PathBuf,
}

impl Places {
    /// The places of this checkout's lab, or of the one that `STEADY_LAB_DIR` names.
    pub fn of_this_checkout() -> Result<Self> {
        let project = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .expect("the lab lies two folders below the checkout")
            .to_owned();
        let state = folder("STEADY_LAB_DIR").unwrap_or_else(|| {
            let uid = rustix::process::getuid().as_raw();
            let parent = folder("XDG_RUNTIME_DIR").unwrap_or_else(|| "/tmp".into());
            parent.join(format!("steady-lab-{uid}-{}", short_hash(&project)))
        });
        Self::new(project, state)
    }

    /// The places of a lab of its own, with `state` as its folder.
    pub fn new(project: PathBuf, state: PathBuf) -> Result<Self> {
        let cache = folder("STEADY_CACHE")
            .or_else(|| Some(folder("XDG_CACHE_HOME")?.join("steady")))
            .or_else(|| Some(folder("HOME")?.join(".cache/steady")))
            .context("HOME is not set")?;
        let work = cache.join("labs").join(short_hash(&state));
        Ok(Self {
            project,
            cache,
            state,
            work,
        })
    }

    /// Makes the folders. The state folder may lie in `/tmp`, so it has to be the user's own.
    pub(crate) fn make(&self) -> Result<()> {
        fs::create_dir_all(&self.work).with_context(|| self.work.display().to_string())?;
        match fs::DirBuilder::new().mode(0o700).create(&self.state) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(error).with_context(|| self.state.display().to_string());
            }
            _ => {}
        }
        let owner = fs::symlink_metadata(&self.state)?;
        ensure!(
            owner.is_dir() && owner.uid() == rustix::process::getuid().as_raw(),
            "{} belongs to somebody else",
            self.state.display()
        );
        Ok(())
    }
}

fn folder(variable: &str) -> Option<PathBuf> {
    env::var_os(variable)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn short_hash(path: &Path) -> String {
    blake3::hash(path.as_os_str().as_encoded_bytes()).to_hex()[..8].to_owned()
}
