use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

use crate::drives::{FileSystem, FormatSpec};
use crate::engine::checksum::{Algorithm, Checksum};
use crate::tasks::Choice;

const EXIT_CODES: &str = "Exit code: 0 when all is done; 1 when it failed, or some items of it; 2 when it was used \
                          wrongly, or refused before the first byte; 130 when it was cancelled, or the password \
                          prompt was closed.";

/// Puts files and disk images on USB sticks, shows only what the stick has really taken, and says when it is safe
/// to unplug
#[derive(Debug, Parser)]
#[command(name = "steady-cli", version, after_long_help = EXIT_CODES)]
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
    /// Write a disk image onto one or several sticks, which erases them
    Write(WriteArgs),
    /// Erase a stick and give it one empty file system
    Format(FormatArgs),
    /// Find out how much room a stick really has and how fast it is
    CheckStick(CheckStickArgs),
}

#[derive(Debug, clap::Args)]
pub(super) struct ListArgs {
    /// Print one JSON object, or with --watch one a line
    #[arg(long)]
    pub(super) json: bool,
    /// Show what can't be used as well, with the reason
    #[arg(long)]
    pub(super) all: bool,
    /// Show them again after each change, until stopped
    #[arg(long)]
    pub(super) watch: bool,
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
    #[arg(
        long,
        requires = "format",
        default_value = "",
        hide_default_value = true
    )]
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
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
pub(super) struct WriteArgs {
    /// The image: plain, or packed as gz, xz, zst, bz2, lz4 or zip
    pub(super) image: PathBuf,
    /// The sticks, each by its device, its id, or a part of its serial that no other stick has
    #[arg(long, required = true, num_args = 1.., value_name = "STICK")]
    pub(super) to: Vec<String>,
    /// Do not read back what was written
    #[arg(long)]
    pub(super) no_check: bool,
    /// The SHA-256 that the file must have
    #[arg(long, value_name = "HEX", conflicts_with = "checksum_file", value_parser = sha256)]
    pub(super) sha256: Option<String>,
    /// A file with the checksum that the image must have, or a list of checksums with its name
    #[arg(long, value_name = "FILE")]
    pub(super) checksum_file: Option<PathBuf>,
    /// The block map of the image; without this, the one that lies beside it
    #[arg(long, value_name = "FILE", conflicts_with = "no_bmap")]
    pub(super) bmap: Option<PathBuf>,
    /// Write all of the image, whatever a block map says
    #[arg(long)]
    pub(super) no_bmap: bool,
    /// The image that is meant, where a zip holds several
    #[arg(long, value_name = "NAME")]
    pub(super) entry: Option<String>,
    /// Leave the sticks switched on at the end
    #[arg(long)]
    pub(super) no_power_off: bool,
    /// Erase without asking
    #[arg(long)]
    pub(super) yes: bool,
    /// Print JSON lines
    #[arg(long)]
    pub(super) json: bool,
}

/// Takes what people paste: capitals, blanks around it, `sha256:` before it.
fn sha256(text: &str) -> Result<String, &'static str> {
    let checksum = Checksum::parse(text, "");
    match checksum.filter(|checksum| checksum.algorithm() == Algorithm::Sha256) {
        Some(checksum) => Ok(checksum.hex().to_owned()),
        None => Err("a SHA-256 has 64 digits, each 0 to 9 or a to f"),
    }
}

#[derive(Debug, clap::Args)]
pub(super) struct FormatArgs {
    /// Its device, its id, or a part of its serial that no other stick has
    pub(super) stick: String,
    /// The file system it gets
    #[arg(long, value_name = "FILE_SYSTEM", default_value = "fat32")]
    pub(super) fs: Format,
    /// Its new name
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(super) label: String,
    /// Erase without asking
    #[arg(long)]
    pub(super) yes: bool,
    /// Print JSON lines
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Args)]
pub(super) struct CheckStickArgs {
    /// Its device, its id, or a part of its serial that no other stick has
    pub(super) stick: String,
    /// Write and read all of it, which erases it; without this only what is free, and everything
    /// on it stays
    #[arg(long)]
    pub(super) erase: bool,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn write(arguments: &[&str]) -> Result<WriteArgs, clap::Error> {
        let all = ["steady-cli", "write", "a.img"].iter().chain(arguments);
        match Args::try_parse_from(all)?.command {
            Command::Write(args) => Ok(args),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn c01_a_pasted_value_is_taken_and_any_other_length_is_wrong_use() {
        let capitals = "AB".repeat(32);
        let pasted = format!(" sha256:{capitals}\n");
        for text in [capitals.as_str(), &pasted] {
            let args = write(&["--to", "x", "--sha256", text]).expect("a value");
            assert_eq!(args.sha256, Some(capitals.to_lowercase()));
        }
        for text in [&capitals[2..], "", &"ab".repeat(20)] {
            let error = write(&["--to", "x", "--sha256", text]).expect_err("no value");
            assert_eq!(error.exit_code(), 2);
        }
    }

    #[test]
    fn several_sticks_are_named_at_once_and_options_may_follow() {
        let args = write(&["--to", "sdx", "sdy", "--no-check"]).expect("two sticks");
        assert_eq!((args.to.len(), args.no_check), (2, true));
        assert!(write(&[]).is_err(), "no stick is named");
        assert!(write(&["--to", "x", "--bmap", "m", "--no-bmap"]).is_err());
    }
}
