use std::path::PathBuf;

use super::{About, Kind, Problem};
use crate::engine::image::Refusal;
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
    /// What its sentence can tell beside.
    pub about: Option<About>,
}

impl Failure {
    /// A failure that is about no file.
    pub fn new(kind: Kind, detail: impl Into<String>) -> Self {
        Self {
            kind,
            path: None,
            program: None,
            detail: detail.into(),
            about: None,
        }
    }

    /// What a person can choose from, or what is there instead.
    pub fn names(&self) -> &[String] {
        match &self.about {
            Some(
                About::Names(names)
                | About::Refused(Refusal::NoImageInside(names) | Refusal::Encrypted(names)),
            ) => names,
            _ => &[],
        }
    }

    /// A failure that is about a file.
    pub(super) fn of_file(kind: Kind, path: impl Into<PathBuf>) -> Self {
        Self {
            path: Some(path.into()),
            ..Self::new(kind, "")
        }
    }

    /// The same, with more to tell.
    pub(super) fn about(self, about: About) -> Self {
        Self {
            about: Some(about),
            ..self
        }
    }
}

impl From<drives::Error> for Failure {
    fn from(error: drives::Error) -> Self {
        let failure = Self::new(Kind::from(&error), error.to_string());
        let drives::Error::Busy {
            program, unmounted, ..
        } = error
        else {
            return failure;
        };
        let about = (!unmounted.is_empty()).then(|| {
            let name = |place: PathBuf| {
                let name = place.file_name().unwrap_or(place.as_os_str());
                name.to_string_lossy().into_owned()
            };
            About::Unmounted(unmounted.into_iter().map(name).collect())
        });
        Self {
            program,
            about,
            ..failure
        }
    }
}

impl From<engine::Error> for Failure {
    fn from(error: engine::Error) -> Self {
        Self {
            path: Some(error.path.clone()).filter(|path| !path.as_os_str().is_empty()),
            ..Self::new(Kind::from(error.kind()), error.to_string())
        }
    }
}

impl From<&Problem> for Failure {
    fn from(problem: &Problem) -> Self {
        Self {
            path: Some(problem.path.clone()).filter(|path| !path.as_os_str().is_empty()),
            ..Self::new(Kind::from(problem.kind), "")
        }
    }
}
