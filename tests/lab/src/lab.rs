use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::{
    Output, Places,
    images::Ready,
    machine::{self, Machine},
    programs,
    state::{Lock, State},
};

mod desktop;
mod sticks;

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
        // Nobody looks any more at what earlier tests have written, and it can be gigabytes.
        match fs::remove_dir_all(lab.stick_images()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
            _ => Ok(lab),
        }
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

    /// Cuts the power of the PC and of every stick, as when a plug is pulled, takes the sticks out
    /// and starts the PC again.
    pub fn power_cut(&self) -> Result<()> {
        let _lock = self.lock()?;
        let mut state = State::load(&self.places);
        for stick in &state.sticks {
            stick.power_off()?;
        }
        self.machine.monitor()?.human("system_reset")?;
        while let Some(stick) = state.sticks.pop() {
            self.pull(&stick)?;
            state.save(&self.places)?;
        }
        self.machine.await_guest()?;
        self.machine.after_load()?;
        let mount = ["/usr/lib/steady-lab/mount-programs"];
        self.machine.agent()?.run(&mount)?.success()?;
        self.await_desktop()
    }

    /// Waits until the person is logged in and the desktop is calm.
    pub fn await_desktop(&self) -> Result<()> {
        let wait = ["/usr/lib/steady-lab/await-desktop"];
        self.machine.agent()?.run(&wait)?.success().map(drop)
    }

    /// Sets the guest's clock to this machine's.
    pub fn set_clock(&self) -> Result<()> {
        self.machine.after_load()
    }

    /// Whether the PC is up.
    pub fn is_up(&self) -> bool {
        State::load(&self.places).is_up()
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

    // Inside

    /// The PC's disk.
    fn overlay(&self) -> PathBuf {
        self.places.work.join("overlay.qcow2")
    }

    fn lock(&self) -> Result<Lock> {
        Lock::take(&self.places.state.join("lock"))
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
}
