use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::drives::{FileSystem, FormatSpec};
use crate::tasks::Choice;

/// Puts files on USB sticks, shows only what the stick has really taken, and says when it is safe
/// to unplug
#[derive(Debug, Parser)]
#[command(name = "steady-cli", version)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the sticks that are plugged in
    List(ListArgs),
    /// Copy files and folders onto a stick or into a folder
    Copy(CopyArgs),
    /// Erase a stick and give it one empty file system
    Format(FormatArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// Show what can't be used as well, with the reason
    #[arg(long)]
    pub(super) all: bool,
}

#[derive(Debug, clap::Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct CopyArgs {
    /// What to copy
    #[arg(required = true)]
    pub(super) source: Vec<PathBuf>,
    /// A folder, or a stick: its device or that of one of its parts, its id, or a part of its
    /// serial that no other stick has
    #[arg(long, value_name = "STICK_OR_FOLDER")]
    pub(super) to: String,
    /// Erase the stick and format it first
    #[arg(long, value_name = "FILE_SYSTEM")]
    pub(super) format: Option<Format>,
    /// Name of the formatted stick
    #[arg(long, requires = "format", default_value = "")]
    pub(super) label: String,
    /// Do not read back what was written
    #[arg(long)]
    pub(super) no_check: bool,
    /// What to do about files that can't be copied as they are; of several answers, each file gets
    /// the first that helps
    #[arg(
        long,
        default_value = "stop",
        value_delimiter = ',',
        value_name = "ANSWER"
    )]
    pub(super) on_problem: Vec<OnProblem>,
    /// Repair a damaged file system before anything is copied
    #[arg(long)]
    pub(super) repair: bool,
    /// Leave the stick mounted at the end
    #[arg(long)]
    pub(super) keep_mounted: bool,
    /// Leave the stick switched on at the end
    #[arg(long)]
    pub(super) no_power_off: bool,
    /// Erase without asking
    #[arg(long)]
    pub(super) yes: bool,
    /// Print JSON lines
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct FormatArgs {
    /// Its device, its id, or a part of its serial that no other stick has
    pub(super) stick: String,
    /// The file system it gets
    #[arg(long, value_name = "FILE_SYSTEM", default_value = "fat32")]
    pub(super) fs: Format,
    /// Its new name
    #[arg(long, default_value = "")]
    pub(super) label: String,
    /// Erase without asking
    #[arg(long)]
    pub(super) yes: bool,
    /// Print JSON lines
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Format {
    /// Read everywhere; files up to 4 GB
    Fat32,
    /// Large files; not read by every car and TV
    #[value(name = "exfat")]
    ExFat,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum OnProblem {
    /// Write nothing at all
    Stop,
    /// Leave those files out
    Skip,
    /// Give them names that the stick can hold
    Rename,
    /// Replace what is there; what looks the same is compared, and only what differs is written
    Replace,
    /// Give the new files another name
    KeepBoth,
    /// Delete the old files first, where old and new don't fit side by side
    DeleteFirst,
}

impl Format {
    pub(super) fn with_label(self, label: &str) -> FormatSpec {
        FormatSpec {
            file_system: match self {
                Self::Fat32 => FileSystem::Fat32,
                Self::ExFat => FileSystem::ExFat,
            },
            label: label.to_owned(),
        }
    }
}

impl From<OnProblem> for Choice {
    fn from(on_problem: OnProblem) -> Self {
        match on_problem {
            OnProblem::Stop => Self::Stop,
            OnProblem::Skip => Self::Skip,
            OnProblem::Rename => Self::Rename,
            OnProblem::Replace => Self::Replace,
            OnProblem::KeepBoth => Self::KeepBoth,
            OnProblem::DeleteFirst => Self::DeleteFirst,
        }
    }
}
