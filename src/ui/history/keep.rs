use std::cell::RefCell;
use std::collections::HashSet;
use std::path::PathBuf;

use gtk::prelude::*;
use gtk::{gio, glib};

use crate::tasks::{Did, History, JobState, Receipt};
use crate::ui::job::Job;
use crate::ui::settings::{Settings, Switch};

/// Keeps a receipt of the job on each of its sticks when it ends there, unless the person wants none.
pub(in crate::ui) fn keep_receipt(job: &Job, did: Did, sources: Vec<PathBuf>) {
    if let Some(history) = History::default_place() {
        keep_in(history, job, did, sources);
    }
}

fn keep_in(history: History, job: &Job, did: Did, sources: Vec<PathBuf>) {
    let kept = RefCell::new(HashSet::new());
    job.connect_changed(move |job| {
        let now = glib::DateTime::now_utc().map_or(0, |now| now.to_unix());
        for (place, (state, stick)) in job.states().iter().zip(job.sticks()).enumerate() {
            if kept.borrow().contains(&place) || was_dismissed(state) {
                continue;
            }
            if let Some(receipt) = Receipt::of(state, did, stick, &sources, now) {
                kept.borrow_mut().insert(place);
                if Settings::default().is_on(Switch::History) {
                    write(history.clone(), receipt);
                }
            }
        }
    });
}

/// Nothing happened then.
fn was_dismissed(state: &JobState) -> bool {
    matches!(state, JobState::Cancelled(report) if report.dismissed)
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
    use crate::ui::job::Subject;

    #[gtk::test]
    fn a_receipt_is_kept_once_and_none_when_that_is_switched_off() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = History::at(folder.path().join("history.jsonl"));
        let settings = Settings::default();
        let end = |stick| {
            let job = Job::new(stick, true);
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

    #[gtk::test]
    fn each_stick_of_an_image_has_its_receipt_and_a_closed_prompt_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let history = History::at(folder.path().join("history.jsonl"));
        Settings::default().reset();
        let image = || Subject::Image {
            name: "debian.img".into(),
        };
        let job = Job::of(image(), vec!["a".into(), "b".into(), "c".into()], true);
        keep_in(
            history.clone(),
            &job,
            Did::Imaged,
            vec!["/debian.img".into()],
        );
        job.take_at(1, Event::Done(Report::default()));
        let dismissed = Report {
            dismissed: true,
            ..Report::default()
        };
        job.take_at(2, Event::Cancelled(dismissed));
        job.take_at(0, Event::Done(Report::default()));
        let receipts = || history.receipts().expect("receipts");
        crate::ui::testing::wait_until(|| receipts().len() == 2);
        let mut sticks: Vec<_> = receipts().into_iter().map(|it| it.stick).collect();
        sticks.sort();
        assert_eq!(sticks, ["a", "b"]);
    }
}
