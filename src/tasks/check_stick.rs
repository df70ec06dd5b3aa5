//! Whether a stick has the room that it claims and gives back what it is given, and how fast.

mod bench;
mod check_found;
mod run;
#[cfg(test)]
mod tests;

use super::access::Stick;
use super::stick::connect;
use super::{AtEnd, Failure, Job, Kind};
use crate::drives::Drive;
use run::{Work, run};

pub use check_found::CheckFound;

/// Which stick shall be checked, and how.
#[derive(Debug, Clone)]
pub struct CheckRequest {
    /// As it was chosen. It is looked at again before anything is written.
    pub drive: Drive,
    /// All of the stick is written, which erases it. Otherwise only what is free on it, with
    /// everything left as it is.
    pub erase: bool,
    /// What becomes of the stick.
    pub at_end: AtEnd,
}

/// A stick that can be checked. Nothing was touched yet.
#[derive(Debug)]
pub struct PreparedCheck {
    stick: Stick,
    request: CheckRequest,
    notes: Vec<Failure>,
}

/// Looks whether the stick is there and may be written. Nobody is asked for a password and nothing
/// is touched. Blocks: belongs on a worker thread.
///
/// An error is a refusal; what a person should know beside it is in [`PreparedCheck::notes`].
pub fn prepare_check(request: &CheckRequest) -> Result<PreparedCheck, Failure> {
    let udisks = connect()?;
    let stick = Stick::find(udisks.as_ref(), &request.drive, false)?;
    let can_fill = udisks.is_some() && bench::largest(&request.drive).is_some();
    let notes = if request.erase || can_fill {
        Vec::new()
    } else {
        vec![Failure::new(Kind::OnlySize, "")]
    };
    Ok(PreparedCheck {
        stick,
        request: request.clone(),
        notes,
    })
}

impl PreparedCheck {
    /// What a person should know before it begins.
    pub fn notes(&self) -> &[Failure] {
        &self.notes
    }

    /// Whether everything on the stick will be lost.
    pub fn erases(&self) -> bool {
        self.request.erase
    }

    /// Starts the check on a thread of its own. The password is asked for first of all: where it
    /// is dismissed, nothing was touched. What is found is in the last event's
    /// [`Report::found`](super::Report::found), whatever the end.
    pub fn start(self) -> Job {
        let work = Work {
            claimed: self.request.drive.size,
            erase: self.request.erase,
            at_end: self.request.at_end,
            stick: self.stick,
        };
        Job::start("check", move |story| run(&work, story))
    }
}
