//! What the lab's tests share: files to copy, and jobs of `steady-cli` that are followed live.
#![allow(
    dead_code,
    unused_imports,
    unreachable_pub,
    reason = "each test uses its own part"
)]

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use steady_lab::{Clicks, Events, Lab, Medium, PlugOptions, Stick};
pub use steady_lab::{contents, copy_of, put_bytes, put_disk, put_folder, read_beginning as read};

/// Long enough for any wait: what usually takes seconds may take minutes on a busy machine.
pub const PATIENCE: Duration = Duration::from_mins(10);

/// Puts a new file into the guest's `/home/tester` and gives its contents.
pub fn put_source(lab: &Lab, name: &str, size: usize) -> Result<Vec<u8>> {
    let bytes = contents(name, size);
    put_bytes(lab, name, &bytes)?;
    Ok(bytes)
}

/// The image of a stick that holds one empty FAT32 named TEST, to be copied.
pub fn formatted_image(lab: &Lab, size: u64) -> Result<PathBuf> {
    lab.formatted_image(size, "TEST")
}

/// Such a disk as `/home/tester/disk.img.xz`. Gives the disk's bytes.
pub fn put_packed_disk(lab: &Lab, size: u64) -> Result<Vec<u8>> {
    let disk = put_disk(lab, "disk.img", size)?;
    let pack = "import lzma;open('/home/tester/disk.img.xz','wb').write(lzma.compress(open('/home/tester/disk.img','rb').read(),preset=0))";
    lab.run(&["python3", "-c", pack])?.success()?;
    lab.run(&["rm", "/home/tester/disk.img"])?.success()?;
    Ok(disk)
}

/// A stick with one empty FAT32, mounted, and the node of that.
pub fn mounted_stick(lab: &Lab) -> Result<(Stick, String)> {
    let blank = formatted_image(lab, 600 << 20)?;
    let stick = lab.plug(&PlugOptions {
        image: Some(copy_of(&blank, "image")?),
        ..PlugOptions::default()
    })?;
    let part = format!("{}1", stick.device);
    let mount = format!("findmnt {part} || udisksctl mount -b {part}; sync");
    lab.run(&["sh", "-c", &mount])?.success()?;
    Ok((stick, part))
}

/// Chooses a song of 1.5 MB in the system's file chooser, by a path written into it.
pub fn choose_song_in_chooser(lab: &Lab, clicks: &Clicks) -> Result<()> {
    put_source(lab, "song.ogg", 1_500_000)?;
    clicks.open()?;
    lab.key("ctrl+o")?;
    lab.wait("file chooser", "Choose Files")?;
    lab.key("ctrl+l")?;
    lab.type_text("text", "", "/home/tester/song.ogg")?;
    lab.click("button", "Choose")?;
    lab.wait("list item", "song.ogg")?;
    lab.wait("label", "1.5 MB").map(drop)
}

/// A stick that root has prepared with `script`, in which `$D` is its device.
pub fn prepared(lab: &Lab, options: &PlugOptions, script: &str) -> Result<Stick> {
    let stick = lab.plug(options)?;
    let script = format!("set -e; D={}; {script}; udevadm settle", stick.device);
    lab.run_root(&["sh", "-c", &script])?
        .success()
        .with_context(|| script.clone())?;
    Ok(stick)
}

/// Types the password into the desktop's own prompt.
pub fn give_password(lab: &Lab) -> Result<()> {
    lab.give_password()
}

/// A job of `steady-cli`, followed line by line while it runs.
pub struct Story {
    events: Events,
    /// The last event, once it has come.
    pub end: Option<Value>,
}

impl Story {
    /// Starts `steady-cli` with these arguments and `--json` in the session.
    pub fn start(lab: &Lab, arguments: &str) -> Result<Self> {
        let command = format!("exec steady-cli {arguments} --json >/run/steady-lab/events");
        Self::start_shell(lab, &command)
    }

    /// Starts a shell's command that sends the lines of `steady-cli` to the lab's events.
    pub fn start_shell(lab: &Lab, command: &str) -> Result<Self> {
        let events = lab.events()?;
        lab.start(&["sh", "-c", command])?;
        Ok(Self { events, end: None })
    }

    /// The next event, with the moment of its arrival; `None` after the last one.
    pub fn next_stamped(&mut self) -> Result<Option<(Instant, Value)>> {
        if self.end.is_some() {
            return Ok(None);
        }
        let (at, line) = self.events.next_within(PATIENCE).context("silence")?;
        let event: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
        if matches!(
            event["event"].as_str(),
            Some("done" | "failed" | "cancelled")
        ) {
            self.end = Some(event.clone());
        }
        Ok(Some((at, event)))
    }

    /// The next event; `None` after the last one.
    pub fn next(&mut self) -> Result<Option<Value>> {
        Ok(self.next_stamped()?.map(|(_, event)| event))
    }

    /// Waits for the last event.
    pub fn finish(mut self) -> Result<Value> {
        while self.next()?.is_some() {}
        self.end.context("the job ended without a last event")
    }
}

/// Runs `steady-cli` to its end: the exit code, the JSON lines, what was said for people.
pub fn steady_cli(lab: &Lab, arguments: &[&str]) -> Result<(i32, Vec<Value>, String)> {
    let command: Vec<_> = ["steady-cli"].iter().chain(arguments).copied().collect();
    let output = lab.run(&command)?;
    let lines = output
        .text()
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    Ok((output.code, lines, said))
}

/// Waits until no program of that name runs any more.
pub fn gone(lab: &Lab, program: &str) -> Result<()> {
    let begun = Instant::now();
    while lab.run(&["pgrep", "-x", program])?.code == 0 {
        ensure!(begun.elapsed() < PATIENCE, "{program} goes on");
    }
    Ok(())
}

/// What the guest holds in memory for its drives when nothing happens.
pub fn idle_dirty(lab: &Lab) -> Result<u64> {
    lab.run_root(&["sync"])?.success()?;
    lab.dirty_bytes()
}

/// Pulls the stick, if it is still in, and reads what is at its beginning.
pub fn beginning(lab: &Lab, stick: &Stick, length: usize) -> Result<Vec<u8>> {
    lab.unplug(stick)?;
    read(stick.image_path(), length)
}

/// Waits until the window says that the image of that name is on the stick, pulls it, and compares.
pub fn image_arrives(lab: &Lab, stick: &Stick, name: &str, image: &[u8]) -> Result<()> {
    lab.wait("label", "Safe to unplug")?;
    lab.read("label", &format!("/^“{name}” is on /"))?;
    ensure!(
        beginning(lab, stick, image.len())? == image,
        "another image"
    );
    Ok(())
}

/// What the stick holds once its power is gone.
pub fn pulled(lab: &Lab, stick: &Stick) -> Result<Medium> {
    lab.unplug(stick)?;
    Medium::of(stick.image_path())
}
