use std::{path::PathBuf, time::Duration};

use anyhow::{Context, Result};
use steady_stick_model::Profile;

use super::{Place, place::Watched};
use crate::{Lab, Output, PlugOptions, Stick, Truth};

/// Sticks of one profile, plugged into the lab.
#[derive(Debug)]
pub struct InLab<'a> {
    lab: &'a Lab,
    profile: String,
    size: u64,
    /// A stick that holds an empty FAT32, to be copied.
    formatted: PathBuf,
    stick: Option<Stick>,
    plugged: usize,
}

impl<'a> InLab<'a> {
    /// The name that a stick tells: always the same, as if it were one.
    const SERIAL: &'static str = "BENCH";

    /// Sticks of that profile and of that many bytes.
    pub fn new(lab: &'a Lab, profile: &str, size: u64) -> Result<Self> {
        Profile::parse(profile)?;
        Ok(Self {
            lab,
            profile: profile.to_owned(),
            size,
            formatted: lab.formatted_image(size, "BENCH")?,
            stick: None,
            plugged: 0,
        })
    }

    fn pull(&mut self) -> Result<()> {
        if let Some(stick) = self.stick.take() {
            self.lab.unplug(&stick)?;
            std::fs::remove_file(stick.image_path())?;
        }
        Ok(())
    }
}

impl Place for InLab<'_> {
    fn name(&self) -> &str {
        &self.profile
    }

    fn has_limit(&self) -> bool {
        let name = self.profile.split(':').next().unwrap_or_default();
        ["even", "backlog", "ftl", "cliff", "commands"].contains(&name)
    }

    fn minds_pauses(&self) -> bool {
        self.profile.starts_with("backlog")
    }

    fn replugs(&self) -> bool {
        true
    }

    fn events(&self) -> Option<&str> {
        Some("/run/steady-lab/events")
    }

    fn root(&self, command: &[&str]) -> Result<Output> {
        self.lab.run_root(command)
    }

    fn fresh(&mut self, formatted: bool) -> Result<String> {
        self.pull()?;
        self.plugged += 1;
        let name = format!("bench{}", self.plugged);
        let image = self.formatted.with_file_name(format!("{name}.img"));
        if formatted {
            let status = std::process::Command::new("cp")
                .arg("--sparse=always")
                .args([&self.formatted, &image])
                .status()?;
            anyhow::ensure!(status.success(), "cp");
        }
        let stick = self.lab.plug(&PlugOptions {
            profile: self.profile.clone(),
            size: self.size,
            image: formatted.then_some(image),
            serial: Some(Self::SERIAL.into()),
            name: Some(name),
            ..PlugOptions::default()
        })?;
        let device = stick.device.clone();
        self.stick = Some(stick);
        Ok(device)
    }

    fn watched(&mut self, command: &[&str]) -> Result<Watched> {
        let stick = self.stick.as_ref().context("no stick is plugged in")?;
        let truth = Truth::watch(stick)?;
        let before = stick.counters()?.pauses;
        let events = self.lab.events()?;
        let output = self.lab.run_root(command)?;
        // Lines may still be on their way.
        std::thread::sleep(Duration::from_millis(300));
        Ok(Watched {
            output,
            lines: events.arrived().collect(),
            truth: Some(truth),
            pauses: Some(stick.counters()?.pauses - before),
        })
    }
}

impl Drop for InLab<'_> {
    fn drop(&mut self) {
        // The lab may be gone; then there is nothing to be pulled out.
        let _ = self.pull();
    }
}
