use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use steady_stick_model::Profile;

use crate::{
    Element, Events, Output, Places, PlugOptions, Stick,
    images::Ready,
    machine::{self, Machine},
    programs,
    state::{Lock, State},
};

/// Runs a command as the person at the PC, in the session.
const IN_SESSION: &str = "/usr/lib/steady-lab/in-session";
/// Node and device of the disk with the programs.
const PROGRAMS: &str = "programs";

/// A lab: a virtual PC that runs until it is taken down, whatever becomes of this value.
#[derive(Debug)]
pub struct Lab {
    places: Places,
    machine: Machine,
    /// Held by those who need the lab for themselves.
    alone: Option<Lock>,
}

impl Lab {
    /// The password of `tester`, the person at the PC.
    pub const PASSWORD: &str = "steady";

    /// The lab at `places`, up or not.
    pub fn at(places: Places) -> Result<Self> {
        places.make()?;
        Ok(Self {
            machine: Machine::of(&places),
            places,
            alone: None,
        })
    }

    /// This checkout's lab, up, with the desktop as it was saved and nothing plugged in. Waits for
    /// other tests that have it; they wait until this value is dropped.
    pub fn ready() -> Result<Self> {
        Self::ready_at(Places::of_this_checkout()?)
    }

    /// See [`Lab::ready`].
    pub fn ready_at(places: Places) -> Result<Self> {
        let mut lab = Self::at(places)?;
        lab.alone = Some(Lock::take(&lab.places.state.join("alone"))?);
        if !lab.up()? {
            lab.restore()?;
        }
        Ok(lab)
    }

    // The PC

    /// Starts the PC, if it is not up, at the saved desktop. Tells whether it had to.
    pub fn up(&self) -> Result<bool> {
        let _lock = self.lock()?;
        let mut state = State::load(&self.places);
        programs::build(&self.places)?;
        if state.is_up() {
            return Ok(false);
        }
        self.clear_away(&state)?;
        let ready = Ready::made(&self.places)?;
        let overlay = self.overlay();
        ready.copy_to(&overlay)?;
        state = State {
            qemu: Some(machine::start(&self.places, ready.disk(), &overlay, true)?),
            ..State::default()
        };
        state.save(&self.places)?;
        self.machine.after_load()?;
        self.plug_programs(&mut state)?;
        Ok(true)
    }

    /// Goes back to the saved desktop with nothing plugged in but the programs, newly built.
    pub fn restore(&self) -> Result<()> {
        let _lock = self.lock()?;
        let mut state = State::load(&self.places);
        ensure!(state.is_up(), "the lab is not up");
        programs::build(&self.places)?;
        while let Some(stick) = state.sticks.pop() {
            self.pull(&stick)?;
            state.save(&self.places)?;
        }
        if state.programs {
            let mut monitor = self.machine.monitor()?;
            monitor.remove_device(PROGRAMS)?;
            monitor.remove_node(PROGRAMS)?;
            state.programs = false;
            state.save(&self.places)?;
        }
        self.machine.load()?;
        self.plug_programs(&mut state)
    }

