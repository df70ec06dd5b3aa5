use std::{
    io::{self, BufRead, IsTerminal, Write},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use super::{Place, place::Watched};
use crate::Output;

/// A real stick in this computer. Needs root.
#[derive(Debug)]
pub struct Real {
    device: String,
    name: String,
}

impl Real {
    /// The stick with that id, device or serial number, once a person has agreed that it is erased.
    pub fn ask(id: &str) -> Result<Self> {
        ensure!(
            rustix::process::getuid().is_root(),
            "writing to a stick directly takes an administrator: run it with sudo"
        );
        let listed = run(&["steady-cli", "list", "--json"])?.success()?.text();
        let listed: Value = serde_json::from_str(&listed)?;
        let sticks = listed["sticks"].as_array().context("no list of sticks")?;
        let is_meant = |stick: &&Value| {
            ["id", "device", "serial"]
                .iter()
                .any(|field| stick[field] == id)
        };
        let stick = sticks.iter().find(is_meant);
        let stick =
            stick.with_context(|| format!("no stick {id} is plugged in: see steady-cli list"))?;
        ensure!(
            stick["offered"] == true,
            "it is in use: {}",
            stick["reason"]
        );
        let text = |field: &str| stick[field].as_str().unwrap_or_default().to_owned();
        let name = format!("{} {}", text("vendor"), text("model"))
            .trim()
            .to_owned();
        let device = text("device");
        let size = stick["size"].as_u64().unwrap_or(0) / 1_000_000;
        ensure!(
            io::stdin().is_terminal(),
            "erasing it has to be agreed to on a terminal"
        );
        eprint!(
            "{name}, {size} MB, {device}: everything on it is erased, several times. Type ERASE to go on: "
        );
        io::stderr().flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        if answer.trim() != "ERASE" {
            bail!("nothing was touched");
        }
        Ok(Self {
            device,
            name: name.replace(['\t', ' '], "-"),
        })
    }
}

impl Place for Real {
    fn name(&self) -> &str {
        &self.name
    }

    fn has_limit(&self) -> bool {
        true
    }

    fn minds_pauses(&self) -> bool {
        false
    }

    fn replugs(&self) -> bool {
        false
    }

    fn events(&self) -> Option<&str> {
        None
    }

    fn root(&self, command: &[&str]) -> Result<Output> {
        run(command)
    }

    fn fresh(&mut self, formatted: bool) -> Result<String> {
        if formatted {
            let format = [
                "steady-cli",
                "format",
                &self.device,
                "--label",
                "BENCH",
                "--yes",
            ];
            run(&format)?.success()?;
        } else {
            let unmount = format!("umount {}?* 2>/dev/null; exit 0", self.device);
            run(&["sh", "-c", &unmount])?.success()?;
        }
        // Many tidy up for a while once nothing comes.
        std::thread::sleep(std::time::Duration::from_secs(20));
        Ok(self.device.clone())
    }

    fn watched(&mut self, command: &[&str]) -> Result<Watched> {
        Ok(Watched {
            output: run(command)?,
            lines: Vec::new(),
            truth: None,
            pauses: None,
        })
    }
}

fn run(command: &[&str]) -> Result<Output> {
    let output = Command::new(command[0])
        .args(&command[1..])
        .output()
        .with_context(|| command[0].to_owned())?;
    Ok(Output {
        code: output.status.code().unwrap_or(-1),
        stdout: output.stdout,
        stderr: output.stderr,
    })
}
