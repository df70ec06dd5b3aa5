//! The writer against a model that asserts how it is used.

mod going_on;
mod pulls;
mod replacing;
mod sources;
mod strategies;
mod whole_job;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;

use super::{Options, StopReason, Stopped, Written, parts, write};
use crate::engine::plan::Plan;
use crate::engine::testing::{Call, Fault, Model, Pace, Sources};
use crate::engine::{ErrorKind, Meter};

const ODD_SIZES: [usize; 13] = [
    0,
    1,
    511,
    512,
    513,
    4095,
    4096,
    4097,
    524_287,
    524_289,
    (1 << 20) - 1,
    1 << 20,
    (1 << 20) + 1,
];

fn run(plan: &Plan, model: &Model, meter: &Meter) -> Result<Written, Box<Stopped>> {
    write(plan, model, &Options::default(), meter)
}

/// For tests that run it hundreds of times.
const FEW_SIZES: [usize; 6] = [0, 1, 513, 4097, 524_289, (1 << 20) + 1];

fn sources(sizes: &[usize]) -> Sources {
    let names: Vec<String> = sizes
        .iter()
        .map(|size| format!("d{}/{size}", size % 3))
        .collect();
    let files: Vec<_> = names
        .iter()
        .map(String::as_str)
        .zip(sizes.iter().copied())
        .collect();
    Sources::new(&files)
}

/// Each planned file is in exactly one list, and what is claimed of it is so.
fn assert_true(plan: &Plan, on_stick: &super::OnStick, model: &Model, sources: &Sources) {
    let lists = [
        &on_stick.complete,
        &on_stick.missing,
        &on_stick.removed,
        &on_stick.partial,
    ];
    let told: Vec<&PathBuf> = lists.into_iter().flatten().collect();
    let planned: BTreeSet<&PathBuf> = plan.files.iter().map(|file| &file.target).collect();
    assert_eq!(told.len(), planned.len());
    assert_eq!(told.into_iter().collect::<BTreeSet<_>>(), planned);

    let content = model.content();
    for path in &on_stick.complete {
        assert!(content[path] == sources.read(path), "{path:?}");
        assert!(
            model.durable()[path] == content[path],
            "{path:?} is durable"
        );
    }
    for path in on_stick.missing.iter().chain(&on_stick.removed) {
        let index = plan
            .files
            .iter()
            .position(|file| file.target == *path)
            .unwrap();
        assert!(
            !content.contains_key(path),
            "{path:?} is told not to be there"
        );
        assert!(
            !content.contains_key(&parts::part(index)),
            "half of {path:?} is left"
        );
    }
}

#[test]
fn odd_sizes_arrive_exactly() {
    let sources = sources(&ODD_SIZES);
    let (plan, model, meter) = (sources.plan(), Model::default(), Meter::default());
    let written = run(&plan, &model, &meter).unwrap();

    assert!(written.failed.is_empty());
    assert_eq!(written.files.len(), ODD_SIZES.len());
    assert_eq!(model.content(), model.durable());
    assert_eq!(
        model.content().len(),
        ODD_SIZES.len(),
        "no temporary name is left"
    );
    assert_true(&plan, &written.on_stick, &model, &sources);
    for file in &written.files {
        let bytes = sources.read(&file.target);
        assert_eq!(
            (file.size, file.hash),
            (bytes.len() as u64, Some(blake3::hash(&bytes)))
        );
    }
    let totals = meter.totals();
    let all = (plan.bytes, plan.bytes, plan.bytes, plan.files.len() as u64);
    assert_eq!(
        (
            totals.accepted,
            totals.confirmed,
            totals.durable,
            totals.items_done
        ),
        all
    );
    assert_eq!(model.peak_unconfirmed(), meter.peak_unconfirmed());
    assert!(!model.folders().contains(Path::new(parts::FOLDER)));
    assert_eq!(model.open_files(), 0);
}

