//! Sources that fail, hang, or change under the job.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustix::io::Errno;

use super::super::source::{Disk, RealDisk};
use super::super::{OnStick, Options, StopReason, Written, write_from};
use super::{assert_true, run};
use crate::engine::plan::Plan;
use crate::engine::testing::{Call, Fault, Model, Sources};
use crate::engine::{ErrorKind, Meter};

/// Fails, or hangs until it is let go, where a file's name says so.
#[derive(Default)]
struct BadDisk {
    errors: HashMap<&'static str, Errno>,
    /// Bytes that come before the error.
    errors_from: u64,
    hanging: AtomicUsize,
    /// Dropping the sender lets go what hangs.
    held_by: Option<Mutex<Receiver<()>>>,
}

impl BadDisk {
    fn hanging() -> (Arc<Self>, Sender<()>) {
        let (hold, held_by) = channel();
        let disk = Self {
            held_by: Some(Mutex::new(held_by)),
            ..Self::default()
        };
        (Arc::new(disk), hold)
    }
}

impl Disk for BadDisk {
    fn read(&self, path: &Path, file: &File, length: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let name = path.file_name().unwrap().to_str().unwrap();
        let mut position = file;
        match self.errors.get(name) {
            Some(errno) if position.stream_position()? >= self.errors_from => {
                return Err((*errno).into());
            }
            _ => {}
        }
        if name.contains("hangs") {
            self.hanging.fetch_add(1, Ordering::SeqCst);
            let held_by = self.held_by.as_ref().unwrap();
            // Whoever holds the lock hangs in the wait, the others in the lock.
            let _ = held_by.lock().map(|held| held.recv());
            self.hanging.fetch_sub(1, Ordering::SeqCst);
        }
        RealDisk.read(path, file, length, bytes)
    }
}

fn run_from(plan: &Plan, model: &Model, meter: &Meter, disk: Arc<dyn Disk>) -> Written {
    write_from(plan, model, &impatient(), meter, disk).unwrap()
}

fn impatient() -> Options {
    Options {
        source_patience: Duration::from_millis(500),
        ..Options::default()
    }
}

fn failures(written: &Written) -> Vec<(&str, ErrorKind)> {
    let failed = written.failed.iter();
    failed
        .map(|item| {
            let name = item.target.file_name().unwrap().to_str().unwrap();
            (name, item.error.kind())
        })
        .collect()
}

fn complete(on_stick: &OnStick) -> Vec<&str> {
    let complete = on_stick.complete.iter();
    complete
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect()
}

#[test]
fn k06_a_file_that_fails_or_hangs_holds_up_no_other() {
    let sources = Sources::new(&[
        ("1", 700_000),
        ("2", 0),
        ("3 broken", 700_000),
        ("4 stale", 10),
        ("5 hangs", 10),
        ("6", 1_300_000),
        ("7", 10),
    ]);
    let (disk, hold) = BadDisk::hanging();
    let mut disk = Arc::into_inner(disk).unwrap();
    disk.errors.insert("3 broken", Errno::IO);
    disk.errors.insert("4 stale", Errno::STALE);
    let disk = Arc::new(disk);
    let (plan, model, meter) = (sources.plan(), Model::default(), Meter::default());
    let written = run_from(&plan, &model, &meter, Arc::clone(&disk) as Arc<dyn Disk>);
    assert_eq!(disk.hanging.load(Ordering::SeqCst), 1, "it still hangs");
    let wanted = [
        ("3 broken", ErrorKind::Unreadable),
        ("4 stale", ErrorKind::SourceGone),
        ("5 hangs", ErrorKind::Stalled),
    ];
    assert_eq!(failures(&written), wanted);
    assert_eq!(complete(&written.on_stick), ["1", "2", "6", "7"]);
    assert_true(&plan, &written.on_stick, &model, &sources);
    assert_eq!(meter.totals().items_done, 4);
    assert!(
        meter.totals().accepted <= plan.bytes,
        "nothing counts twice"
    );
    assert_eq!(model.open_files(), 0);
    drop(hold);
}

