use std::{fs, path::Path};

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::{places::Places, process::Process, stick::Stick};

/// What a running lab consists of, for the next call to find.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct State {
    /// The virtual PC.
    pub(crate) qemu: Option<Process>,
    /// Whether the disk with the programs is plugged in.
    pub(crate) programs: bool,
    /// In the order of plugging.
    pub(crate) sticks: Vec<Stick>,
}

impl State {
    /// The recorded state. An unreadable record is that of a lab of another version: nothing in
    /// it can be relied on.
    pub(crate) fn load(places: &Places) -> Self {
        fs::read(places.state.join("state.json"))
            .ok()
            .and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    pub(crate) fn save(&self, places: &Places) -> Result<()> {
        let new = places.state.join("state.new");
        fs::write(&new, serde_json::to_vec(self)?)?;
        Ok(fs::rename(new, places.state.join("state.json"))?)
    }

    pub(crate) fn is_up(&self) -> bool {
        self.qemu.is_some_and(Process::is_running)
    }
}

/// Keeps other calls out until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock(#[expect(dead_code, reason = "held, not used")] fs::File);

impl Lock {
    /// Waits until the file at `path`, made when absent, is nobody else's.
    pub(crate) fn take(path: &Path) -> Result<Self> {
        let file = fs::File::create(path)?;
        file.lock()?;
        Ok(Self(file))
    }
}