#[test]
fn names_come_in_natural_order_folders_first() {
    let sources = Sources::new(&[
        ("10.mp3", 5),
        ("9.mp3", 5),
        ("b/1", 5),
        ("1.mp3", 5),
        ("a/x", 5),
    ]);
    let plan = sources.plan();
    let model = Model::default();
    run(&plan, &model, &Meter::default()).unwrap();
    let names: Vec<_> = model.order().into_iter().collect();
    let wanted = ["1.mp3", "9.mp3", "10.mp3", "a/x", "b/1"].map(|name| Path::new("job").join(name));
    assert_eq!(names, wanted);
    let calls = model.calls.borrow();
    let last_folder = calls
        .iter()
        .rposition(|call| *call == Call::MakeFolder)
        .unwrap();
    let first_file = calls.iter().position(|call| *call == Call::Create).unwrap();
    assert!(last_folder < first_file);
}

#[test]
fn the_next_window_is_on_its_way_before_one_is_awaited() {
    let sources = Sources::new(&[("film", 40 << 20)]);
    let (model, meter) = (Model::default(), Meter::default());
    run(&sources.plan(), &model, &meter).unwrap();
    let calls = model.calls.borrow();
    let (mut ahead, mut dry) = (0, 0);
    for call in calls.iter() {
        match call {
            Call::StartWriteOut => ahead += 1,
            Call::WaitWriteOut => {
                dry += usize::from(ahead == 1);
                ahead -= 1;
            }
            _ => {}
        }
    }
    assert!(dry <= 2, "the stick ran dry {dry} times");
    let bound = (2.1 * 17.1e6) as u64;
    assert!(meter.peak_unconfirmed() <= bound.min(32 << 20));
}

#[test]
fn the_bound_is_two_seconds_of_the_rate() {
    let sources = Sources::new(&[("film", 24 << 20)]);
    let pace = Pace {
        rate: 2e6,
        slow: 2e6,
        backlog: u64::MAX,
        flush: Duration::from_millis(50),
    };
    let (model, meter) = (Model::with_pace(pace), Meter::default());
    // The model asserts the bound at each write.
    run(&sources.plan(), &model, &meter).unwrap();
    assert!(
        meter.peak_unconfirmed() >= 3 << 20,
        "{}",
        meter.peak_unconfirmed()
    );
}

#[test]
fn nothing_is_told_durable_that_no_flush_has_covered() {
    let sources = Sources::new(&[("a", 60 << 20), ("b", 3), ("c", 30 << 20)]);
    let pace = Pace {
        rate: 2e6,
        slow: 2e6,
        backlog: u64::MAX,
        flush: Duration::from_millis(20),
    };
    let model = Rc::new(Model::with_pace(pace));
    let meter = Arc::new(Meter::default());
    let told = Rc::new(std::cell::Cell::new(0));
    let (watched, seen, counted) = (Rc::downgrade(&model), Arc::clone(&meter), Rc::clone(&told));
    *model.hook.borrow_mut() = Some(Box::new(move |_, _| {
        let totals = seen.totals();
        let model = watched.upgrade().unwrap();
        assert!(totals.durable <= model.flushed());
        assert!(totals.durable <= totals.confirmed && totals.confirmed <= totals.accepted);
        counted.set(counted.get().max(totals.durable));
    }));
    let plan = sources.plan();
    run(&plan, &model, &meter).unwrap();
    assert!(
        told.get() > 0 && told.get() <= plan.bytes,
        "durable grows on the way"
    );
    let checkpoints = model
        .calls
        .borrow()
        .iter()
        .filter(|c| **c == Call::Checkpoint)
        .count();
    assert!(checkpoints > 3);
    // 20 ms each, against 3 % of 45 s.
    assert!(
        (checkpoints as f64) * 0.02 < 0.03 * 47.0,
        "{checkpoints} checkpoints"
    );
}