    /// Ends the PC and its sticks, whatever state they are in. Images of sticks are left.
    pub fn down(&self) -> Result<()> {
        let _lock = self.lock()?;
        self.clear_away(&State::load(&self.places))?;
        match fs::remove_file(self.overlay()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Whether the PC is up.
    pub fn is_up(&self) -> bool {
        State::load(&self.places).is_up()
    }

    // Sticks

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

    // Commands and files

    /// Runs a command as the person at the PC, in the active session.
    pub fn run<S: AsRef<str>>(&self, command: &[S]) -> Result<Output> {
        let command: Vec<_> = [IN_SESSION]
            .into_iter()
            .chain(command.iter().map(AsRef::as_ref))
            .collect();
        self.machine.agent()?.run(&command)
    }

    /// Runs a command as root, outside the session.
    pub fn run_root<S: AsRef<str>>(&self, command: &[S]) -> Result<Output> {
        let path = "PATH=/opt/steady/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin";
        let command: Vec<_> = ["/usr/bin/env", path]
            .into_iter()
            .chain(command.iter().map(AsRef::as_ref))
            .collect();
        self.machine.agent()?.run(&command)
    }

    /// Starts a command in the session and leaves it running.
    pub fn start<S: AsRef<str>>(&self, command: &[S]) -> Result<()> {
        let detached = [
            "systemd-run",
            "--user",
            "--collect",
            "--quiet",
            "--expand-environment=no",
            "--",
        ];
        let command: Vec<_> = detached
            .into_iter()
            .chain(command.iter().map(AsRef::as_ref))
            .collect();
        self.run(&command)?.success().map(drop)
    }

    /// Copies a file of this machine into the guest, where it belongs to the person at the PC.
    pub fn put(&self, host: &Path, guest: &str) -> Result<()> {
        let file = File::open(host).with_context(|| host.display().to_string())?;
        self.machine.agent()?.put(file, guest)?;
        let command = ["chown", "tester:tester", guest];
        self.run_root(&command)?.success().map(drop)
    }

    /// Copies a file of the guest to this machine.
    pub fn get(&self, guest: &str, host: &Path) -> Result<()> {
        self.machine.agent()?.get(guest, host)
    }

    /// What the guest has taken into memory and not yet written to any drive, in bytes
    /// (`Dirty` and `Writeback`).
    pub fn dirty_bytes(&self) -> Result<u64> {
        let about = self.run_root(&["cat", "/proc/meminfo"])?.success()?.text();
        let kib = |field: &str| -> Option<u64> {
            let line = about.lines().find_map(|line| line.strip_prefix(field))?;
            line.trim().strip_suffix(" kB")?.parse().ok()
        };
        let sum = kib("Dirty:").zip(kib("Writeback:")).map(|(a, b)| a + b);
        Ok(sum.context("no such figures in /proc/meminfo")? * 1024)
    }

    // The desktop. Roles are AT-SPI's names. Names are exact, or regular expressions if written
    // `/…/`; an empty name matches any.

    /// Waits for an element that can be used, and presses it.
    pub fn click(&self, role: &str, name: &str) -> Result<()> {
        self.element::<Value>("click", role, name, Value::Null)
            .map(drop)
    }

    /// Waits for an element that can be used, and writes `text` into it.
    pub fn type_text(&self, role: &str, name: &str, text: &str) -> Result<()> {
        self.element::<Value>("type", role, name, json!({ "text": text }))
            .map(drop)
    }

    /// Waits until an element is on the screen.
    pub fn wait(&self, role: &str, name: &str) -> Result<Element> {
        self.element("wait", role, name, Value::Null)
    }

    /// Looks at an element that is on the screen.
    pub fn read(&self, role: &str, name: &str) -> Result<Element> {
        self.element("read", role, name, Value::Null)
    }

    /// From now on sends each change of elements to [`Lab::events`], as JSON with `role`, `name`,
    /// `text` and `value`. The name is a beginning or a `/…/`.
    pub fn watch(&self, role: &str, name: &str) -> Result<()> {
        self.element("watch", role, name, Value::Null)
    }

    /// Ends every [`Lab::watch`].
    pub fn unwatch(&self) -> Result<()> {
        self.plain("unwatch", Value::Null)
    }

    /// Presses keys in the active window, as in `ctrl+q` or `Tab Return`.
    pub fn key(&self, keys: &str) -> Result<()> {
        self.plain("key", json!({ "keys": keys }))
    }

    /// Everything on the screen, a line each.
    pub fn tree(&self) -> Result<String> {
        self.plain("tree", Value::Null)
    }

    /// Gives the active window that size in pixels, without its shadow.
    pub fn size(&self, width: u32, height: u32) -> Result<()> {
        self.plain("size", json!({ "width": width, "height": height }))
    }

    /// Saves what is on the screen, or the active window only, as PNG.
    pub fn shot(&self, path: &Path, window: bool) -> Result<()> {
        let guest = "/tmp/steady-lab-shot.png";
        self.plain::<Value>("shot", json!({ "path": guest, "window": window }))?;
        self.get(guest, path)
    }

    /// Listens to the lines that the guest sends.
    pub fn events(&self) -> Result<Events> {
        Events::listen(&self.places.state)
    }

    // Inside

    /// The PC's disk.
    fn overlay(&self) -> PathBuf {
        self.places.work.join("overlay.qcow2")
    }

    fn lock(&self) -> Result<Lock> {
        Lock::take(&self.places.state.join("lock"))
    }

    fn element<T: serde::de::DeserializeOwned>(
        &self,
        verb: &str,
        role: &str,
        name: &str,
        details: Value,
    ) -> Result<T> {
        self.machine.driver()?.element(verb, role, name, details)
    }

    fn plain<T: serde::de::DeserializeOwned>(&self, verb: &str, details: Value) -> Result<T> {
        self.machine.driver()?.plain(verb, details)
    }

    /// Ends what is recorded and forgets it.
    fn clear_away(&self, state: &State) -> Result<()> {
        for process in state
            .qemu
            .iter()
            .chain(state.sticks.iter().map(|stick| &stick.process))
        {
            process.end()?;
        }
        State::default().save(&self.places)?;
        // Sockets of a PC that was killed.
        for entry in fs::read_dir(&self.places.state)? {
            let path = entry?.path();
            if !["lock", "alone", "state.json"]
                .iter()
                .any(|kept| path.ends_with(kept))
                && !path.is_dir()
            {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Plugs the disk with the programs in and mounts it in the guest.
    fn plug_programs(&self, state: &mut State) -> Result<()> {
        let image = self.places.work.join("programs.img");
        programs::make_disk(&self.places, &image)?;
        let mut monitor = self.machine.monitor()?;
        monitor.add_node(json!({
            "driver": "raw", "node-name": PROGRAMS, "read-only": true,
            "file": { "driver": "file", "filename": image, "read-only": true },
        }))?;
        monitor.add_device(
            "scsi-hd",
            "scsi.0",
            PROGRAMS,
            json!({ "drive": PROGRAMS, "serial": PROGRAMS, "device_id": PROGRAMS }),
        )?;
        drop(monitor);
        state.programs = true;
        state.save(&self.places)?;
        let mount = ["/usr/lib/steady-lab/mount-programs"];
        self.machine.agent()?.run(&mount)?.success().map(drop)
    }

    fn new_image(&self, name: &str) -> Result<PathBuf> {
        let folder = self.places.work.join("sticks");
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
        monitor.add_device(
            "usb-storage",
            options.bus.port(),
            &stick.name,
            json!({
                "drive": stick.name, "serial": stick.serial, "removable": true,
                "logical_block_size": sector, "physical_block_size": sector,
            }),
        )?;
        drop(monitor);
        let mut command = vec!["/usr/lib/steady-lab/await-stick", &stick.serial];
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
    fn pull(&self, stick: &Stick) -> Result<()> {
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
