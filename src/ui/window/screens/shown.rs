//! What there is to see, with made-up sticks and totals.

use std::fs::{self, File};
use std::path::PathBuf;
use std::sync::LazyLock;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::super::Window;
use crate::drives::{Distinction, Drive};
use crate::tasks::{
    CheckFound, Choice, Cliff, Did, Ended, Event, Failure, Kind, OnStick, Phase, Problem,
    ProblemKind, Receipt, Report, SpeedCurve,
};
use crate::ui::action::Action;
use crate::ui::help::{Topic, help_dialog, topic_page};
use crate::ui::history::HistoryDialog;
use crate::ui::job::Job;
use crate::ui::question::may_erase;
use crate::ui::testing::{progress, stick, volume, wait_until, widget};

pub(super) const TOTAL: u64 = 4_292_658_240;

/// Its name, and how a new window comes to show it.
pub(super) type Screen = (&'static str, fn(&Window));

/// All of them.
pub(super) const SCREENS: &[Screen] = &[
    ("choose", |_| {}),
    ("chosen", |window| add(window)),
    ("no-stick", |window| {
        add(window);
        window.act(Action::Continue);
    }),
    ("sticks", |window| {
        add(window);
        window.act(Action::Continue);
        show_sticks(window);
    }),
    ("format-first", |window| {
        add(window);
        window.act(Action::Continue);
        window.show_drives(Ok(vec![sticks().swap_remove(0)]));
        window.imp().stick.format_first();
    }),
    ("erase", |window| {
        add(window);
        window.act(Action::Continue);
        show_sticks(window);
        let window = window.clone();
        glib::spawn_future_local(async move {
            may_erase(&window, &sticks()[0], gettextrs::gettext("_Erase and Copy")).await;
        });
    }),
    ("review", |window| {
        add(window);
        window.imp().review.show_problems(&problems());
        window.go_to("review");
    }),
    ("writing", |window| {
        show_writing(window);
    }),
    ("writing-details", |window| {
        let job = show_writing(window);
        let mut totals = progress(2_130_000_000, TOTAL);
        totals.accepted = 2_134_400_000;
        totals.durable = 2_096_000_000;
        (totals.items_done, totals.items_total) = (2, 5);
        job.take(Event::Progress(totals));
        window.imp().writing.open_details();
    }),
    ("done", |window| {
        let job = show_writing(window);
        job.take(Event::Done(report()));
    }),
    ("failed", |window| {
        let job = show_writing(window);
        let mut left = report();
        left.safe_to_unplug = false;
        left.on_stick.missing = vec!["b".into()];
        job.take(Event::Failed(Failure::new(Kind::TargetGone, "EIO"), left));
    }),
    ("format", |window| {
        show_sticks(window);
        window.act(Action::FormatStick);
    }),
    ("check", |window| {
        show_sticks(window);
        window.act(Action::CheckStick);
    }),
    ("checking", |window| {
        window.act(Action::CheckStick);
        let job = Job::new("Intenso Rainbow Line", true);
        window.imp().check.show_job(&job);
        job.take(Event::Phase(Phase::Checking));
        let mut totals = progress(TOTAL, TOTAL);
        totals.phase = Phase::Checking;
        totals.checked = TOTAL / 3;
        totals.bytes_per_second = 24e6;
        job.take(Event::Progress(totals));
    }),
    ("check-end", |window| {
        window.act(Action::CheckStick);
        let job = Job::new("Intenso Rainbow Line", true);
        window.imp().check.show_job(&job);
        job.take(Event::Done(found()));
    }),
    ("formatting", |window| {
        window.act(Action::FormatStick);
        window
            .imp()
            .format
            .show_job(&Job::new("Intenso Rainbow Line", false));
    }),
    ("formatted", |window| {
        window.act(Action::FormatStick);
        let job = Job::new("Intenso Rainbow Line", false);
        window.imp().format.show_job(&job);
        job.take(Event::Done(report()));
    }),
    ("history", |window| {
        let dialog = widget::<HistoryDialog>();
        dialog.show_receipts(&receipts());
        dialog.present(Some(window));
    }),
    ("no-history", |window| {
        widget::<HistoryDialog>().present(Some(window));
    }),
    ("preferences", |window| window.act(Action::Preferences)),
    ("shortcuts", |window| window.act(Action::Shortcuts)),
    ("help", |window| window.act(Action::Help)),
    ("help-topic", |window| {
        let dialog = help_dialog();
        let pages = dialog.child().and_downcast::<adw::NavigationView>();
        pages.expect("pages").push(&topic_page(Topic::Slow));
        dialog.present(Some(window));
    }),
    ("about", |window| window.act(Action::About)),
];

/// A film and a folder with music, which are really there.
static SOURCES: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let place = tempfile::tempdir().expect("a folder");
    let film = File::create(place.path().join("a film.mkv")).expect("a file");
    film.set_len(TOTAL - 80_000_000).expect("a sparse file");
    let music = place.path().join("music");
    fs::create_dir(&music).expect("a folder");
    for name in ["1.ogg", "2.ogg", "3.ogg", "4.ogg"] {
        let song = File::create(music.join(name)).expect("a file");
        song.set_len(20_000_000).expect("a sparse file");
    }
    place
});

