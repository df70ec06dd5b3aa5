use std::{
    path::Path,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::{Lab, Stick, Truth};

/// Lines of the program's log go the same way as what the driver sees.
const LOGGING: &str = "RUST_LOG=steady=debug NO_COLOR=1 exec";
/// What the writing page is known by, and what the last page says.
const WRITING: &str = "/ on the stick$/";
const ENDS: &str = "/^(Safe to unplug|Copied|Copying failed|Written|Writing failed|Stopped)$/";
/// While a job runs the program's log says something five times a second.
const SILENCE: Duration = Duration::from_secs(2);
/// Longer than any job takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(20);

/// A copy that is clicked through in the window, as a person does it.
#[derive(Debug)]
pub struct Clicks<'a> {
    lab: &'a Lab,
    /// What starts the program, before and after the files that it opens.
    program: (String, &'static str),
    /// Where a picture of each page goes, if anybody wants them.
    shots: Option<&'a Path>,
}

/// What the window told while it wrote.
#[derive(Debug)]
pub struct Told {
    /// What was shown against what the stick had.
    pub truth: Truth,
    /// The program's own count of confirmed bytes when each of those was shown.
    pub confirmed: Vec<u64>,
    /// The heading of the last page.
    pub end: String,
    /// The most bytes that the guest held in memory for any drive.
    pub dirty: u64,
    /// Bytes the stick had taken when writing began.
    pub formatted: u64,
}

impl<'a> Clicks<'a> {
    /// Clicks in this lab; with a folder, leaves a picture of each page there.
    pub fn new(lab: &'a Lab, shots: Option<&'a Path>) -> Self {
        let program = ("steady".to_owned(), "");
        Self {
            lab,
            program,
            shots,
        }
    }

    /// Clicks in the Flatpak of that name, which is handed files as “Open With” hands them to it.
    pub fn in_flatpak(lab: &'a Lab, app: &str) -> Self {
        let run = format!("flatpak run --file-forwarding {app} @@");
        Self {
            program: (run, "@@"),
            ..Self::new(lab, None)
        }
    }

    /// Clicks in the program as it runs under Wayland, on the compositor of that socket.
    pub fn in_wayland(lab: &'a Lab, socket: &str) -> Self {
        let program = format!("env -u DISPLAY WAYLAND_DISPLAY={socket} steady");
        Self {
            program: (program, ""),
            ..Self::new(lab, None)
        }
    }

    /// Starts the program and waits for its window.
    pub fn open(&self) -> Result<()> {
        self.start("")?;
        self.lab.wait("button", "Choose Files…").map(drop)
    }

    /// Starts the program with files chosen, as “Open With” does, and goes on to the sticks.
    pub fn choose(&self, files: &[&str]) -> Result<()> {
        self.start(&files.join(" "))?;
        self.go_on()
    }

    /// Starts the program with a disk image, as “Open With” does, has it written as one, and goes
    /// on to the sticks.
    pub fn choose_image(&self, file: &str) -> Result<()> {
        self.start(file)?;
        self.lab.wait("radio button", "Write as bootable image")?;
        self.shot("1-choose")?;
        self.lab.click("button", "Continue")?;
        self.lab.wait("heading", "Which stick?").map(drop)
    }

    /// From the chosen sticks over the question what may be erased to the password, which is
    /// asked for now.
    pub fn erase_and_write(&self) -> Result<()> {
        self.shot("2-stick")?;
        self.lab.click("button", "Continue")?;
        self.lab.wait("heading", "/^Erase .*[?]$/")?;
        self.shot("3-erase")?;
        self.lab.click("button", "Erase and Write")?;
        self.lab.wait("password text", "/^/").map(drop)
    }

    /// From the files to the sticks.
    pub fn go_on(&self) -> Result<()> {
        self.lab.wait("heading", "What should go on the stick?")?;
        self.shot("1-choose")?;
        self.lab.click("button", "Continue")?;
        self.lab.wait("heading", "Which stick?").map(drop)
    }

    /// Has the stick formatted first, with a name, and confirms that everything on it is lost.
    pub fn format_and_start(&self, name: &str) -> Result<()> {
        // The only stick there is chosen already.
        self.lab.wait("radio button", "/./")?;
        self.lab.click("check box", "Format first")?;
        self.lab.type_text("text", "Name of the stick", name)?;
        self.shot("2-stick")?;
        self.lab.click("button", "Continue")?;
        self.lab.wait("button", "Erase and Copy")?;
        self.shot("3-erase")?;
        self.lab.click("button", "Erase and Copy")
    }

    /// Follows the writing page to the last page, holding what it shows against the stick.
    pub fn follow(&self, stick: &Stick) -> Result<Told> {
        let events = self.lab.events()?;
        self.lab.watch("label", WRITING)?;
        let mut told = Told {
            truth: Truth::watch(stick)?,
            confirmed: Vec::new(),
            end: String::new(),
            dirty: 0,
            formatted: 0,
        };
        let (mut confirmed, mut writing) = (0, false);
        let begun = Instant::now();
        loop {
            let Some((at, line)) = events.next_within(SILENCE) else {
                // A page that comes with its text says nothing of it: it has to be looked at.
                if let Ok(end) = self.lab.read("label", ENDS) {
                    told.end = end.name;
                    break;
                }
                if begun.elapsed() > PATIENCE {
                    bail!("the window went silent:\n{}", self.lab.tree()?);
                }
                continue;
            };
            let Ok(seen) = serde_json::from_str::<Value>(&line) else {
                if let Some(number) = logged(&line, "confirmed") {
                    confirmed = number;
                }
                if !writing && line.contains("phase=Writing") {
                    writing = true;
                    told.formatted = stick.counters()?.bytes_written;
                }
                continue;
            };
            let text = seen["name"].as_str().unwrap_or_default();
            // Before that the stick takes what formatting writes.
            let Some(shown) = shown_bytes(text).filter(|_| writing) else {
                continue;
            };
            told.truth.shown(at, shown);
            told.confirmed.push(confirmed);
            if told.confirmed.len() % 8 == 4 {
                told.dirty = told.dirty.max(self.lab.dirty_bytes()?);
                self.shot("4-writing")?;
            }
        }
        self.lab.unwatch()?;
        self.shot("5-end")?;
        Ok(told)
    }

    fn start(&self, files: &str) -> Result<()> {
        let (program, after) = &self.program;
        let command = format!("{LOGGING} {program} {files} {after} 2>/run/steady-lab/events");
        self.lab.start(&["sh", "-c", &command])
    }

    fn shot(&self, page: &str) -> Result<()> {
        match self.shots {
            None => Ok(()),
            Some(folder) => self.lab.shot(&folder.join(format!("{page}.png")), true),
        }
    }
}

impl Told {
    /// The table of what was shown, confirmed and on the stick, a row each time.
    pub fn table(&self, size: u64) -> Result<String> {
        let table = self.truth.table(size)?;
        let mut rows = table.lines();
        let mut whole = format!("{}\tconfirmed\n", rows.next().context("a header")?);
        for (row, confirmed) in rows.zip(&self.confirmed) {
            whole += &format!("{row}\t{confirmed}\n");
        }
        Ok(whole)
    }

    /// Fails unless the last page says that all is well.
    pub fn ended_well(&self) -> Result<()> {
        ensure!(
            self.end == "Safe to unplug",
            "the last page says {:?}",
            self.end
        );
        Ok(())
    }
}

/// “213 of 429 MB on the stick” as bytes. Both numbers are cut, so these bytes are claimed.
fn shown_bytes(text: &str) -> Option<u64> {
    let (done, rest) = text.strip_suffix(" on the stick")?.split_once(" of ")?;
    let (_, unit) = rest.rsplit_once(' ')?;
    let scale = match unit {
        "B" => 1,
        "kB" => 1_000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        _ => return None,
    };
    let (whole, tenths) = done.split_once('.').unwrap_or((done, "0"));
    Some(whole.parse::<u64>().ok()? * scale + tenths.parse::<u64>().ok()? * (scale / 10))
}

/// A number of a log line, as in `confirmed=1234`.
fn logged(line: &str, name: &str) -> Option<u64> {
    let (_, rest) = line.split_once(&format!("{name}="))?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(rest.len());
    rest[..digits].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_as_the_bytes_they_claim() {
        for (text, bytes) in [
            ("213 of 429 MB on the stick", Some(213_000_000)),
            ("0.9 of 60.0 MB on the stick", Some(900_000)),
            ("17 of 999 B on the stick", Some(17)),
            ("3.1 of 4.2 GB on the stick", Some(3_100_000_000)),
            ("3 of 12 files on the stick", None),
            ("Safe to unplug", None),
        ] {
            assert_eq!(shown_bytes(text), bytes, "{text}");
        }
    }

    #[test]
    fn log_lines_tell_their_numbers() {
        let line =
            "DEBUG steady::tasks::job: progress phase=Writing accepted=20 confirmed=12 durable=0";
        assert_eq!(logged(line, "confirmed"), Some(12));
        assert_eq!(logged(line, "durable"), Some(0));
        assert_eq!(logged(line, "checked"), None);
    }
}
