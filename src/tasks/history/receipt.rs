use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::tasks::{JobState, Report};

/// What was done, when, with which stick, how fast, and how it ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Receipt {
    /// Seconds since 1970, UTC.
    pub ended_at: i64,
    /// What was done.
    pub did: Did,
    /// What people call the stick.
    pub stick: String,
    /// The name of the first source; empty where there is none.
    pub what: String,
    /// Files that are complete on the stick.
    pub files: u64,
    /// Bytes that the stick confirmed.
    pub bytes: u64,
    /// Bytes a second, on average; 0 where nothing was written.
    pub bytes_per_second: f64,
    /// Whether all of it was read back and compared.
    pub checked: bool,
    /// How it ended.
    pub ended: Ended,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Did {
    /// Files were copied.
    Copied,
    /// An image was written.
    Imaged,
    /// The stick was formatted.
    Formatted,
    /// The stick was checked.
    CheckedStick,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Everything as it was wanted.
    Done,
    /// Done, but some files could not be copied.
    InPart,
    /// Failed.
    Failed,
    /// Stopped by the person.
    Stopped,
}

impl Receipt {
    /// The receipt of a job that has ended, at `now` in seconds since 1970; `None` while it works.
    pub fn of(
        state: &JobState,
        did: Did,
        stick: &str,
        sources: &[PathBuf],
        now: i64,
    ) -> Option<Self> {
        let nothing = Report::default();
        let (ended, report) = match state {
            JobState::Running { .. } => return None,
            JobState::Done(report) if report.failed_items.is_empty() => (Ended::Done, report),
            JobState::Done(report) => (Ended::InPart, report),
            JobState::Failed(_, report) => (Ended::Failed, report.as_ref().unwrap_or(&nothing)),
            JobState::Cancelled(report) => (Ended::Stopped, report),
        };
        let name = |path: &PathBuf| {
            let name = path.file_name().unwrap_or(Path::new(path).as_os_str());
            name.to_string_lossy().into_owned()
        };
        Some(Self {
            ended_at: now,
            did,
            stick: stick.to_owned(),
            what: sources.first().map(name).unwrap_or_default(),
            files: report.on_stick.complete.len() as u64,
            bytes: report.bytes,
            bytes_per_second: report.bytes_per_second,
            checked: report.checked,
            ended,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Failure, Kind};

    fn receipt(state: &JobState) -> Option<Receipt> {
        let sources = ["/films/film.mkv".into(), "/films/b".into()];
        Receipt::of(state, Did::Copied, "Stick", &sources, 5)
    }

    #[test]
    fn it_tells_the_end_as_it_was() {
        assert_eq!(receipt(&JobState::default()), None);
        let ended = |state: JobState| receipt(&state).expect("a receipt").ended;
        let mut report = Report {
            checked: true,
            bytes: 7,
            ..Report::default()
        };
        report.on_stick.complete = vec!["film.mkv".into()];
        let done = receipt(&JobState::Done(report.clone())).expect("a receipt");
        assert_eq!(
            (done.what.as_str(), done.files, done.bytes),
            ("film.mkv", 1, 7)
        );
        assert!(done.checked && done.ended == Ended::Done && done.ended_at == 5);
        let failure = Failure::new(Kind::TargetGone, "");
        assert_eq!(
            ended(JobState::Failed(failure.clone(), None)),
            Ended::Failed
        );
        assert_eq!(ended(JobState::Cancelled(report.clone())), Ended::Stopped);
        report.failed_items = vec![failure];
        assert_eq!(ended(JobState::Done(report)), Ended::InPart);
    }
}
