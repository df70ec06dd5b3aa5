//! The pages on which a disk image is written.

use adw::subclass::prelude::*;

use super::super::Window;
use super::shown::{Screen, TOTAL, report};
use crate::drives::{Distinction, Drive};
use crate::tasks::{Entry, Event, Failure, ImageLeft, Kind, Offer, Phase, Report};
use crate::ui::job::{Job, Subject};
use crate::ui::testing::{image, progress, settle, stick, volume};

pub(super) const NAME: &str = "debian-13.2.0-amd64-netinst.iso";

pub(super) const SCREENS: &[Screen] = &[
    ("image", |window| {
        offer(window, Offer::Image(Box::new(image(NAME, TOTAL))));
    }),
    ("image-of-windows", |window| {
        let mut disc = image("windows.iso", TOTAL);
        disc.file.layout.table = None;
        disc.notes = vec![about("windows.iso", Kind::WindowsInstaller)];
        offer(window, Offer::Image(Box::new(disc)));
    }),
    ("image-refused", |window| {
        offer(window, Offer::Refused(about("empty.img", Kind::ImageEmpty)));
    }),
    ("images-in-archive", |window| {
        let entry = |index, name: &str| Entry {
            index,
            name: name.into(),
            size: TOTAL,
            packed_size: TOTAL / 4,
        };
        let entries = vec![entry(0, "boot/console.img"), entry(1, "rescue.img")];
        offer(window, Offer::Choice(entries));
    }),
    ("image-sticks", |window| {
        let mut image = image(NAME, 1 << 30);
        image.checksum = Some("/images/SHA256SUMS".into());
        image.map = Some(format!("/images/{NAME}.bmap").into());
        window.imp().stick.set_image(Some(image));
        let mut small = stick("d");
        small.vendor = "Kingston".into();
        small.size = 512_000_000;
        window.show_drives(Ok(vec![twin("a"), twin("b"), small]));
        window.go_to("stick");
    }),
    ("image-erase", |window| {
        let mut full = twin("a");
        full.volumes = vec![volume("MUSIC")];
        let notes = [about("SHA256SUMS", Kind::SignatureUnchecked)];
        let erase = &window.imp().erase;
        erase.ask(NAME, &[full, twin("b")], &notes);
        window.go_to("erase");
    }),
    ("image-password", |window| {
        let job = start(window, &["Intenso Rainbow Line"]);
        let mut asking = progress(0, TOTAL);
        asking.phase = Phase::Asking;
        job.take(Event::Progress(asking));
    }),
    ("image-writing", |window| {
        write_three(window);
    }),
    ("image-end", |window| {
        let job = write_three(window);
        job.take_at(1, Event::Done(report()));
    }),
    ("image-failed", |window| {
        let job = start(window, &["Intenso Rainbow Line"]);
        let failure = Failure::new(Kind::FakeCapacity, "EIO");
        job.take(Event::Failed(failure, half()));
    }),
    ("image-done", |window| {
        let job = start(window, &["Intenso Rainbow Line"]);
        job.take(Event::Done(report()));
    }),
];

/// One of two that look alike.
fn twin(id: &str) -> Drive {
    Drive {
        distinction: Some(Distinction::Serial(format!("71F0{id}"))),
        ..stick(id)
    }
}

fn about(name: &str, kind: Kind) -> Failure {
    Failure {
        path: Some(name.into()),
        ..Failure::new(kind, "")
    }
}

/// As if the chosen file were this.
fn offer(window: &Window, offer: Offer) {
    window.add_sources([format!("/images/{NAME}").into()]);
    settle();
    window.imp().choose.offer(offer);
}

fn start(window: &Window, sticks: &[&str]) -> Job {
    let subject = Subject::Image { name: NAME.into() };
    let sticks = sticks.iter().map(|&stick| stick.into()).collect();
    let job = Job::of(subject, sticks, true);
    window.show_job(&job);
    job
}

/// One is done, one has failed, one is under way.
fn write_three(window: &Window) -> Job {
    let sticks = ["Intenso Rainbow Line", "SanDisk Ultra", "Kingston"];
    let job = start(window, &sticks);
    job.take_at(0, Event::Done(report()));
    job.take_at(1, Event::Phase(Phase::Writing));
    let mut totals = progress(TOTAL / 3, TOTAL);
    totals.bytes_per_second = 14e6;
    totals.seconds_left = Some([150.0, 230.0]);
    job.take_at(1, Event::Progress(totals));
    let failure = Failure::new(Kind::IoError, "EIO");
    job.take_at(2, Event::Failed(failure, half()));
    job
}

fn half() -> Report {
    Report {
        image_left: Some(ImageLeft::Incomplete),
        ..Report::default()
    }
}
