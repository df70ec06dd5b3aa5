use std::path::Path;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::bench::{Bench, Room};
use super::*;
use crate::engine::fill;
use crate::engine::target::Folder;
use crate::engine::testing::{Disk, DiskCall, Fake};
use crate::tasks::access::Access;
use crate::tasks::{About, Event, KnownSpeed, Phase, Report};

const MIB: u64 = 1 << 20;

/// A stick in memory whose file system is a folder of this computer.
#[derive(Clone)]
struct Held {
    disk: Arc<Disk>,
    folder: Arc<TempDir>,
    answer: Result<(), Kind>,
    mounts: Result<(), Kind>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Held {
    fn new(disk: Disk) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("film"), "of somebody").unwrap();
        Self {
            disk: Arc::new(disk),
            folder: Arc::new(folder),
            answer: Ok(()),
            mounts: Ok(()),
            asked: Arc::default(),
        }
    }

    fn note(&self, what: impl Into<String>) {
        self.asked.lock().unwrap().push(what.into());
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
        names.collect()
    }

    fn job(&self, erase: bool) -> Job {
        let work = Work {
            claimed: 16 * MIB,
            stick: self.clone(),
            erase,
            at_end: AtEnd::PowerOff,
        };
        Job::start("check", move |story| run(&work, story))
    }

    fn story(&self, erase: bool) -> Vec<Event> {
        let events = self.job(erase).events();
        std::iter::from_fn(|| events.recv_blocking().ok()).collect()
    }
}

impl Access for Held {
    type Device = Disk;

    fn drive(&self) -> Option<&Drive> {
        None
    }

    fn authorize(&self) -> Result<(), Failure> {
        self.note("authorize");
        self.answer.map_err(|kind| Failure::new(kind, ""))
    }

    fn open(&self) -> Result<Arc<Disk>, Failure> {
        self.note("open");
        Ok(Arc::clone(&self.disk))
    }

    fn let_go(&self, _: Arc<Disk>, at_end: AtEnd) -> Result<bool, Failure> {
        self.note(format!("close {at_end:?}"));
        Ok(at_end != AtEnd::KeepMounted)
    }

    fn is_genuine(&self) -> bool {
        false
    }

    fn remember_genuine(&self, _: bool) {}
}

impl Bench for Held {
    type Room = Self;

    fn mount(&self) -> Result<Self, Failure> {
        self.note("mount");
        self.mounts.map_err(|kind| Failure::new(kind, ""))?;
        Ok(self.clone())
    }

    fn settle(&self, at_end: AtEnd) -> Result<bool, Failure> {
        self.note(format!("settle {at_end:?}"));
        Ok(true)
    }

    fn remember(&self, genuine: bool, speed: Option<KnownSpeed>) {
        self.note(format!("remember {genuine} {}", speed.is_some()));
    }
}

impl Room for Held {
    type Target = Folder;

    fn open(&self) -> Result<Folder, Failure> {
        Ok(Folder::open(self.folder.path())?)
    }

    fn free(&self, _: &Folder) -> Result<u64, Failure> {
        Ok(6 * MIB)
    }

    fn settle(self, at_end: AtEnd) -> Result<bool, Failure> {
        Bench::settle(&self, at_end)
    }
}

fn found(report: &Report) -> &CheckFound {
    report.found.as_ref().expect("it tells what was found")
}

#[test]
fn free_space_is_tried_and_everything_is_left_as_it_was() {
    let held = Held::new(Disk::new(16 * MIB, 512));
    let before = held.disk.content();
    std::fs::create_dir(held.folder.path().join(fill::FOLDER)).unwrap();
    let left = held.folder.path().join(fill::FOLDER).join("3.check");
    std::fs::write(left, "of a check that broke off").unwrap();
    let mut events = held.story(false);
    let Some(Event::Done(report)) = events.pop() else {
        panic!("{events:?}")
    };
    let found = found(&report);
    assert_eq!((found.real, found.compared), (Some(16 * MIB), 6 * MIB));
    assert!(!found.write_curve.points.is_empty() && !found.erased && !found.left_over);
    assert_eq!(report.bytes, 6 * MIB);
    assert!(report.safe_to_unplug);
    assert_eq!(held.names(), ["film"]);
    assert!(held.disk.content() == before);
    let asked = held.asked();
    assert_eq!(asked[..2], ["authorize", "open"]);
    assert_eq!(asked[2..4], ["remember true false", "close KeepMounted"]);
    assert_eq!(
        asked[4..],
        ["mount", "remember true true", "settle PowerOff"]
    );
    let phases = events.into_iter().filter_map(|event| match event {
        Event::Phase(phase) => Some(phase),
        _ => None,
    });
    let all = [
        Phase::Preparing,
        Phase::Probing,
        Phase::Writing,
        Phase::Checking,
        Phase::Finishing,
    ];
    assert_eq!(phases.collect::<Vec<_>>(), all);
}

