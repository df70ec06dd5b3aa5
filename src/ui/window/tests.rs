//! The job's story on the pages, told by made-up events.

mod dropped;
mod image;
mod outside;

use std::path::PathBuf;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::Window;
use crate::tasks::{Event, Failure, Kind, OnStick, Phase, Report};
use crate::ui::action::Action;
use crate::ui::job::Job;
use crate::ui::testing::{progress, stick, wait_until, widget};

const TOTAL: u64 = 429_265_824;

fn window_with_job() -> (Window, Job) {
    let window = widget::<Window>();
    window.add_sources(["/films/film.mkv".into()]);
    window.act(Action::Continue);
    wait_until(|| page(&window) == "stick");
    let job = Job::new("Intenso Rainbow Line", true);
    window.show_job(&job);
    (window, job)
}

fn page(window: &Window) -> String {
    let page = window.imp().navigation.visible_page();
    page.and_then(|page| page.tag())
        .map_or_else(String::new, Into::into)
}

fn title(window: &Window) -> String {
    let page = window.imp().navigation.visible_page();
    page.map_or_else(String::new, |page| page.title().into())
}

fn can(window: &Window, action: Action) -> bool {
    window.simple_action(action).is_enabled()
}

fn report(safe_to_unplug: bool) -> Report {
    Report {
        safe_to_unplug,
        checked: true,
        bytes: TOTAL,
        on_stick: OnStick {
            complete: vec!["film.mkv".into()],
            ..OnStick::default()
        },
        ..Report::default()
    }
}

#[gtk::test]
fn from_choosing_to_safe_to_unplug_and_back() {
    let window = widget::<Window>();
    assert_eq!(page(&window), "choose");
    assert!(!can(&window, Action::Continue) && !can(&window, Action::Cancel));
    window.add_sources(["/films/film.mkv".into()]);
    assert!(can(&window, Action::Continue));
    window.act(Action::Continue);
    wait_until(|| page(&window) == "stick");
    assert!(!can(&window, Action::Copy), "there is no stick yet");
    window.imp().stick.show_drives(Ok(vec![stick("a")]));
    assert!(can(&window, Action::Copy));

    let job = Job::new("Intenso Rainbow Line", true);
    window.show_job(&job);
    assert_eq!(page(&window), "writing");
    assert_eq!(title(&window), "Writing to Intenso Rainbow Line");
    assert!(can(&window, Action::Cancel));

    job.take(Event::Done(report(true)));
    assert_eq!(page(&window), "end");
    assert_eq!(title(&window), "Safe to unplug");
    assert!(!can(&window, Action::Cancel));

    window.act(Action::StartOver);
    assert_eq!(page(&window), "choose");
    assert!(window.imp().choose.paths().is_empty());
    job.closed();
    assert_eq!(page(&window), "choose", "a job left behind shows nothing");
}

#[gtk::test]
fn the_label_counts_confirmed_bytes_and_the_bar_never_falls() {
    let (window, job) = window_with_job();
    job.take(Event::Phase(Phase::Writing));
    let mut last = 0.0;
    for (confirmed, told) in [
        (0, "0 of 429 MB on the stick"),
        (213_999_999, "213 of 429 MB on the stick"),
        (213_000_000, "213 of 429 MB on the stick"),
        (TOTAL, "429 of 429 MB on the stick"),
    ] {
        let mut totals = progress(confirmed, TOTAL);
        totals.accepted = TOTAL;
        job.take(Event::Progress(totals));
        let (fraction, amount, phase) = window.imp().writing.shown();
        assert_eq!(amount, told);
        assert_eq!(phase, "Writing…");
        assert!(fraction >= last && fraction < 1.0, "{last} to {fraction}");
        last = fraction;
    }
    assert_eq!(page(&window), "writing");
}

#[gtk::test]
fn without_proof_the_end_is_copied_and_not_safe() {
    let (window, job) = window_with_job();
    job.take(Event::Done(report(false)));
    assert_eq!(title(&window), "Copied");
}

