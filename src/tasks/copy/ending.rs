use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::super::{Choice, Failure, OnStick, Renamed, Report};
use crate::engine::Meter;
use crate::engine::copy::{FailedItem, StopReason, Stopped, Written, WrittenFile};
use crate::engine::plan::Plan;

/// What the report of a job is made of, gathered while it runs.
#[derive(Debug)]
pub(super) struct Ending {
    start: Instant,
    pub(super) writing: Duration,
    pub(super) checking: Duration,
    pub(super) checked: bool,
    pub(super) safe_to_unplug: bool,
    pub(super) on_stick: OnStick,
    pub(super) notes: Vec<Failure>,
    pub(super) renamed: Vec<Renamed>,
    pub(super) failed_items: Vec<Failure>,
    pub(super) strategy: &'static str,
}

impl Ending {
    pub(super) fn begin() -> Self {
        Self {
            start: Instant::now(),
            writing: Duration::ZERO,
            checking: Duration::ZERO,
            checked: false,
            safe_to_unplug: false,
            on_stick: OnStick::default(),
            notes: Vec::new(),
            renamed: Vec::new(),
            failed_items: Vec::new(),
            strategy: "",
        }
    }

    /// Nothing of it is on the stick yet.
    pub(super) fn expect(&mut self, plan: &Plan) {
        self.on_stick.skipped.clone_from(&plan.skipped);
        self.on_stick.missing = plan.files.iter().map(|file| file.target.clone()).collect();
        let left_out = plan.problems.iter();
        let left_out = left_out.filter(|problem| problem.chosen == Choice::Skip);
        self.notes = left_out.map(Failure::from).collect();
        self.renamed.clone_from(&plan.renamed);
    }

    /// Gives back what can be checked.
    pub(super) fn take_written(&mut self, written: Written) -> Vec<WrittenFile> {
        self.strategy = written.strategy.name();
        self.on_stick = written.on_stick;
        self.failed_items = written.failed.into_iter().map(Failure::from).collect();
        written.files
    }

    pub(super) fn take_stopped(&mut self, stopped: Stopped) -> StopReason {
        self.strategy = stopped.strategy.name();
        self.on_stick = stopped.on_stick;
        self.failed_items = stopped.failed.into_iter().map(Failure::from).collect();
        stopped.reason
    }

    /// Files that were thought complete and are not what was written.
    pub(super) fn disown(&mut self, failures: Vec<Failure>) {
        let bad: HashSet<_> = failures
            .iter()
            .filter_map(|failure| failure.path.as_ref())
            .collect();
        let (partial, complete) = std::mem::take(&mut self.on_stick.complete)
            .into_iter()
            .partition(|path| bad.contains(path));
        self.on_stick.complete = complete;
        self.on_stick.partial = partial;
        self.failed_items.extend(failures);
    }

    pub(super) fn report(self, meter: &Meter) -> Report {
        let bytes = meter.confirmed();
        let write_seconds = self.writing.as_secs_f64();
        Report {
            seconds: self.start.elapsed().as_secs_f64(),
            write_seconds,
            check_seconds: self.checking.as_secs_f64(),
            bytes,
            bytes_per_second: if write_seconds > 0.0 {
                bytes as f64 / write_seconds
            } else {
                0.0
            },
            checked: self.checked,
            safe_to_unplug: self.safe_to_unplug,
            dismissed: false,
            on_stick: self.on_stick,
            image_left: None,
            found: None,
            notes: self.notes,
            renamed: self.renamed,
            failed_items: self.failed_items,
            peak_unconfirmed: meter.peak_unconfirmed(),
            strategy: self.strategy,
        }
    }
}

impl From<FailedItem> for Failure {
    fn from(item: FailedItem) -> Self {
        Self {
            path: Some(item.source),
            ..Self::from(item.error)
        }
    }
}