fn add(window: &Window) {
    let place = SOURCES.path();
    window.add_sources(["a film.mkv", "music"].map(|name| place.join(name)));
    wait_until(|| window.imp().choose.amount().is_some());
}

/// Two that look alike but for what is on them, and one that is locked.
fn sticks() -> Vec<Drive> {
    let large = |id, model: &str| Drive {
        model: model.into(),
        size: 32_080_000_000,
        ..stick(id)
    };
    let mut full = large("a", "Rainbow Line");
    full.volumes = vec![volume("MUSIC")];
    full.distinction = Some(Distinction::Label("MUSIC".into()));
    let mut twin = large("b", "Rainbow Line");
    twin.distinction = Some(Distinction::Serial("71F03C".into()));
    let mut locked = large("c", "Alu Line");
    locked.refusal = Some(crate::drives::Refusal::WriteProtected);
    vec![full, twin, locked]
}

fn show_sticks(window: &Window) {
    window.show_drives(Ok(sticks()));
}

fn problems() -> Vec<Problem> {
    let problem = |kind: ProblemKind, name: &str, chosen| Problem {
        kind,
        path: PathBuf::from("films").join(name),
        size: Some(5_000_000_000),
        limit: Some(4_294_967_295),
        detail: None,
        choices: kind.choices(),
        chosen,
    };
    vec![
        problem(ProblemKind::FileTooLarge, "a film.mkv", Choice::Skip),
        problem(ProblemKind::NameForbidden, "what?.mkv", Choice::Rename),
        problem(ProblemKind::NameForbidden, "who?.mkv", Choice::Rename),
    ]
}

fn show_writing(window: &Window) -> Job {
    add(window);
    let job = Job::new("Intenso Rainbow Line", true);
    window.show_job(&job);
    job.take(Event::Phase(Phase::Writing));
    let mut totals = progress(2_130_000_000, TOTAL);
    totals.bytes_per_second = 4.28e6;
    totals.seconds_left = Some([250.0, 350.0]);
    totals.current = Some("films/a film.mkv".into());
    job.take(Event::Progress(totals));
    window.imp().writing.graph().show_curve(cliff());
    job
}

fn cliff() -> crate::ui::graph::Curve {
    let point = |at: u64| crate::ui::graph::Point {
        from: at * 50_000_000,
        to: (at + 1) * 50_000_000,
        rate: if at < 24 { 17.2e6 } else { 4.1e6 } * [1.0, 0.95, 1.03, 0.9][at as usize % 4],
    };
    crate::ui::graph::Curve::new((0..42).map(point).collect(), TOTAL)
}

pub(super) fn report() -> Report {
    Report {
        safe_to_unplug: true,
        checked: true,
        bytes: TOTAL,
        bytes_per_second: 4.28e6,
        on_stick: OnStick {
            complete: vec!["film.mkv".into()],
            ..OnStick::default()
        },
        ..Report::default()
    }
}

fn found() -> Report {
    let rate = |at: u64| if at < 40 { 17e6 } else { 4e6 };
    let points = (0..128).map(|at| (at * TOTAL / 128, rate(at)));
    let found = CheckFound {
        claimed: TOTAL,
        real: Some(TOTAL),
        compared: TOTAL,
        write_curve: SpeedCurve {
            points: points.collect(),
        },
        read_curve: SpeedCurve {
            points: vec![(0, 24e6)],
        },
        cliff: Some(Cliff {
            at: 40 * TOTAL / 128,
            before: 17e6,
            after: 4e6,
        }),
        ..CheckFound::default()
    };
    Report {
        found: Some(found),
        ..report()
    }
}

fn receipts() -> Vec<Receipt> {
    let receipt = |did, ended, files| Receipt {
        ended_at: 1_795_000_000,
        did,
        stick: "Intenso Rainbow Line".into(),
        what: "A film with a long name that goes on and on.mkv".into(),
        files,
        bytes: TOTAL,
        bytes_per_second: 4.28e6,
        checked: ended == Ended::Done,
        ended,
    };
    vec![
        receipt(Did::Copied, Ended::Done, 3),
        receipt(Did::Imaged, Ended::Stopped, 0),
        receipt(Did::Formatted, Ended::Done, 0),
        receipt(Did::Copied, Ended::InPart, 1),
        receipt(Did::CheckedStick, Ended::Failed, 0),
    ]
}
