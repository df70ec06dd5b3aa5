//! Faults in the lab: see `build-aux/check faults`.

use std::{
    fs::{self, File},
    io::Write,
    process::ExitCode,
};

use anyhow::Result;
use clap::{Parser, ValueEnum};
use steady_lab::{
    Lab, Places,
    campaign::{Case, Fault, Job, Table},
};

/// Lets faults befall jobs, at moments drawn from a seed, and tells what must not be.
#[derive(Parser)]
#[command(name = "campaign")]
struct Cli {
    /// The first case's seed; each further one has the next
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many cases
    #[arg(long, default_value_t = 1)]
    runs: usize,
    /// Only these jobs
    #[arg(long, value_enum)]
    job: Vec<Job>,
    /// Only these faults
    #[arg(long, value_enum)]
    fault: Vec<Fault>,
    /// Also those that take minutes
    #[arg(long)]
    long: bool,
}

fn main() -> Result<ExitCode> {
    let cli = Cli::parse();
    let jobs = if cli.job.is_empty() {
        Job::ALL.to_vec()
    } else {
        cli.job
    };
    let named = !cli.fault.is_empty();
    let faults = if named {
        cli.fault
    } else {
        Fault::value_variants().to_vec()
    };
    let cases = Case::several(&jobs, &faults, cli.long || named, cli.seed, cli.runs);
    let places = Places::of_this_checkout()?;
    let folder = places.project.join("target/check");
    fs::create_dir_all(&folder)?;
    let mut log = File::create(folder.join(format!("faults-{}.log", cli.seed)))?;
    let kept = folder.join(format!("faults-{}.tsv", cli.seed));
    let mut say = |line: &str| -> Result<()> {
        println!("{line}");
        Ok(writeln!(log, "{line}")?)
    };
    let lab = Lab::ready_at(places)?;
    let (mut table, mut bad, mut broken) = (Table::default(), 0, 0);
    for case in cases {
        let verdict = match case.run(&lab) {
            Ok(verdict) => verdict,
            Err(error) => {
                broken += 1;
                say(&format!("BROKEN   {case}: {error:#}"))?;
                continue;
            }
        };
        table.count(case, &verdict);
        // Kept also where a campaign is broken off.
        fs::write(&kept, format!("{table}\n"))?;
        let word = if verdict.wrong.is_empty() {
            "held  "
        } else {
            bad += 1;
            "WRONG "
        };
        let seconds = verdict.took.as_secs();
        say(&format!("{word}   {case} ({seconds} s): {}", verdict.story))?;
        for wrong in &verdict.wrong {
            say(&format!("         | {wrong}"))?;
        }
    }
    say(&table.to_string())?;
    say(&format!(
        "{} cases, {bad} wrong, {broken} broken by the lab",
        cli.runs
    ))?;
    Ok(if bad + broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