#[test]
fn w04_a_fake_stick_is_named_with_its_size_and_not_filled() {
    for (fake, erase) in [(Fake::Wrap(5 * MIB), false), (Fake::Drop(5 * MIB), true)] {
        let held = Held::new(Disk::new(16 * MIB, 512).with_fake(fake));
        let before = held.disk.content();
        let Some(Event::Failed(failure, report)) = held.story(erase).pop() else {
            panic!("it is a fake")
        };
        assert_eq!(failure.kind, Kind::FakeCapacity);
        let sizes = About::Sizes {
            size: 16 * MIB,
            limit: 5 * MIB,
        };
        assert_eq!(failure.about, Some(sizes));
        let found = found(&report);
        assert_eq!(found.real, Some(5 * MIB));
        assert!(found.is_fake() && !found.erased && report.safe_to_unplug);
        assert!(held.disk.content() == before, "something is lost");
        assert_eq!(
            held.asked()[2..],
            ["remember false false", "close PowerOff"]
        );
    }
}

#[test]
fn a_dismissed_password_has_touched_nothing() {
    let mut held = Held::new(Disk::new(16 * MIB, 512));
    held.answer = Err(Kind::Dismissed);
    let Some(Event::Cancelled(report)) = held.story(true).pop() else {
        panic!("it is a quiet way back")
    };
    assert!(held.disk.journal().is_empty() && !report.safe_to_unplug);
    assert_eq!(held.asked(), ["authorize"]);
}

#[test]
fn without_anything_to_fill_only_the_size_is_checked() {
    for kind in [Kind::NoFileSystem, Kind::DamagedFileSystem] {
        let mut held = Held::new(Disk::new(16 * MIB, 512));
        held.mounts = Err(kind);
        let Some(Event::Done(report)) = held.story(false).pop() else {
            panic!("its size is known")
        };
        assert_eq!(found(&report).real, Some(16 * MIB));
        assert!(found(&report).write_curve.points.is_empty() && !report.checked);
        assert_eq!(report.notes[0].kind, Kind::OnlySize);
        assert!(report.safe_to_unplug);
    }
    let mut held = Held::new(Disk::new(16 * MIB, 512));
    held.mounts = Err(Kind::TargetGone);
    assert!(matches!(held.story(false).pop(), Some(Event::Failed(..))));
}

#[test]
fn all_of_a_stick_is_erased_and_what_is_bad_is_told_with_its_place() {
    let held = Held::new(Disk::new(16 * MIB, 512));
    let Some(Event::Done(report)) = held.story(true).pop() else {
        panic!("it is good")
    };
    assert!(report.checked && report.safe_to_unplug && found(&report).erased);
    assert_eq!(found(&report).compared, 16 * MIB);
    assert_eq!(
        held.asked().last().map(String::as_str),
        Some("close PowerOff")
    );

    let place = 11 * MIB + 512;
    let held = Held::new(Disk::new(16 * MIB, 512).with_bad(place..place + 512));
    let Some(Event::Failed(failure, report)) = held.story(true).pop() else {
        panic!("a place can't be read")
    };
    assert_eq!(failure.kind, Kind::IoError);
    assert!(found(&report).erased && !report.safe_to_unplug);
}

#[test]
fn a_cancel_ends_each_phase_and_leaves_no_test_data() {
    // While it is probed.
    let job: Arc<Mutex<Option<Job>>> = Arc::default();
    let cancel = Arc::clone(&job);
    let disk = Disk::new(16 * MIB, 512).with_hook(move |_, call| {
        if matches!(call, DiskCall::Write { .. }) {
            while cancel.lock().unwrap().is_none() {
                std::thread::yield_now();
            }
            cancel.lock().unwrap().as_ref().unwrap().cancel();
        }
    });
    let held = Held::new(disk);
    let before = held.disk.content();
    let running = held.job(false);
    *job.lock().unwrap() = Some(running.clone());
    let events = running.events();
    let last = std::iter::from_fn(|| events.recv_blocking().ok()).last();
    let Some(Event::Cancelled(report)) = last else {
        panic!("{last:?}")
    };
    assert!(report.safe_to_unplug && held.disk.content() == before);
    assert_eq!(
        held.asked().last().map(String::as_str),
        Some("close Unmount")
    );

    // While it is filled.
    let held = Held::new(Disk::new(16 * MIB, 512));
    let running = held.job(false);
    let events = running.events();
    let mut last = None;
    while let Ok(event) = events.recv_blocking() {
        if event == Event::Phase(Phase::Writing) {
            running.cancel();
        }
        last = Some(event);
    }
    // It may have been quicker.
    assert!(matches!(last, Some(Event::Cancelled(_) | Event::Done(_))));
    assert_eq!(held.names(), ["film"]);
    assert!(!held.folder.path().join(Path::new(fill::FOLDER)).exists());
}
