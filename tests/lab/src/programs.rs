//! The programs under test, freshly built, as a read-only disk.

use std::{
    env, fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, Result, ensure};

use crate::{
    images::{describe, tool},
    places::Places,
};

/// Programs of the root package that the guest gets on its PATH.
const PROGRAMS: [&str; 2] = ["steady", "steady-cli"];
/// Set where speed is measured: the programs are built as people get them.
const RELEASE: &str = "STEADY_LAB_RELEASE";

/// What this process has built already.
static BUILT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Builds the programs as they are in the checkout, once in a process. Says nothing unless something is wrong.
pub(crate) fn build(places: &Places) -> Result<()> {
    let mut what = vec!["--package=steady", "--bins"];
    what.extend(is_release().then_some("--release"));
    cargo_build(places, &what)
}

fn is_release() -> bool {
    env::var_os(RELEASE).is_some()
}

/// Builds the model of sticks: what nbdkit loads.
pub(crate) fn stick_model(places: &Places) -> Result<PathBuf> {
    cargo_build(places, &["--package=steady-stick-model", "--lib"])?;
    Ok(built(places, false).join("libsteady_stick_model.so"))
}

fn cargo_build(places: &Places, what: &[&str]) -> Result<()> {
    let mut built = BUILT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = format!("{} {what:?}", places.project.display());
    if built.contains(&key) {
        return Ok(());
    }
    let status = Command::new("cargo")
        .current_dir(&places.project)
        .args(["build", "--quiet"])
        .args(what)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .context("cargo")?;
    ensure!(status.success(), "building what is tested failed");
    built.push(key);
    Ok(())
}

/// Makes the disk at `image`, or leaves it if it holds the present programs already.
pub(crate) fn make_disk(places: &Places, image: &Path) -> Result<()> {
    let [data, translations] = ["data", "po"].map(|folder| places.project.join(folder));
    let built = built(places, is_release());
    let mut contents = Vec::new();
    describe(&data, &mut contents)?;
    describe(&translations, &mut contents)?;
    let mut key = format!("data {}\n", blake3::hash(&contents));
    for program in PROGRAMS {
        let about = fs::metadata(built.join(program))?;
        key += &format!(
            "{} {} {}.{}\n",
            built.join(program).display(),
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
        tool(
            Command::new("strip")
                .arg("-o")
                .args([folder.join("bin").join(program), built.join(program)]),
        )?;
    }
    add_data(&data, &translations, &folder.join("share"))?;
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

/// What an installation puts beside the programs: icons, desktop file, translations.
fn add_data(data: &Path, translations: &Path, share: &Path) -> Result<()> {
    let applications = share.join("applications");
    fs::create_dir_all(&applications)?;
    tool(
        Command::new("cp")
            .arg("-r")
            .args([data.join("icons"), share.to_owned()]),
    )?;
    for file in fs::read_dir(data)? {
        let file = file?.path();
        if file.extension().is_some_and(|kind| kind == "desktop") {
            tool(Command::new("cp").args([&file, &applications]))?;
        }
    }
    for language in fs::read_to_string(translations.join("LINGUAS"))?.split_whitespace() {
        let messages = share.join("locale").join(language).join("LC_MESSAGES");
        fs::create_dir_all(&messages)?;
        tool(Command::new("msgfmt").arg("-o").args([
            messages.join("steady.mo"),
            translations.join(format!("{language}.po")),
        ]))?;
    }
    Ok(())
}

fn built(places: &Places, release: bool) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| places.project.join("target"), PathBuf::from)
        .join(if release { "release" } else { "debug" })
}