#[test]
fn an_error_at_every_call_is_never_a_success() {
    let sources = sources(&FEW_SIZES);
    let plan = sources.plan();
    let clean = Model::default();
    run(&plan, &clean, &Meter::default()).unwrap();
    let calls = clean.calls.borrow().clone();
    for at in 0..calls.len() {
        for (errno, for_good) in [
            (Errno::IO, false),
            (Errno::IO, true),
            (Errno::NOSPC, false),
            (Errno::NODEV, true),
        ] {
            let model = Model::default();
            model.fault.set(Some(Fault {
                at,
                errno,
                for_good,
            }));
            let meter = Meter::default();
            let result = run(&plan, &model, &meter);
            // Windows end earlier where the machine was too busy to read the source.
            let Some(&call) = model.calls.borrow().get(at) else {
                continue;
            };
            // Only the empty folder for temporary names may stay behind on a success.
            if call == Call::RemoveFolder && !for_good {
                let written = result.unwrap();
                assert_eq!(written.on_stick.complete.len(), plan.files.len());
                continue;
            }
            let stopped = result.expect_err("an error was injected");
            let StopReason::Target(error) = &stopped.reason else {
                panic!("{:?} at {at} {call:?}", stopped.reason);
            };
            let kind = match errno {
                Errno::NOSPC => ErrorKind::NotEnoughSpace,
                Errno::NODEV => ErrorKind::TargetGone,
                _ => ErrorKind::IoError,
            };
            assert_eq!(error.kind(), kind);
            assert_true(&plan, &stopped.on_stick, &model, &sources);
            assert_eq!(stopped.files.len(), stopped.on_stick.complete.len());
            assert_eq!(meter.totals().items_done, stopped.files.len() as u64);
            if !for_good {
                let left = model.content();
                let parts = left
                    .keys()
                    .filter(|name| name.starts_with(parts::FOLDER))
                    .count();
                assert_eq!(parts, 0, "{errno:?} at {at} {call:?} leaves a half file");
            }
        }
    }
}

#[test]
fn k07_a_full_stick_keeps_whole_files_and_no_half_one() {
    let sources = Sources::new(&[("1", 300_000), ("2", 300_000), ("3", 3 << 20)]);
    let plan = sources.plan();
    let clean = Model::default();
    run(&plan, &clean, &Meter::default()).unwrap();
    let at = clean
        .calls
        .borrow()
        .iter()
        .rposition(|call| *call == Call::Write)
        .unwrap();
    let model = Model::default();
    model.fault.set(Some(Fault {
        at,
        errno: Errno::NOSPC,
        for_good: false,
    }));
    let stopped = run(&plan, &model, &Meter::default()).unwrap_err();
    let names = |names: &[&str]| {
        names
            .iter()
            .map(|n| Path::new("job").join(n))
            .collect::<Vec<_>>()
    };
    assert_eq!(stopped.on_stick.complete, names(&["1", "2"]));
    assert_eq!(stopped.on_stick.removed, names(&["3"]));
    assert_true(&plan, &stopped.on_stick, &model, &sources);
}

#[test]
fn k07_cancel_at_every_call_leaves_whole_files_only() {
    let sources = sources(&FEW_SIZES);
    let plan = sources.plan();
    let clean = Model::default();
    run(&plan, &clean, &Meter::default()).unwrap();
    for at in 0..clean.calls.borrow().len() {
        let (model, meter) = (Model::default(), Arc::new(Meter::default()));
        let cancelled = Arc::clone(&meter);
        *model.hook.borrow_mut() = Some(Box::new(move |index, _| {
            if index == at {
                cancelled.cancel();
            }
        }));
        let on_stick = match run(&plan, &model, &meter) {
            Ok(written) => written.on_stick,
            Err(stopped) => {
                assert!(matches!(stopped.reason, StopReason::Cancelled));
                stopped.on_stick
            }
        };
        assert_true(&plan, &on_stick, &model, &sources);
        assert!(on_stick.partial.is_empty() && on_stick.removed.len() <= 1);
        assert_eq!(model.content().len(), on_stick.complete.len());
        assert!(!model.folders().contains(Path::new(parts::FOLDER)));
        assert_eq!(model.content(), model.durable(), "removing is durable too");
        assert_eq!(model.open_files(), 0);
    }
}

