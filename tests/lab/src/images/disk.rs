use std::{
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use super::{Recipe, describe, remove, tool, tree::guest_tree};

/// The guest's disk and how it is booted.
#[derive(Debug)]
pub(crate) struct Disk(PathBuf);

impl Disk {
    /// The guest's packages with the lab's own configuration on top.
    pub(super) fn made(cache: &Path, configuration: &Path) -> Result<Self> {
        let tree = guest_tree(cache)?;
        let mut key = tree.as_os_str().as_bytes().to_vec();
        describe(configuration, &mut key)?;
        let recipe = Recipe {
            kind: "lab-root",
            key: &key,
            what: "Making the guest's disk",
            usually: "15 seconds",
        };
        let path = recipe.made(cache, |new| make(&tree, configuration, new))?;
        Ok(Self(path))
    }

    pub(crate) fn image(&self) -> PathBuf {
        self.0.join("root.img")
    }

    pub(crate) fn kernel(&self) -> PathBuf {
        self.0.join("vmlinuz")
    }

    pub(crate) fn initrd(&self) -> PathBuf {
        self.0.join("initrd.img")
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }
}

fn make(tree: &Path, configuration: &Path, new: &Path) -> Result<()> {
    fs::create_dir(new)?;
    // Hard links to the packages' files; a file of the configuration replaces the link only.
    let merged = new.join("merged");
    tool(Command::new("cp").arg("-al").args([tree, &merged]))?;
    tool(
        Command::new("cp")
            .args(["-rT", "--remove-destination", "--preserve=mode,links"])
            .args([configuration, &merged]),
    )?;
    for name in ["vmlinuz", "initrd.img"] {
        fs::copy(merged.join(name), new.join(name))?;
    }
    let image = new.join("root.img");
    tool(
        Command::new("mke2fs")
            .args(["-q", "-t", "ext4", "-d"])
            .args([&merged, &image])
            .arg("4G"),
    )?;
    remove(&merged)
}