#[gtk::test]
fn stopping_is_shown_at_once_and_can_be_asked_only_once() {
    let (window, job) = window_with_job();
    job.take(Event::Progress(progress(1_000_000, TOTAL)));
    window.act(Action::Cancel);
    assert_eq!(window.imp().writing.shown().2, "Stopping…");
    assert!(!can(&window, Action::Cancel));
    job.take(Event::Progress(progress(2_000_000, TOTAL)));
    assert_eq!(window.imp().writing.shown().2, "Stopping…");
    job.take(Event::Cancelled(report(false)));
    assert_eq!(title(&window), "Stopped");
}

#[gtk::test]
fn a_story_without_an_end_is_a_failure_and_late_events_change_nothing() {
    let (window, job) = window_with_job();
    job.take(Event::Progress(progress(TOTAL, TOTAL)));
    job.closed();
    assert_eq!(title(&window), "Copying failed");
    job.take(Event::Done(report(true)));
    assert_eq!(title(&window), "Copying failed");

    window.act(Action::TryAgain);
    assert_eq!(page(&window), "stick");
    assert_eq!(window.imp().choose.paths().len(), 1, "the files stay");
}

#[gtk::test]
fn files_that_come_during_a_job_or_after_it_are_for_the_next_one() {
    let (window, job) = window_with_job();
    window.add_sources(["/films/late.mkv".into()]);
    assert_eq!(page(&window), "writing");
    job.take(Event::Done(report(true)));
    assert_eq!(page(&window), "end", "its end is worth reading");
    window.add_sources(["/films/next.mkv".into()]);
    assert_eq!(page(&window), "choose");
    let chosen = window.imp().choose.paths();
    assert_eq!(
        chosen,
        ["/films/late.mkv", "/films/next.mkv"].map(PathBuf::from)
    );
}

#[gtk::test]
fn closing_waits_for_the_end_of_the_job() {
    let (window, job) = window_with_job();
    window.present();
    window.close();
    assert!(window.is_visible());
    window.imp().closing.set(true);
    job.take(Event::Cancelled(report(false)));
    while glib::MainContext::default().iteration(false) {}
    assert!(!window.is_visible());
}

#[gtk::test]
fn what_has_the_focus_while_it_writes_has_a_name() {
    let (window, _job) = window_with_job();
    window.present();
    crate::ui::testing::settle();
    let focus = gtk::prelude::GtkWindowExt::focus(&window).expect("something has the focus");
    let has_name = gtk::test_accessible_has_property(&focus, gtk::AccessibleProperty::Label)
        || gtk::test_accessible_has_relation(&focus, gtk::AccessibleRelation::LabelledBy);
    assert!(has_name, "a {} without a name", focus.type_());
    window.destroy();
}

#[gtk::test]
fn every_page_fits_a_narrow_window() {
    let (window, job) = window_with_job();
    let fits = |window: &Window| {
        let page = window.imp().navigation.visible_page().expect("a page");
        let (width, ..) = page.measure(gtk::Orientation::Horizontal, -1);
        assert!(width <= 360, "{} needs {width}", page.title());
    };
    window
        .imp()
        .stick
        .show_drives(Ok(vec![stick("a"), stick("b")]));
    let mut totals = progress(213_000_000, TOTAL);
    totals.current = Some("a-very-long-name-without-any-place-to-break-it-at-all.mkv".into());
    totals.seconds_left = Some([250.0, 350.0]);
    job.take(Event::Progress(totals));
    fits(&window);
    let mut left = report(false);
    left.failed_items = vec![Failure::new(Kind::Unreadable, "")];
    job.take(Event::Failed(Failure::new(Kind::TargetGone, ""), left));
    fits(&window);
    for tag in ["stick", "review", "choose"] {
        window.go_to(tag);
        fits(&window);
    }
}
