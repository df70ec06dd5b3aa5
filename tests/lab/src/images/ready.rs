use std::{
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

use super::{Disk, Recipe, tool};
use crate::{
    machine::{self, Machine},
    places::Places,
};

/// The desktop as it is a moment after logging in: a disk in the state of a running PC.
#[derive(Debug)]
pub(crate) struct Ready {
    disk: Disk,
    overlay: PathBuf,
}

impl Ready {
    /// The saved desktop, made by booting a PC once.
    pub(crate) fn made(places: &Places) -> Result<Self> {
        let disk = Disk::made(&places.cache, &places.project.join("tests/lab/guest"))?;
        let mut key = disk.folder().as_os_str().as_bytes().to_vec();
        key.extend(machine::version()?);
        // A saved state fits only the very hardware it was saved on.
        let hardware = machine::arguments(&disk, Path::new("overlay"), Path::new("state"));
        key.extend(hardware.join("\n").as_bytes());
        let recipe = Recipe {
            kind: "lab-desktop",
            key: &key,
            what: "Booting the guest and saving its desktop, once",
            usually: "1 minute",
        };
        let overlay = recipe.made(&places.cache, |new| boot(places, &disk, new))?;
        Ok(Self { disk, overlay })
    }

    pub(crate) fn disk(&self) -> &Disk {
        &self.disk
    }

    /// Puts a copy at `path`, for a PC to run on.
    pub(crate) fn copy_to(&self, path: &Path) -> Result<()> {
        // A new file: whatever still holds an older one must not see it change.
        let new = path.with_extension("new");
        tool(
            Command::new("cp")
                .arg("--reflink=auto")
                .args([&self.overlay, &new]),
        )?;
        Ok(fs::rename(new, path)?)
    }
}

fn boot(places: &Places, disk: &Disk, overlay: &Path) -> Result<()> {
    tool(
        Command::new("qemu-img")
            .args(["create", "-q", "-f", "qcow2", "-F", "raw", "-b"])
            .args([&disk.image(), overlay]),
    )?;
    // Apart from the lab that this checkout may have running.
    let own = Places {
        state: places.state.join("boot"),
        ..places.clone()
    };
    own.make()?;
    let process = machine::start(&own, disk, overlay, false)?;
    let saved = wait_and_save(&own);
    process.end()?;
    saved.with_context(|| {
        let console = fs::read_to_string(own.state.join("console")).unwrap_or_default();
        let end: Vec<_> = console.lines().rev().take(10).collect();
        format!(
            "the guest's console ends with\n{}",
            end.into_iter().rev().collect::<Vec<_>>().join("\n")
        )
    })?;
    Ok(fs::remove_dir_all(own.state)?)
}

fn wait_and_save(places: &Places) -> Result<()> {
    let machine = Machine::of(places);
    machine.await_guest()?;
    let desktop = machine
        .agent()?
        .run(&["/usr/lib/steady-lab/await-desktop"])?;
    ensure!(
        desktop.code == 0,
        "the desktop did not become ready: {}",
        String::from_utf8_lossy(&desktop.stderr)
    );
    machine.save()
}