#[test]
fn k06_a_file_that_is_unreadable_at_half_leaves_nothing_behind() {
    let sources = Sources::new(&[("1 broken", 2 << 20), ("2", 10)]);
    let mut disk = BadDisk {
        errors_from: 1 << 20,
        ..BadDisk::default()
    };
    disk.errors.insert("1 broken", Errno::IO);
    let (plan, model, meter) = (sources.plan(), Model::default(), Meter::default());
    let written = run_from(&plan, &model, &meter, Arc::new(disk));
    assert_eq!(failures(&written), [("1 broken", ErrorKind::Unreadable)]);
    assert_eq!(written.on_stick.removed, [Path::new("job/1 broken")]);
    assert_eq!(model.content().len(), 1, "no temporary name is left");
    let totals = meter.totals();
    let taken = totals.confirmed - 10;
    assert!(taken > 0 && taken < 2 << 20);
    assert_eq!(totals.given_up, (2 << 20) - taken);
    assert!(totals.share > 0.999_999);
    assert_eq!((totals.items_done, totals.items_failed), (1, 1));
}

#[test]
fn k06_a_place_in_which_files_hang_is_given_up() {
    let names: Vec<String> = (0..40).map(|number| format!("{number} hangs")).collect();
    let mut files: Vec<_> = names.iter().map(|name| (name.as_str(), 10)).collect();
    files.insert(0, ("00", 10));
    let sources = Sources::new(&files);
    let (disk, hold) = BadDisk::hanging();
    let (plan, model, meter) = (sources.plan(), Model::default(), Meter::default());
    let written = run_from(&plan, &model, &meter, Arc::clone(&disk) as Arc<dyn Disk>);
    assert_eq!(
        disk.hanging.load(Ordering::SeqCst),
        2,
        "few threads are left behind"
    );
    let kinds: Vec<_> = failures(&written)
        .into_iter()
        .map(|(_, kind)| kind)
        .collect();
    assert_eq!(kinds[..2], [ErrorKind::Stalled; 2]);
    assert_eq!(kinds[2..], [ErrorKind::SourceGone; 38]);
    assert_eq!(complete(&written.on_stick), ["00"]);
    drop(hold);
}

#[test]
fn k06_who_cancels_does_not_wait_for_a_source_that_hangs() {
    let sources = Sources::new(&[("1", 10), ("2 hangs", 10), ("3", 10)]);
    let (disk, hold) = BadDisk::hanging();
    let meter = Arc::new(Meter::default());
    let (plan, model) = (sources.plan(), Model::default());
    let (watched, cancelled) = (Arc::clone(&disk), Arc::clone(&meter));
    let person = std::thread::spawn(move || {
        while watched.hanging.load(Ordering::SeqCst) == 0 {
            std::thread::yield_now();
        }
        cancelled.cancel();
    });
    // With the patience of a real job, and a read that comes back only when the job has ended.
    let stopped = write_from(&plan, &model, &Options::default(), &meter, disk).unwrap_err();
    person.join().unwrap();
    assert!(matches!(stopped.reason, StopReason::Cancelled));
    assert!(stopped.on_stick.partial.is_empty());
    assert_true(&plan, &stopped.on_stick, &model, &sources);
    drop(hold);
}

#[test]
fn source_gone_and_target_gone_are_told_apart() {
    let sources = Sources::new(&[("1", 10)]);
    let plan = sources.plan();
    let mut disk = BadDisk::default();
    disk.errors.insert("1", Errno::NODEV);
    let written = run_from(&plan, &Model::default(), &Meter::default(), Arc::new(disk));
    assert_eq!(failures(&written), [("1", ErrorKind::SourceGone)]);

    let model = Model::default();
    model.pull();
    let stopped = run(&plan, &model, &Meter::default()).unwrap_err();
    let StopReason::Target(error) = stopped.reason else {
        panic!("it is gone")
    };
    assert_eq!(error.kind(), ErrorKind::TargetGone);
}

