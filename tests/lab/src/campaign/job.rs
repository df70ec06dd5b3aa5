use clap::ValueEnum;

use super::moment::Phase;

/// What Steady is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Job {
    /// Copies files and a folder, some of which replace old ones.
    Copy,
    /// Writes a disk image.
    Write,
    /// Formats the stick.
    Format,
    /// Looks how much room the stick has, and keeps what is on it.
    CheckStick,
}

impl Job {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Copy, Self::Write, Self::Format, Self::CheckStick];

    /// The rest of the command line of `steady-cli`, for sources that lie in `folder`.
    pub(super) fn arguments(self, device: &str, folder: &str, image: &str) -> String {
        match self {
            Self::Copy => format!(
                "copy {folder}/film.bin {folder}/old.bin {folder}/small --to {device} --on-problem replace"
            ),
            Self::Write => format!("write {folder}/{image} --to {device} --yes"),
            Self::Format => format!("format {device} --label NEW --yes"),
            Self::CheckStick => format!("check-stick {device}"),
        }
    }

    /// Whether the administrator's password is asked for.
    pub(super) fn asks_password(self) -> bool {
        matches!(self, Self::Write | Self::CheckStick)
    }

    /// Its phases, and how often a fault falls into each.
    pub(super) fn phases(self) -> &'static [(Phase, f64)] {
        use Phase::{Checking, Finishing, Formatting, Preparing, Probing, Writing};
        match self {
            Self::Copy => &[
                (Preparing, 0.1),
                (Writing, 0.5),
                (Checking, 0.25),
                (Finishing, 0.15),
            ],
            Self::Write => &[
                (Preparing, 0.05),
                (Probing, 0.1),
                (Writing, 0.45),
                (Checking, 0.25),
                (Finishing, 0.15),
            ],
            Self::Format => &[(Formatting, 0.9), (Finishing, 0.1)],
            Self::CheckStick => &[
                (Preparing, 0.1),
                (Probing, 0.2),
                (Writing, 0.35),
                (Checking, 0.2),
                (Finishing, 0.15),
            ],
        }
    }

    /// How fast its stick is, so that there is time for a fault: parameters of a profile.
    pub(super) fn rates(self) -> &'static str {
        match self {
            Self::Copy => "wbps=1.2e6,rbps=2.5e6",
            Self::Write => "wbps=2e6,rbps=3e6",
            Self::Format => "wbps=400e3,rbps=4e6",
            Self::CheckStick => "wbps=12e6,rbps=16e6",
        }
    }
}
