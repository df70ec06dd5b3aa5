//! Old files that give way.

use std::path::Path;

use rustix::io::Errno;

use super::super::{Options, Written, parts, write};
use crate::engine::plan::{Existing, Plan, Replaces};
use crate::engine::testing::{Call, Fault, Model, Sources};
use crate::engine::{ErrorKind, Meter};

/// The plan with every file that is on the stick chosen to be replaced.
pub(super) fn replacing(sources: &Sources, model: &Model) -> Plan {
    let mut plan = sources.plan();
    for file in &mut plan.files {
        if let Some(seen @ Existing::File { .. }) = model.existing(&file.target) {
            file.replaces = Replaces::Old(seen);
        }
    }
    plan
}

fn run(plan: &Plan, model: &Model) -> Written {
    write(plan, model, &Options::default(), &Meter::default()).unwrap()
}

#[test]
fn a_chosen_file_gives_way_and_only_that() {
    let sources = Sources::new(&[("1", 100), ("2", 200), ("3", 300)]);
    let model = Model::default();
    for name in ["job/1", "job/2", "job/other"] {
        model.put(name, b"old");
    }
    let mut plan = replacing(&sources, &model);
    plan.files[1].replaces = Replaces::Nothing;
    let written = run(&plan, &model);
    let content = model.content();
    assert!(content[Path::new("job/1")] == sources.read(Path::new("job/1")));
    assert!(content[Path::new("job/3")] == sources.read(Path::new("job/3")));
    assert_eq!(content[Path::new("job/2")], b"old");
    assert_eq!(content[Path::new("job/other")], b"old");
    assert_eq!(content.len(), 4);
    assert_eq!(written.on_stick.complete.len(), 2);
    assert_eq!(written.failed[0].error.kind(), ErrorKind::NameClash);
    assert_eq!(model.content(), model.durable());
}

#[test]
fn a_file_that_is_not_what_the_plan_saw_stays() {
    let sources = Sources::new(&[("1", 100), ("2", 200)]);
    let model = Model::default();
    model.put("job/1", b"old");
    model.put("job/2", b"old");
    let plan = replacing(&sources, &model);
    model.put("job/1", b"another's");
    let written = run(&plan, &model);
    assert_eq!(model.content()[Path::new("job/1")], b"another's");
    assert_eq!(written.failed[0].error.kind(), ErrorKind::NameClash);
    assert_eq!(written.on_stick.complete, [Path::new("job/2")]);
    assert_eq!(model.content().len(), 2, "no temporary name is left");
}

#[test]
fn a_file_that_went_meanwhile_is_no_hindrance() {
    let sources = Sources::new(&[("1", 100)]);
    let model = Model::default();
    model.put("job/1", b"old");
    let plan = replacing(&sources, &model);
    let written = run(&plan, &Model::default());
    assert_eq!(written.on_stick.complete, [Path::new("job/1")]);
}

#[test]
fn many_files_are_replaced_without_holding_them_all() {
    let names: Vec<String> = (0..450).map(|number| format!("{number}")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), 10)).collect();
    let sources = Sources::new(&files);
    let model = Model::default();
    for name in &names {
        model.put(&format!("job/{name}"), b"old");
    }
    let plan = replacing(&sources, &model);
    let written = run(&plan, &model);
    assert_eq!(written.on_stick.complete.len(), 450);
    let calls = model.calls.borrow();
    let mut held = 0;
    for call in calls.iter() {
        match call {
            Call::Pin => held += 1,
            Call::Checkpoint => held = 0,
            _ => {}
        }
        assert!(held <= parts::MAX_HELD);
    }
}

#[test]
fn what_is_deleted_first_goes_before_the_first_byte_and_is_told() {
    let sources = Sources::new(&[("1", 100), ("2", 200)]);
    let with_old = || {
        let model = Model::default();
        model.put("job/1", b"old");
        model.put("job/2", b"old");
        model
    };
    let model = with_old();
    let mut plan = replacing(&sources, &model);
    plan.delete_first = plan.files.iter().map(|file| file.target.clone()).collect();
    let written = run(&plan, &model);
    assert_eq!(written.on_stick.complete.len(), 2);
    assert!(written.on_stick.deleted.is_empty(), "their new ones came");
    let calls = model.calls.borrow();
    let flushed = calls.iter().position(|call| *call == Call::Checkpoint);
    let removed = calls.iter().rposition(|call| *call == Call::Remove);
    let written = calls.iter().position(|call| *call == Call::MakeFolder);
    assert!(removed < flushed && flushed < written, "{calls:?}");

    let full = with_old();
    let at = calls.iter().position(|call| *call == Call::Write).unwrap() + 1;
    full.fault.set(Some(Fault {
        at,
        errno: Errno::IO,
        for_good: true,
    }));
    let stopped = write(&plan, &full, &Options::default(), &Meter::default()).unwrap_err();
    assert_eq!(stopped.on_stick.deleted, plan.delete_first);

    let changed = with_old();
    changed.put("job/1", b"another's");
    let written = run(&plan, &changed);
    assert_eq!(changed.content()[Path::new("job/1")], b"another's");
    assert_eq!(written.failed[0].error.kind(), ErrorKind::NameClash);
    assert!(written.on_stick.deleted.is_empty());
}