#[test]
fn turning_read_only_is_not_a_lock_switch() {
    let sources = Sources::new(&[("1", 10)]);
    let plan = sources.plan();
    let clean = Model::default();
    run(&plan, &clean, &Meter::default()).unwrap();
    let calls = clean.calls.borrow();
    let written = calls.iter().position(|call| *call == Call::Write).unwrap();
    for (at, kind) in [
        (0, ErrorKind::WriteProtected),
        (written, ErrorKind::TurnedReadOnly),
    ] {
        let model = Model::default();
        model.fault.set(Some(Fault {
            at,
            errno: Errno::ROFS,
            for_good: true,
        }));
        let stopped = run(&plan, &model, &Meter::default()).unwrap_err();
        let StopReason::Target(error) = stopped.reason else {
            panic!("it cannot be written")
        };
        assert_eq!(error.kind(), kind);
    }
}

#[test]
fn a_source_that_is_replaced_while_it_is_read_is_named() {
    let sources = Sources::new(&[("1", 12 << 20), ("2", 12 << 20), ("3", 5)]);
    let plan = sources.plan();
    let (model, meter) = (Model::default(), Meter::default());
    let (first, second, new) = (sources.path("1"), sources.path("2"), sources.path("new"));
    let mut created = 0;
    *model.hook.borrow_mut() = Some(Box::new(move |_, call| {
        created += usize::from(call == Call::Create);
        if call == Call::Write && created == 1 && first.exists() {
            fs::copy(&first, &new).unwrap();
            fs::rename(&new, &first).unwrap();
            created += 1;
        } else if created == 3 && second.exists() {
            fs::remove_file(&second).unwrap();
        }
    }));
    let written = run(&plan, &model, &meter).unwrap();
    assert_eq!(failures(&written), [("1", ErrorKind::SourceChanged)]);
    // The second was open already, and was read whole.
    assert_eq!(complete(&written.on_stick), ["2", "3"]);
}

#[test]
fn k06_sources_that_change_or_go_are_listed_and_the_rest_arrives() {
    let sources = Sources::new(&[
        ("1 whole", 700_000),
        ("2 grows", 12 << 20),
        ("3 shrinks", 14 << 20),
        ("4 goes", 5),
        ("5 longer", 5),
        ("6 whole", 5),
    ]);
    let plan = sources.plan();
    fs::remove_file(sources.path("4 goes")).unwrap();
    fs::write(sources.path("5 longer"), "longer").unwrap();
    let (model, meter) = (Model::default(), Meter::default());
    let (grows, shrinks) = (sources.path("2 grows"), sources.path("3 shrinks"));
    let mut created = 0;
    *model.hook.borrow_mut() = Some(Box::new(move |_, call| {
        created += usize::from(call == Call::Create);
        match created {
            2 => fs::write(&grows, vec![7; 13 << 20]).unwrap(),
            3 if call == Call::Write => fs::write(&shrinks, vec![7; 1 << 20]).unwrap(),
            _ => {}
        }
    }));
    let written = run(&plan, &model, &meter).unwrap();
    let kinds: Vec<_> = written
        .failed
        .iter()
        .map(|item| {
            (
                item.target.file_name().unwrap().to_str().unwrap(),
                item.error.kind(),
            )
        })
        .collect();
    let wanted = [
        ("2 grows", ErrorKind::SourceChanged),
        ("3 shrinks", ErrorKind::SourceChanged),
        ("4 goes", ErrorKind::SourceGone),
        ("5 longer", ErrorKind::SourceChanged),
    ];
    assert_eq!(kinds, wanted);
    let names = ["1 whole", "6 whole"].map(|name| Path::new("job").join(name));
    assert_eq!(written.on_stick.complete, names);
    assert_true(&plan, &written.on_stick, &model, &sources);
    let totals = meter.totals();
    assert!(totals.accepted <= plan.bytes && totals.items_done == 2);
}

#[test]
fn s02_holes_arrive_as_zeroes() {
    let sources = Sources::new(&[("disk.img", 3)]);
    let file = File::options()
        .write(true)
        .open(sources.path("disk.img"))
        .unwrap();
    file.set_len(9 << 20).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, b"data", 5 << 20).unwrap();
    let (plan, model) = (sources.plan(), Model::default());
    assert_eq!(plan.bytes, 9 << 20, "its apparent size");
    let written = run(&plan, &model, &Meter::default()).unwrap();
    assert_true(&plan, &written.on_stick, &model, &sources);
    assert_eq!(complete(&written.on_stick), ["disk.img"]);
}
