use std::{
    fs, io,
    path::{Path, PathBuf},
    process::Command,
    str::FromStr,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use steady_stick_model::{Ailment, Control, Counters, Profile, Stats};

use crate::process::Process;

/// The kind of USB port that a stick is plugged into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Bus {
    /// 12 Mbit/s.
    Usb1,
    /// 480 Mbit/s.
    Usb2,
    /// 5 Gbit/s.
    #[default]
    Usb3,
}

impl Bus {
    /// QEMU's name of a port of this kind.
    pub(crate) fn port(self) -> &'static str {
        match self {
            Self::Usb1 => "usb1.0",
            Self::Usb2 => "usb2.0",
            Self::Usb3 => "usb3.0",
        }
    }
}

impl FromStr for Bus {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "usb1" => Ok(Self::Usb1),
            "usb2" => Ok(Self::Usb2),
            "usb3" => Ok(Self::Usb3),
            _ => Err("one of usb1, usb2, usb3".to_owned()),
        }
    }
}

/// What to plug in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlugOptions {
    /// A profile of the stick model, as in `even` or `dies:at=30e6`.
    pub profile: String,
    /// Bytes; only for a new stick, or to make the file `image`. The profile of a fake stick says
    /// itself what it claims and what it has.
    pub size: u64,
    /// The stick's contents, written to. Without it the stick is a new one, all zeroes.
    pub image: Option<PathBuf>,
    /// The serial number that the stick tells. By default made from its name.
    pub serial: Option<String>,
    /// Whether its write-protect switch is on.
    pub read_only: bool,
    /// Where it is plugged in.
    pub bus: Bus,
    /// With more than one, it is a card reader whose first slot holds the card; the others are empty.
    pub slots: u32,
    /// What the lab calls it. By default `stick1`, `stick2`, …
    pub name: Option<String>,
}

impl PlugOptions {
    /// The most slots of a reader.
    pub const MOST_SLOTS: u32 = 8;
}

impl Default for PlugOptions {
    fn default() -> Self {
        Self {
            profile: "even".to_owned(),
            size: 2 << 30,
            image: None,
            serial: None,
            read_only: false,
            bus: Bus::default(),
            slots: 1,
            name: None,
        }
    }
}

/// A stick that is, or was, plugged in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Stick {
    /// What the lab calls it.
    pub name: String,
    /// The guest's device, as in `/dev/sdb`.
    pub device: String,
    pub(crate) serial: String,
    pub(crate) image: PathBuf,
    pub(crate) socket: PathBuf,
    pub(crate) control: PathBuf,
    pub(crate) process: Process,
}

impl Stick {
    /// Starting nbdkit takes well under a second.
    const START_LIMIT: Duration = Duration::from_secs(30);

    /// Starts the model, not yet plugged in.
    pub(crate) fn start(
        options: &PlugOptions,
        name: &str,
        model: &Path,
        state: &Path,
        image: &Path,
    ) -> Result<Self> {
        let [socket, control, log] =
            ["nbd", "control", "log"].map(|kind| state.join(format!("{name}.{kind}")));
        remove_files(&[&socket, &control])?;
        let profile = Profile::parse(&options.profile)?;
        let mut command = Command::new("nbdkit");
        command
            .args(["--foreground", "--unix"])
            .arg(&socket)
            .arg(model);
        command.arg(format!("file={}", image.display()));
        command.arg(format!("profile={}", options.profile));
        command.arg(format!("control={}", control.display()));
        if !image.exists() && !profile.is_fake() {
            command.arg(format!("size={}", options.size));
        }
        let sector = profile.parameters().sector;
        if sector > 512 {
            // For what QEMU itself reads; the guest is told by the device.
            let smallest = format!("blocksize-minimum={sector}");
            command.args(["--filter=blocksize-policy", &smallest]);
        }
        if options.read_only {
            command.arg("readonly=1");
        }
        let process = Process::start(&mut command, &log)?;
        let begun = Instant::now();
        while !(socket.exists() && control.exists()) {
            if !process.is_running() || begun.elapsed() > Self::START_LIMIT {
                process.end()?;
                let said = fs::read_to_string(&log).unwrap_or_default();
                bail!("the stick's model did not start: {}", said.trim());
            }
            thread::sleep(Duration::from_millis(10));
        }
        let serial = options.serial.clone();
        Ok(Self {
            serial: serial.unwrap_or_else(|| format!("LAB{}", name.to_uppercase())),
            name: name.to_owned(),
            device: String::new(),
            image: image.to_owned(),
            socket,
            control,
            process,
        })
    }

    /// Everything the stick has counted since it was plugged in.
    pub fn stats(&self) -> Result<Stats> {
        Ok(self.control()?.stats()?)
    }

    /// The scalar figures only: cheap enough for many times a second.
    pub fn counters(&self) -> Result<Counters> {
        Ok(self.control()?.counters()?)
    }

    /// Lets something befall the stick.
    pub fn befall(&self, ailment: Ailment) -> Result<()> {
        Ok(self.control()?.befall(ailment)?)
    }

    /// The file on this machine that holds what is on the stick. Settled only once it is unplugged.
    pub fn image_path(&self) -> &Path {
        &self.image
    }

    /// Takes the power away: what was not flushed is gone, and nothing changes any more.
    pub(crate) fn power_off(&self) -> Result<()> {
        if self.process.is_running() {
            self.control()?.power_off()?;
        }
        Ok(())
    }

    /// Ends the model.
    pub(crate) fn end(&self) -> Result<()> {
        self.process.end()?;
        remove_files(&[&self.socket, &self.control])
    }

    fn control(&self) -> Result<Control> {
        ensure!(self.process.is_running(), "{} is not plugged in", self.name);
        Control::connect(&self.control).context("the stick's model does not answer")
    }
}

fn remove_files(paths: &[&Path]) -> Result<()> {
    for path in paths {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error.into()),
            _ => {}
        }
    }
    Ok(())
}
