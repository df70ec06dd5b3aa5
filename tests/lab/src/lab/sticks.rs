//! Sticks: plugging in and pulling out.

use std::{fs, path::PathBuf};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;
use steady_stick_model::Profile;

use super::Lab;
use crate::{PlugOptions, Stick, monitor::Monitor, programs, state::State};

impl Lab {
    /// Plugs a stick in and waits until the guest's UDisks2 lists it.
    pub fn plug(&self, options: &PlugOptions) -> Result<Stick> {
        let _lock = self.lock()?;
        let mut state = State::load(&self.places);
        ensure!(state.is_up(), "the lab is not up");
        let taken = |name: &str| state.sticks.iter().any(|stick| stick.name == name);
        let name = options.name.clone().unwrap_or_else(|| {
            (1..=u32::MAX)
                .map(|number| format!("stick{number}"))
                .find(|name| !taken(name))
                .expect("there are more numbers than sticks")
        });
        ensure!(!taken(&name), "{name} is plugged in already");
        ensure!(
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric()),
            "a stick's name consists of ASCII letters and digits"
        );
        ensure!(
            (1..=PlugOptions::MOST_SLOTS).contains(&options.slots),
            "a reader has 1 to {} slots",
            PlugOptions::MOST_SLOTS
        );
        let image = match &options.image {
            Some(image) => std::path::absolute(image)?,
            None => self.new_image(&name)?,
        };
        let model = programs::stick_model(&self.places)?;
        let mut stick = Stick::start(options, &name, &model, &self.places.state, &image)?;
        // Recorded before it is plugged in, so that it can always be cleared away.
        state.sticks.push(stick.clone());
        state.save(&self.places)?;
        let plugged = self.connect(&mut stick, options, &state);
        state.sticks.pop();
        match plugged {
            Ok(()) => state.sticks.push(stick.clone()),
            Err(_) => self.pull(&stick)?,
        }
        state.save(&self.places)?;
        plugged.map(|()| stick)
    }

    /// The image of a stick of this size that holds one empty FAT32, pulled out again: to be copied.
    pub fn formatted_image(&self, size: u64, label: &str) -> Result<PathBuf> {
        let blank = self.plug(&PlugOptions {
            size,
            name: Some("blank".into()),
            ..PlugOptions::default()
        })?;
        let device = &blank.device;
        self.run(&["steady-cli", "format", device, "--label", label, "--yes"])?
            .success()?;
        self.unplug(&blank)?;
        Ok(blank.image_path().to_path_buf())
    }

    /// Pulls a stick out: its power is gone first, then the device. Its image is left.
    pub fn unplug(&self, stick: &Stick) -> Result<()> {
        let _lock = self.lock()?;
        let mut state = State::load(&self.places);
        let before = state.sticks.len();
        state.sticks.retain(|other| other.name != stick.name);
        ensure!(
            state.sticks.len() < before,
            "{} is not plugged in",
            stick.name
        );
        self.pull(stick)?;
        state.save(&self.places)
    }

    /// Takes the card out of a reader, or puts it back in. The model keeps its power: what was not
    /// flushed stays on the card.
    pub fn card(&self, reader: &Stick, is_in: bool) -> Result<()> {
        let _lock = self.lock()?;
        let slot = slot(&reader.name, 0);
        let mut monitor = self.machine.monitor()?;
        ensure!(
            monitor.has_device(&slot)?,
            "{} is not a reader",
            reader.name
        );
        if is_in {
            monitor.put_medium(&slot, &reader.name)
        } else {
            monitor.take_medium(&slot)
        }
    }

    /// The sticks that are plugged in, in the order of plugging.
    pub fn sticks(&self) -> Vec<Stick> {
        State::load(&self.places).sticks
    }

    /// The stick of that name; without a name, the only one.
    pub fn stick(&self, name: Option<&str>) -> Result<Stick> {
        let mut sticks = self.sticks();
        if let Some(name) = name {
            let found = sticks.into_iter().find(|stick| stick.name == name);
            return found.with_context(|| format!("no stick {name} is plugged in"));
        }
        match sticks.len() {
            0 => bail!("no stick is plugged in"),
            1 => Ok(sticks.remove(0)),
            _ => bail!("several sticks are plugged in: name one"),
        }
    }

    // Inside

    /// Where images of new sticks lie.
    pub(crate) fn stick_images(&self) -> PathBuf {
        self.places.work.join("sticks")
    }

    fn new_image(&self, name: &str) -> Result<PathBuf> {
        let folder = self.stick_images();
        fs::create_dir_all(&folder)?;
        let image = folder.join(format!("{name}.img"));
        if image.exists() {
            fs::remove_file(&image)?;
        }
        Ok(image)
    }

    fn connect(&self, stick: &mut Stick, options: &PlugOptions, state: &State) -> Result<()> {
        let sector = Profile::parse(&options.profile)?.parameters().sector;
        let mut monitor = self.machine.monitor()?;
        monitor.add_node(json!({
            "driver": "nbd", "node-name": stick.name, "read-only": options.read_only,
            "server": { "type": "unix", "path": stick.socket },
            // Every flush of the guest reaches the stick.
            "cache": { "direct": true, "no-flush": false },
        }))?;
        if options.slots == 1 {
            monitor.add_device(
                "usb-storage",
                options.bus.port(),
                &stick.name,
                json!({
                    "drive": stick.name, "serial": stick.serial, "removable": true,
                    "logical_block_size": sector, "physical_block_size": sector,
                }),
            )?;
        } else {
            connect_reader(&mut monitor, stick, options)?;
        }
        drop(monitor);
        let slots = options.slots.to_string();
        let mut command = vec!["/usr/lib/steady-lab/await-stick", &stick.serial, &slots];
        command.extend(
            state
                .sticks
                .iter()
                .map(|other| other.device.as_str())
                .filter(|d| !d.is_empty()),
        );
        stick.device = self.machine.agent()?.run(&command)?.success()?.text();
        Ok(())
    }

    /// Takes the power away, then the device, as far as it was plugged in.
    pub(super) fn pull(&self, stick: &Stick) -> Result<()> {
        stick.power_off()?;
        let mut monitor = self.machine.monitor()?;
        if monitor.has_device(&stick.name)? {
            monitor.remove_device(&stick.name)?;
        }
        if monitor.has_node(&stick.name)? {
            monitor.remove_node(&stick.name)?;
        }
        stick.end()
    }
}

/// Plugs a reader in, with the card in its first slot.
fn connect_reader(monitor: &mut Monitor, stick: &Stick, options: &PlugOptions) -> Result<()> {
    let name = &stick.name;
    // Slots can only be added while it is not attached.
    let reader = json!({ "serial": stick.serial, "attached": false });
    monitor.add_device("usb-bot", options.bus.port(), name, reader)?;
    for number in 0..options.slots {
        let id = slot(name, number);
        let drive = if number == 0 { name } else { &id };
        if number > 0 {
            // An empty drive has no twin in QMP; it goes with its slot.
            monitor.human(&format!("drive_add 0 if=none,id={id}"))?;
        }
        monitor.add_device(
            "scsi-hd",
            &format!("{name}.0"),
            &id,
            json!({ "drive": drive, "lun": number, "removable": true }),
        )?;
    }
    monitor.attach(name)
}

/// What QEMU calls a slot of a reader.
fn slot(reader: &str, number: u32) -> String {
    format!("{reader}slot{}", number + 1)
}
