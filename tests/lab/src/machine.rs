//! The virtual PC itself.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant, SystemTime},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::{
    agent::Agent, driver::Driver, images::Disk, monitor::Monitor, places::Places, process::Process,
};

const QEMU: &str = "qemu-system-x86_64";
/// The name under which the ready desktop is saved in its own disk.
const SNAPSHOT: &str = "ready";
/// Five times what booting takes on a machine with other things to do.
const BOOT_LIMIT: Duration = Duration::from_mins(5);

/// What QEMU says its version is.
pub(crate) fn version() -> Result<Vec<u8>> {
    Ok(Command::new(QEMU)
        .arg("--version")
        .output()
        .context(QEMU)?
        .stdout)
}

/// The hardware. Sockets are made in `state`.
pub(crate) fn arguments(disk: &Disk, overlay: &Path, state: &Path) -> Vec<String> {
    let socket = |name: &str| {
        let path = state.join(name);
        format!(
            "socket,id={name},path={},server=on,wait=off",
            path.display()
        )
    };
    let plain = "-nodefaults -no-user-config -display none -vga none -machine q35 \
        -accel tcg,thread=multi -cpu max -smp 2 -m 4096 -rtc base=utc";
    let mut arguments: Vec<String> = plain.split_whitespace().map(str::to_owned).collect();
    let mut add = |option: &str, value: String| arguments.extend([format!("-{option}"), value]);
    add("kernel", disk.kernel().display().to_string());
    add("initrd", disk.initrd().display().to_string());
    // Timers would all fire when the clock jumps after restoring.
    add(
        "append",
        "root=/dev/vda rw quiet console=ttyS0 mitigations=off systemd.mask=timers.target \
         systemd.mask=serial-getty@ttyS0.service"
            .into(),
    );
    add(
        "serial",
        format!("file:{}", state.join("console").display()),
    );
    let file = json!({
        "driver": "qcow2", "node-name": "root", "file": {"driver": "file", "filename": overlay},
    });
    add("blockdev", file.to_string());
    add("device", "virtio-blk-pci,drive=root".into());
    // The programs' disk is plugged in here.
    add("device", "virtio-scsi-pci,id=scsi".into());
    // With a port left over: QEMU makes the last free one a hub of its own accord, and what is
    // plugged in behind that is never seen once the saved desktop, which has no hub, is loaded.
    for (driver, bus) in [
        ("piix3-usb-uhci", "usb1"),
        ("usb-ehci", "usb2"),
        ("qemu-xhci,p2=15,p3=15", "usb3"),
    ] {
        add("device", format!("{driver},id={bus}"));
    }
    add("device", "virtio-serial-pci".into());
    for (name, port) in [
        ("agent", "org.qemu.guest_agent.0"),
        ("driver", "steady.driver"),
        ("events", "steady.events"),
    ] {
        add("chardev", socket(name));
        add(
            "device",
            format!("virtserialport,chardev={name},name={port}"),
        );
    }
    add("chardev", socket("monitor"));
    add("mon", "chardev=monitor,mode=control".into());
    arguments
}

/// Starts QEMU, to boot, or to go on from the saved desktop.
pub(crate) fn start(places: &Places, disk: &Disk, overlay: &Path, saved: bool) -> Result<Process> {
    let mut command = Command::new(QEMU);
    command.args(arguments(disk, overlay, &places.state));
    if saved {
        command.args(["-loadvm", SNAPSHOT]);
    }
    let log = places.state.join("qemu.log");
    let process = Process::start(&mut command, &log)?;
    let begun = Instant::now();
    while Monitor::connect(&places.state).is_err() {
        if !process.is_running() || begun.elapsed() > BOOT_LIMIT {
            process.end()?;
            let said = fs::read_to_string(&log).unwrap_or_default();
            bail!("QEMU did not start: {}", said.trim());
        }
        thread::sleep(Duration::from_millis(20));
    }
    Ok(process)
}

/// The sockets of a running PC.
#[derive(Debug)]
pub(crate) struct Machine {
    state: PathBuf,
}

impl Machine {
    pub(crate) fn of(places: &Places) -> Self {
        Self {
            state: places.state.clone(),
        }
    }

    pub(crate) fn monitor(&self) -> Result<Monitor> {
        Monitor::connect(&self.state)
    }

    pub(crate) fn agent(&self) -> Result<Agent> {
        Agent::connect(&self.state)
    }

    pub(crate) fn driver(&self) -> Result<Driver> {
        Driver::connect(&self.state)
    }

    /// Waits until the guest answers.
    pub(crate) fn await_guest(&self) -> Result<()> {
        let begun = Instant::now();
        loop {
            let Err(error) = self.agent() else {
                return Ok(());
            };
            ensure!(
                begun.elapsed() < BOOT_LIMIT,
                "the guest does not answer: {error:#}"
            );
            thread::sleep(Duration::from_millis(100));
        }
    }

    /// Saves the desktop as it is now.
    pub(crate) fn save(&self) -> Result<()> {
        self.monitor()?.human(&format!("savevm {SNAPSHOT}"))
    }

    /// Goes back to the saved desktop. Nothing may be plugged in.
    pub(crate) fn load(&self) -> Result<()> {
        self.monitor()?.human(&format!("loadvm {SNAPSHOT}"))?;
        self.after_load()
    }

    /// The guest's clock still shows the time of saving.
    pub(crate) fn after_load(&self) -> Result<()> {
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .context("the clock of this machine is before 1970")?;
        self.agent()?.set_time(now)
    }
}
