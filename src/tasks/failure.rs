use std::path::PathBuf;

use super::{Kind, Problem};
use crate::{drives, engine};

/// Why a job, or one item of it, did not succeed. Its sentence is [`super::Wording::of_failure`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// What it is.
    pub kind: Kind,
    /// The file it is about, where it is about one.
    pub path: Option<PathBuf>,
    /// The program that is in the way, where it is known.
    pub program: Option<String>,
    /// For the curious and for reports: operation and cause, in the system's own words.
    pub detail: String,
}

impl Failure {
    /// A failure that is about no file.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            path: None,
            program: None,
            detail: detail.into(),
        }
    }
}

impl From<drives::Error> for Failure {
    fn from(error: drives::Error) -> Self {
        let failure = Self::new(Kind::from(&error), error.to_string());
        let program = match error {
            drives::Error::Busy { program, .. } => program,
            _ => None,
        };
        Self { program, ..failure }
    }
}

impl From<engine::Error> for Failure {
    fn from(error: engine::Error) -> Self {
        Self {
            kind: Kind::from(error.kind()),
            path: Some(error.path.clone()).filter(|path| !path.as_os_str().is_empty()),
            program: None,
            detail: error.to_string(),
        }
    }
}

impl From<&Problem> for Failure {
    fn from(problem: &Problem) -> Self {
        Self {
            kind: Kind::from(problem.kind),
            path: Some(problem.path.clone()).filter(|path| !path.as_os_str().is_empty()),
            program: None,
            detail: String::new(),
        }
    }
}
