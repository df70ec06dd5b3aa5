//! The programs under test, freshly built, as a read-only disk.

use std::{
    env, fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::{images::tool, places::Places};

/// Programs of the root package that the guest gets on its PATH.
const PROGRAMS: [&str; 2] = ["steady", "steady-cli"];

/// Builds the programs as they are in the checkout. Says nothing unless something is wrong.
pub(crate) fn build(places: &Places) -> Result<()> {
    cargo_build(places, &["--package=steady", "--bins"])
}

/// Builds the model of sticks: what nbdkit loads.
pub(crate) fn stick_model(places: &Places) -> Result<PathBuf> {
    cargo_build(places, &["--package=steady-stick-model", "--lib"])?;
    Ok(built(places).join("libsteady_stick_model.so"))
}

fn cargo_build(places: &Places, what: &[&str]) -> Result<()> {
    let status = Command::new("cargo")
        .current_dir(&places.project)
        .args(["build", "--quiet"])
        .args(what)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .context("cargo")?;
    ensure!(status.success(), "building what is tested failed");
    Ok(())
}

/// Makes the disk at `image`, or leaves it if it holds the present programs already.
pub(crate) fn make_disk(places: &Places, image: &Path) -> Result<()> {
    let mut key = String::new();
    for program in PROGRAMS {
        let about = fs::metadata(built(places).join(program))?;
        key += &format!(
            "{program} {} {}.{}\n",
            about.size(),
            about.mtime(),
            about.mtime_nsec()
        );
    }
    let stamp = image.with_extension("key");
    if image.exists() && fs::read_to_string(&stamp).is_ok_and(|old| old == key) {
        return Ok(());
    }
    let folder = image.with_extension("new");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(folder.join("bin"))?;
    for program in PROGRAMS {
        tool(Command::new("strip").arg("-o").args([
            folder.join("bin").join(program),
            built(places).join(program),
        ]))?;
    }
    let new = image.with_extension("img.new");
    if new.exists() {
        fs::remove_file(&new)?;
    }
    tool(
        Command::new("mke2fs")
            .args(["-q", "-t", "ext4", "-O", "^has_journal", "-d"])
            .args([&folder, &new])
            .arg("256M"),
    )?;
    fs::remove_dir_all(folder)?;
    fs::rename(new, image)?;
    Ok(fs::write(stamp, key)?)
}

fn built(places: &Places) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| places.project.join("target"), PathBuf::from)
        .join("debug")
}