#[test]
fn p02_after_a_cancel_nothing_is_written_and_the_next_job_counts_its_own_bytes() {
    let sources = Sources::new(&[("1", 1 << 20), ("2", 40 << 20)]);
    let (plan, model) = (sources.plan(), Model::default());
    let meter = Arc::new(Meter::default());
    let (cancelled, mut writes) = (Arc::clone(&meter), 0);
    *model.hook.borrow_mut() = Some(Box::new(move |_, call| {
        writes += usize::from(call == Call::Write);
        assert!(call != Call::Write || !cancelled.is_cancelled());
        if writes == 20 {
            cancelled.cancel();
        }
    }));
    let stopped = run(&plan, &model, &meter).unwrap_err();
    assert_eq!(stopped.on_stick.complete, [Path::new("job/1")]);
    assert_eq!(stopped.on_stick.removed, [Path::new("job/2")]);
    assert_eq!(meter.unconfirmed(), 0, "nothing is left with the kernel");

    let mut plan = plan;
    plan.files.remove(0);
    plan.bytes = 40 << 20;
    let second = Arc::new(Meter::default());
    let (seen, mut last) = (Arc::clone(&second), 0.0);
    *model.hook.borrow_mut() = Some(Box::new(move |_, _| {
        let totals = seen.totals();
        assert!(totals.accepted <= 40 << 20 && totals.share >= last && totals.share <= 1.0);
        last = totals.share;
    }));
    run(&plan, &model, &second).unwrap();
    assert_eq!(second.totals().confirmed, 40 << 20);
}

#[test]
fn p02_a_job_of_empty_files_moves() {
    let names: Vec<String> = (0..2_000).map(|number| format!("{number}")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), 0)).collect();
    let sources = Sources::new(&files);
    let (model, meter) = (Model::default(), Arc::new(Meter::default()));
    let (seen, mut shares) = (Arc::clone(&meter), vec![]);
    let told = Rc::new(std::cell::RefCell::new(vec![]));
    let telling = Rc::clone(&told);
    *model.hook.borrow_mut() = Some(Box::new(move |_, _| {
        shares.push(seen.totals().share);
        shares.dedup();
        telling.borrow_mut().clone_from(&shares);
    }));
    run(&sources.plan(), &model, &meter).unwrap();
    let shares = told.borrow();
    assert!(shares.is_sorted() && shares.len() >= 3, "{shares:?}");
    assert!(meter.totals().share > 0.999_999);
}

#[test]
fn a_pulled_stick_is_told_gone_and_nothing_is_claimed() {
    let sources = Sources::new(&[("1", 100), ("2", 8 << 20)]);
    let plan = sources.plan();
    let model = Rc::new(Model::default());
    let pulled = Rc::downgrade(&model);
    *model.hook.borrow_mut() = Some(Box::new(move |index, _| {
        if index == 20 {
            pulled.upgrade().unwrap().pull();
        }
    }));
    let stopped = run(&plan, &model, &Meter::default()).unwrap_err();
    let StopReason::Target(error) = stopped.reason else {
        panic!("it was pulled")
    };
    assert_eq!(error.kind(), ErrorKind::TargetGone);
    assert!(stopped.on_stick.complete.is_empty() && stopped.on_stick.removed.is_empty());
}

#[test]
fn a_name_that_appeared_meanwhile_is_not_overwritten() {
    let sources = Sources::new(&[("1", 100), ("2", 200)]);
    let plan = sources.plan();
    let model = Model::default();
    model.put("job/1", b"another's");
    let written = run(&plan, &model, &Meter::default()).unwrap();
    assert_eq!(model.content()[Path::new("job/1")], b"another's");
    assert_eq!(written.on_stick.complete, [Path::new("job/2")]);
    assert_eq!(written.failed[0].error.kind(), ErrorKind::NameClash);
    assert_eq!(model.content().len(), 2);
}

#[test]
fn many_small_files_share_windows_and_flushes() {
    let names: Vec<String> = (0..2500).map(|number| format!("{number}.jpg")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), 700)).collect();
    let sources = Sources::new(&files);
    let (plan, model, meter) = (sources.plan(), Model::default(), Meter::default());
    let written = run(&plan, &model, &meter).unwrap();
    assert_eq!(written.files.len(), 2500);
    let calls = model.calls.borrow();
    let count = |call| calls.iter().filter(|c| **c == call).count();
    assert!(
        count(Call::Checkpoint) <= 2 * 3,
        "{} checkpoints",
        count(Call::Checkpoint)
    );
    assert!(
        count(Call::Close) <= 2500 / 32 + 5,
        "{} closes",
        count(Call::Close)
    );
}
