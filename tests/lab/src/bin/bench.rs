//! How long sticks need, by Steady and by others: see `build-aux/bench`.

use std::process::ExitCode;

use anyhow::Result;
use clap::Parser;
use steady_lab::{
    Lab,
    bench::{Bench, InLab, Job, Place, Real, Row, Tool},
};

/// Writes the same with several tools to fresh sticks and prints a table, medians of several runs.
/// `seconds` end when the stick is unmounted and flushed: when it may be pulled out.
#[derive(Parser)]
#[command(name = "bench")]
struct Cli {
    /// Kinds of sticks, as `build-aux/lab plug --profile` takes them
    #[arg(default_values = ["even", "backlog", "ftl", "cliff", "commands"])]
    profiles: Vec<String>,
    /// large, small, mixed, image or image-xz; may be given several times [default: large]
    #[arg(long)]
    job: Vec<Job>,
    /// Only these tools; may be given several times
    #[arg(long)]
    tool: Vec<Tool>,
    /// Runs of each tool
    #[arg(long, default_value_t = 3)]
    runs: usize,
    /// As many bytes as in the stories that Steady comes from: 429,265,824 in a row
    #[arg(long)]
    full: bool,
    /// A real stick instead, by its id, device or serial number; erases it after asking
    #[arg(long, value_name = "ID", conflicts_with = "profiles")]
    stick: Option<String>,
}

impl Cli {
    /// Bytes of a stick in the lab.
    const SIZE: u64 = 2 << 30;

    fn run(&self) -> Result<()> {
        println!("{}", Row::HEADER);
        if let Some(id) = &self.stick {
            return self.tell(&mut Real::ask(id)?);
        }
        let lab = Lab::ready()?;
        for profile in &self.profiles {
            let mut profile = profile.clone();
            if profile == "cliff" && !self.full {
                // A quarter of the cells, as a quarter is written.
                profile += ":fast=32M";
            }
            self.tell(&mut InLab::new(&lab, &profile, Self::SIZE)?)?;
        }
        Ok(())
    }

    fn tell(&self, place: &mut dyn Place) -> Result<()> {
        let large = [Job::Large];
        let tools = if self.tool.is_empty() {
            &Tool::ALL[..]
        } else {
            &self.tool
        };
        let jobs = if self.job.is_empty() {
            &large[..]
        } else {
            &self.job
        };
        for job in jobs {
            let bench = Bench {
                job: *job,
                large: if self.full { Bench::FULL } else { Bench::QUICK },
                runs: self.runs.max(1),
            };
            bench.run(place, tools, |row| println!("{row}"))?;
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
