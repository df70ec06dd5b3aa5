//! `steady-cli`: the same tasks on a terminal, and as JSON lines for programs.
//!
//! It speaks English only: gettext belongs to the window.

mod args;
mod check_stick;
mod confirm;
mod copy;
mod exit;
mod format;
mod list;
mod output;
mod password;
mod write;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};

use args::{Args, Command};

/// What the command line takes, for manual pages and completions.
pub fn command() -> clap::Command {
    Args::command()
}

/// Reads the command line, does it, and says how it ended by the exit code.
pub fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    // Wrong use prints why and exits 2.
    let exit = match Args::parse().command {
        Command::List(args) => list::run(&args),
        Command::Copy(args) => copy::run(args),
        Command::Write(args) => write::run(args),
        Command::Format(args) => format::run(&args),
        Command::CheckStick(args) => check_stick::run(&args),
    };
    exit.into()
}
