use std::cell::Cell;
use std::path::PathBuf;

use gtk::prelude::*;
use gtk::{gio, glib};

use crate::tasks::{Did, History, Receipt};
use crate::ui::job::CopyJob;
use crate::ui::settings::{Settings, Switch};

/// Keeps a receipt of the job when it ends, unless the person wants none.
pub(in crate::ui) fn keep_receipt(job: &CopyJob, did: Did, sources: Vec<PathBuf>) {
    if let Some(history) = History::default_place() {
        keep_in(history, job, did, sources);
    }
}

fn keep_in(history: History, job: &CopyJob, did: Did, sources: Vec<PathBuf>) {
    let kept = Cell::new(false);
    job.connect_changed(move |job| {
        if kept.get() {
            return;
        }
        let now = glib::DateTime::now_utc().map_or(0, |now| now.to_unix());
        if let Some(receipt) = Receipt::of(&job.state(), did, job.stick(), &sources, now) {
            kept.set(true);
            if Settings::default().is_on(Switch::History) {
                write(history.clone(), receipt);
            }
        }
    });
}

/// The program does not end before it is written.
fn write(history: History, receipt: Receipt) {
    let hold = gio::Application::default().map(|application| application.hold());
    glib::spawn_future_local(async move {
        let written = gio::spawn_blocking(move || history.add(&receipt));
        // The job is done all the same.
        if let Err(error) = written.await.expect("writing should not panic") {
            tracing::warn!(%error, "no receipt was kept");
        }
        drop(hold);
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Event, Report};

    #[gtk::test]
    fn a_receipt_is_kept_once_and_none_when_that_is_switched_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = History::at(folder.path().join("history.jsonl"));
        let settings = Settings::default();
        let end = |stick| {
            let job = CopyJob::new(stick, true);
            keep_in(history.clone(), &job, Did::Copied, vec!["/film.mkv".into()]);
            job.take(Event::Done(Report::default()));
            job.closed();
        };
        settings.set(Switch::History, false);
        end("off");
        settings.reset();
        end("on");
        let sticks = || {
            let receipts = history.receipts().expect("receipts");
            let sticks = receipts.into_iter().map(|receipt| receipt.stick);
            sticks.collect::<Vec<_>>()
        };
        while sticks().is_empty() {
            glib::MainContext::default().iteration(true);
        }
        assert_eq!(sticks(), ["on"]);
    }
}
