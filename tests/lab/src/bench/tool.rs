use std::{fmt, str::FromStr};

use super::{Job, shown::Shows};

/// Who writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Steady, without reading back.
    Steady,
    /// Steady, with reading back.
    SteadyCheck,
    /// What most do, and what file managers do in the end.
    Cp,
    /// With its progress line.
    Rsync,
    /// What GNOME's file manager does.
    Gio,
    /// Past the cache.
    DdDirect,
    /// Images only.
    Bmaptool,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::Steady,
        Self::SteadyCheck,
        Self::Cp,
        Self::Rsync,
        Self::Gio,
        Self::DdDirect,
        Self::Bmaptool,
    ];

    /// Whether it can do that job.
    pub(super) fn does(self, job: Job) -> bool {
        match self {
            Self::Steady | Self::SteadyCheck => true,
            Self::Cp => job != Job::ImageXz,
            Self::Rsync | Self::Gio => !job.is_image(),
            Self::DdDirect => job == Job::Large || job.is_image(),
            Self::Bmaptool => job.is_image(),
        }
    }

    /// Whether it is not Steady.
    pub(super) fn is_peer(self) -> bool {
        !matches!(self, Self::Steady | Self::SteadyCheck)
    }

    /// The command, for a device or a folder in which it is mounted. With `power_off` Steady may
    /// switch the stick off at the end, as it does for people.
    pub(super) fn command(
        self,
        job: Job,
        device: &str,
        folder: &str,
        power_off: bool,
    ) -> Vec<String> {
        let source = job.source();
        let end = if power_off { "" } else { " --no-power-off" };
        let line = match (self, job.is_image()) {
            (Self::Steady, false) => {
                format!("steady-cli copy {source} --to {device} --no-check --yes --json{end}")
            }
            (Self::SteadyCheck, false) => {
                format!("steady-cli copy {source} --to {device} --yes --json{end}")
            }
            (Self::Steady, true) => {
                format!(
                    "steady-cli write {source} --to {device} --no-check --no-bmap --yes --json{end}"
                )
            }
            (Self::SteadyCheck, true) => {
                format!("steady-cli write {source} --to {device} --no-bmap --yes --json{end}")
            }
            (Self::Cp, false) => format!("cp -r {source} {folder}"),
            (Self::Cp, true) => format!("cp {source} {device}"),
            (Self::Rsync, _) => format!("rsync -rt --info=progress2 {source} {folder}"),
            // It copies no folders.
            (Self::Gio, _) => match job {
                Job::Large => format!("gio copy -p {source} {folder}/"),
                _ => format!("mkdir {folder}/all && gio copy -p {source}/* {folder}/all/"),
            },
            (Self::DdDirect, _) => {
                let target = match job {
                    Job::Large => format!("{folder}/film.mkv"),
                    _ => device.to_owned(),
                };
                let (first, input) = match job {
                    Job::ImageXz => (format!("xz -dc {source} | "), String::new()),
                    _ => (String::new(), format!(" if={source}")),
                };
                format!(
                    "{first}dd{input} of={target} bs=4M iflag=fullblock oflag=direct status=progress"
                )
            }
            (Self::Bmaptool, _) => format!("bmaptool copy --nobmap {source} {device}"),
        };
        vec!["sh".into(), "-c".into(), line]
    }

    /// The programs that its command runs.
    pub(super) fn programs(self, job: Job) -> &'static [&'static str] {
        match self {
            Self::Steady | Self::SteadyCheck => &["steady-cli"],
            Self::Cp => &["cp"],
            Self::Rsync => &["rsync"],
            Self::Gio => &["gio"],
            Self::DdDirect if job == Job::ImageXz => &["xz", "dd"],
            Self::DdDirect => &["dd"],
            Self::Bmaptool => &["bmaptool"],
        }
    }

    /// How a person sees how far it is.
    pub(super) fn shows(self) -> Shows {
        match self {
            Self::Steady | Self::SteadyCheck => Shows::Json,
            Self::Cp => Shows::Size,
            Self::Rsync => Shows::Rsync,
            Self::Gio => Shows::Gio,
            Self::DdDirect => Shows::Dd,
            Self::Bmaptool => Shows::Percent,
        }
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|tool| tool.to_string() == name);
        let names: Vec<_> = Self::ALL.iter().map(Self::to_string).collect();
        found.ok_or_else(|| format!("one of {}", names.join(", ")))
    }
}

impl fmt::Display for Tool {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Steady => "steady-cli",
            Self::SteadyCheck => "steady-cli+check",
            Self::Cp => "cp",
            Self::Rsync => "rsync",
            Self::Gio => "gio-copy",
            Self::DdDirect => "dd-direct",
            Self::Bmaptool => "bmaptool",
        })
    }
}
