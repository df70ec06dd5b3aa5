use std::path::PathBuf;

use serde::Serialize;

use super::{CheckFound, Failure, ImageLeft, OnStick, Problem, Renamed};

/// What a job is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Looking at sources and stick.
    Preparing,
    /// Waiting for the administrator's password; part of preparing to programs that read the
    /// lines, and no phase that is told as begun.
    #[serde(rename = "preparing")]
    Asking,
    /// Trying what the stick can do.
    Probing,
    /// Making a new file system.
    Formatting,
    /// Writing files.
    Writing,
    /// Reading them back and comparing.
    Checking,
    /// Last flush, unmounting, switching off.
    Finishing,
}

/// Totals at one moment, never deltas. Bytes unless said otherwise;
/// `durable <= confirmed <= accepted <= total`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Progress {
    /// What the job is doing.
    pub phase: Phase,
    /// Handed to the kernel.
    pub accepted: u64,
    /// Reported written by the stick.
    pub confirmed: u64,
    /// Covered by a flush that reached the device's own cache.
    pub durable: u64,
    /// Read back and equal.
    pub checked: u64,
    /// Of the confirmed ones: on the stick already and equal, so that they were not written.
    pub kept: u64,
    /// Of the whole job, without what has failed; `None` where it cannot be known.
    pub total: Option<u64>,
    /// How much of the writing is behind, 0 to 1: by bytes, and by items where there are none.
    /// Never falls.
    pub share: f64,
    /// Files that are complete on the stick.
    pub items_done: u64,
    /// Files of the whole job.
    pub items_total: u64,
    /// The file being worked on, relative to the stick.
    pub current: Option<PathBuf>,
    /// Bytes a second over the last 3 s: confirmed, or checked while checking.
    pub bytes_per_second: f64,
    /// Seconds until the end, low and high; `None` while too little is known.
    pub seconds_left: Option<[f64; 2]>,
    /// The stick takes what is written clearly more slowly than before in this job.
    pub slower: bool,
    /// For how long the stick has taken nothing, in ms.
    pub stalled_ms: u64,
}

/// The end of a job, whatever it was.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// From the start until it may be unplugged, checking included.
    pub seconds: f64,
    /// From the first byte until all is durable under its own name.
    pub write_seconds: f64,
    /// Reading back.
    pub check_seconds: f64,
    /// Confirmed bytes.
    pub bytes: u64,
    /// `bytes / write_seconds`.
    pub bytes_per_second: f64,
    /// Whether every complete file was read back from the stick and compared.
    pub checked: bool,
    /// Flushed, unmounted and, where it can be, switched off: all without error.
    pub safe_to_unplug: bool,
    /// Whether an image was not written because the person closed the password prompt: nothing
    /// was touched.
    pub dismissed: bool,
    /// What is on the stick now.
    pub on_stick: OnStick,
    /// What is there of an image that was not written to its end; `None` for any other job.
    pub image_left: Option<ImageLeft>,
    /// What a check has found; `None` for any other job.
    pub found: Option<CheckFound>,
    /// What a person should know though nothing failed: what was left out, and why.
    pub notes: Vec<Failure>,
    /// What has another name on the stick than its source.
    pub renamed: Vec<Renamed>,
    /// Files that could not be copied while the rest went on.
    pub failed_items: Vec<Failure>,
    /// The most bytes that were accepted and unconfirmed at once.
    pub peak_unconfirmed: u64,
    /// Name of the strategy in use at the end.
    pub strategy: &'static str,
}

/// One line of a job's story. Exactly one of the last three ends it; a stream that closes
/// without one has failed.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// Found before the start, with what was chosen for it.
    Problem(Problem),
    /// A new phase began.
    Phase(Phase),
    /// Totals now; at least twice a second.
    Progress(Progress),
    /// Done; perhaps with notes and failed items.
    Done(Report),
    /// Failed.
    Failed(Failure, Report),
    /// Stopped because the person wanted it.
    Cancelled(Report),
}
