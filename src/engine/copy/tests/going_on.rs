//! Going on after an interruption: what is there already is not written again.

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use rustix::io::Errno;

use super::super::{Options, StopReason, Written, write};
use super::assert_true;
use crate::engine::plan::{Existing, Plan, Replaces};
use crate::engine::testing::{Call, Fault, Model, Sources};
use crate::engine::verify::read_back;
use crate::engine::{ErrorKind, Meter};

/// The plan with every file that is on the stick compared first.
fn comparing(sources: &Sources, model: &Model) -> Plan {
    let mut plan = sources.plan();
    for file in &mut plan.files {
        if let Some(seen @ Existing::File { .. }) = model.existing(&file.target) {
            file.replaces = Replaces::IfDifferent(seen);
        }
    }
    plan
}

fn run(plan: &Plan, model: &Model, meter: &Meter) -> Written {
    write(plan, model, &Options::default(), meter).unwrap()
}

fn names(paths: &[PathBuf]) -> Vec<&str> {
    paths
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap())
        .collect()
}

/// Files that are there and equal, that differ in one way each, and one that is not there.
fn half_done() -> (Sources, Model) {
    let sources = Sources::new(&[
        ("1 equal", 1_700_001),
        ("2 empty", 0),
        ("3 last byte", 1_700_000),
        ("4 first byte", 10),
        ("5 shorter", 1_700_000),
        ("6 longer", 100),
        ("7 missing", 100),
        ("8 equal", 512 << 10),
    ]);
    let model = Model::default();
    for (name, change) in [
        ("1 equal", 0),
        ("2 empty", 0),
        ("3 last byte", 0),
        ("4 first byte", 0),
        ("5 shorter", -1),
        ("6 longer", 1),
        ("8 equal", 0),
    ] {
        let name = format!("job/{name}");
        let mut bytes = sources.read(Path::new(&name));
        bytes.resize(bytes.len().saturating_add_signed(change), 7);
        model.put(&name, &bytes);
    }
    model.corrupt(Path::new("job/3 last byte"), 1_699_999);
    model.corrupt(Path::new("job/4 first byte"), 0);
    (sources, model)
}

#[test]
fn what_is_equal_is_kept_and_what_differs_is_written() {
    let (sources, model) = half_done();
    let (plan, meter) = (comparing(&sources, &model), Meter::default());
    let written = run(&plan, &model, &meter);
    assert_eq!(
        names(&written.on_stick.kept),
        ["1 equal", "2 empty", "8 equal"]
    );
    assert_eq!(written.on_stick.complete.len(), 8);
    assert_true(&plan, &written.on_stick, &model, &sources);
    assert_eq!(model.content().len(), 8);

    let kept = 1_700_001 + (512 << 10);
    let totals = meter.totals();
    assert_eq!(totals.kept, kept);
    assert_eq!(
        meter.confirmed(),
        plan.bytes - kept,
        "kept files are not written"
    );
    assert_eq!((totals.confirmed, totals.durable), (plan.bytes, plan.bytes));
    assert!(totals.share > 0.999_999 && totals.compared >= kept);
    assert_eq!(totals.items_done, 8);
}

#[test]
fn what_was_compared_is_not_read_a_second_time_and_counts_as_checked() {
    let (sources, model) = half_done();
    let (plan, meter) = (comparing(&sources, &model), Meter::default());
    let written = run(&plan, &model, &meter);
    let before = model.calls.borrow().len();
    let checked = read_back(&written.files, &model, &meter).unwrap();
    assert!(checked.is_verified() && checked.files == 8);
    assert_eq!(
        model.calls.borrow().len() - before,
        5,
        "the others are read"
    );
    assert_eq!(meter.totals().checked, plan.bytes);
}

#[test]
fn a_file_that_cannot_be_read_on_the_stick_is_written_anew() {
    let (sources, model) = half_done();
    let plan = comparing(&sources, &model);
    let first = |call: &Call| *call == Call::OpenReadBack;
    let clean = half_done().1;
    run(&plan, &clean, &Meter::default());
    let at = clean.calls.borrow().iter().position(first).unwrap();
    model.fault.set(Some(Fault {
        at,
        errno: Errno::IO,
        for_good: false,
    }));
    let written = run(&plan, &model, &Meter::default());
    assert_eq!(names(&written.on_stick.kept), ["2 empty", "8 equal"]);
    assert_true(&plan, &written.on_stick, &model, &sources);

    let pulled = Rc::new(half_done().1);
    let model = Rc::downgrade(&pulled);
    *pulled.hook.borrow_mut() = Some(Box::new(move |_, call| {
        if call == Call::OpenReadBack {
            model.upgrade().unwrap().pull();
        }
    }));
    let stopped = write(&plan, &*pulled, &Options::default(), &Meter::default()).unwrap_err();
    let StopReason::Target(error) = stopped.reason else {
        panic!("it was pulled")
    };
    assert_eq!(error.kind(), ErrorKind::TargetGone);
}

#[test]
fn a_source_that_fails_while_it_is_compared_leaves_the_old_file() {
    let (sources, model) = half_done();
    let plan = comparing(&sources, &model);
    std::fs::remove_file(sources.path("1 equal")).unwrap();
    let old = model.content();
    let meter = Meter::default();
    let written = run(&plan, &model, &meter);
    let name = Path::new("job/1 equal");
    assert_eq!(written.failed[0].error.kind(), ErrorKind::SourceGone);
    assert!(model.content()[name] == old[name]);
    assert_eq!(meter.totals().given_up, 1_700_001);
}

#[test]
fn k07_after_a_cancel_at_any_call_going_on_completes_it() {
    let sources = Sources::new(&[("1", 10), ("2", 70_000), ("3", 0), ("d/4", 1_100_000)]);
    let plan = sources.plan();
    for at in 0.. {
        let (model, meter) = (Model::default(), Arc::new(Meter::default()));
        let cancelled = Arc::clone(&meter);
        *model.hook.borrow_mut() = Some(Box::new(move |index, _| {
            if index == at {
                cancelled.cancel();
            }
        }));
        let first = write(&plan, &model, &Options::default(), &meter);
        if !meter.is_cancelled() {
            break;
        }
        let on_stick = first.map_or_else(|stopped| stopped.on_stick, |written| written.on_stick);
        *model.hook.borrow_mut() = None;
        let again = comparing(&sources, &model);
        let written = run(&again, &model, &Meter::default());
        assert_eq!(
            written.on_stick.kept, on_stick.complete,
            "cancelled at {at}"
        );
        assert_eq!(written.on_stick.complete.len(), 4);
        assert_true(&again, &written.on_stick, &model, &sources);
    }
}
