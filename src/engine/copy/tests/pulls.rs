//! The stick is pulled at any call; of what no flush has covered, anything may be lost.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::super::{OnStick, Options, parts, write};
use super::replacing::replacing;
use crate::engine::Meter;
use crate::engine::plan::{Plan, Replaces};
use crate::engine::testing::{Model, Sources};

pub(super) type Content = BTreeMap<PathBuf, Vec<u8>>;

/// Different ways to lose what was not flushed.
const LOSSES: u64 = 12;

/// Numbers that look like chance and are the same in each run.
pub(super) fn chance(mut seed: u64) -> impl FnMut(usize) -> usize {
    seed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    move |below| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed >> 20) as usize % below
    }
}

/// Runs the plan and pulls the stick at that call; `None` when it came to its end before.
fn pull(plan: &Plan, model: Model, at: usize) -> Option<(Rc<Model>, OnStick)> {
    let model = Rc::new(model);
    let pulled = Rc::downgrade(&model);
    let at = model.calls.borrow().len() + at;
    *model.hook.borrow_mut() = Some(Box::new(move |index, _| {
        if index == at {
            pulled.upgrade().unwrap().pull();
        }
    }));
    let on_stick = match write(plan, &*model, &Options::default(), &Meter::default()) {
        Ok(_) => return None,
        Err(stopped) => stopped.on_stick,
    };
    Some((model, on_stick))
}

/// What does not hold of a pulled stick.
pub(super) fn faults(plan: &Plan, old: &Content, content: &Content, told: &OnStick) -> Vec<String> {
    let mut faults = Vec::new();
    for file in &plan.files {
        let new = fs::read(&file.source).unwrap();
        let old = old.get(&file.target);
        let may_lack = old.is_none() || plan.delete_first.contains(&file.target);
        let fits = match content.get(&file.target) {
            // An empty one: the kernel was just making the name.
            Some(bytes) => *bytes == new || Some(bytes) == old || may_lack && bytes.is_empty(),
            None => may_lack,
        };
        let told_complete = told.complete.contains(&file.target);
        if !fits || told_complete && content.get(&file.target) != Some(&new) {
            let now = content.get(&file.target).map(Vec::len);
            faults.push(format!("{}: {now:?} bytes", file.target.display()));
        }
    }
    for (name, bytes) in old {
        let planned = plan.files.iter().any(|file| file.target == *name);
        if !planned && !name.starts_with(parts::FOLDER) && content.get(name) != Some(bytes) {
            faults.push(format!("{} is not the job's", name.display()));
        }
    }
    faults
}

/// Three files to replace, two new ones, one that is not the job's.
fn stick() -> (Sources, Model) {
    let sources = Sources::new(&[
        ("1", 100),
        ("2", 7_000),
        ("3", 0),
        ("d/4", 5_000),
        ("d/5", 60_000),
    ]);
    let model = Model::default();
    for name in ["job/1", "job/3", "job/d/5", "mine"] {
        model.put(name, name.repeat(3).as_bytes());
    }
    (sources, model)
}

#[test]
fn k07_a_pull_at_any_time_leaves_old_or_new_and_going_on_completes_it() {
    for delete_first in [false, true] {
        let mut at = 0;
        loop {
            let (sources, model) = stick();
            let mut plan = replacing(&sources, &model);
            if delete_first {
                let replaced = plan
                    .files
                    .iter()
                    .filter(|f| f.replaces != Replaces::Nothing);
                plan.delete_first = replaced.map(|file| file.target.clone()).collect();
            }
            let old = model.content();
            let Some((model, told)) = pull(&plan, model, at) else {
                break;
            };
            for seed in 0..LOSSES {
                let left = model.after_pull(&mut chance(seed + 1_000 * at as u64));
                let found = faults(&plan, &old, &left.content(), &told);
                assert!(found.is_empty(), "pulled at {at}, {seed}: {found:?}");

                // Plugged in again: the same job, and what is there gives way.
                let again = replacing(&sources, &left);
                let written = write(&again, &left, &Options::default(), &Meter::default()).unwrap();
                assert_eq!(written.on_stick.complete.len(), plan.files.len());
                assert!(!left.is_read_only(), "pulled at {at}, {seed}");
                let content = left.content();
                for file in &plan.files {
                    let arrived = content[&file.target] == sources.read(&file.target);
                    assert!(arrived, "{} after {at}, {seed}", file.target.display());
                }
                assert_eq!(content[Path::new("mine")], b"mineminemine");
            }
            at += 1;
        }
        assert!(at > 30);
    }
}

#[test]
fn an_old_file_that_is_not_held_can_be_lost_with_the_new_one() {
    let mut lost = 0;
    for at in 0.. {
        let (sources, model) = stick();
        model.pins_hold.set(false);
        let plan = replacing(&sources, &model);
        let old = model.content();
        let Some((model, told)) = pull(&plan, model, at) else {
            break;
        };
        for seed in 0..LOSSES {
            let left = model.after_pull(&mut chance(seed));
            lost += faults(&plan, &old, &left.content(), &told).len();
        }
    }
    assert!(lost > 0, "this is what holding is for");
}

#[test]
fn two_pulls_in_one_job_harm_nobody() {
    let (sources, model) = stick();
    let plan = replacing(&sources, &model);
    let old = model.content();
    let mut ends = 0;
    for first in (10..60).step_by(3) {
        let Some((model, _)) = pull(&plan, stick().1, first) else {
            break;
        };
        for second in (3..60).step_by(4) {
            let mut chance = chance(first as u64 * 100 + second as u64);
            let left = model.after_pull(&mut chance);
            let again = replacing(&sources, &left);
            let between = left.content();
            let Some((model, told)) = pull(&again, left, second) else {
                ends += 1;
                continue;
            };
            let left = model.after_pull(&mut chance);
            let mut allowed = faults(&again, &between, &left.content(), &told);
            // A first pull may have left the old one, and the second the new one.
            allowed.retain(|fault| fault.starts_with("mine"));
            assert!(allowed.is_empty(), "{first}, {second}: {allowed:?}");
            assert_eq!(
                left.content().get(Path::new("mine")),
                old.get(Path::new("mine"))
            );
        }
    }
    assert!(ends > 0, "some came to their end");
}

/// Faults after another job has found what a pull has left.
fn harmed_by_the_next_job(sound: bool) -> usize {
    let mut harmed = 0;
    let other = Sources::new(&[("other", 10)]);
    for at in 0.. {
        let (sources, model) = stick();
        let plan = replacing(&sources, &model);
        let old = model.content();
        let Some((model, told)) = pull(&plan, model, at) else {
            break;
        };
        for seed in 0..LOSSES {
            let left = model.after_pull(&mut chance(seed));
            let options = Options {
                sound,
                ..Options::default()
            };
            let _ = write(&other.plan(), &left, &options, &Meter::default());
            harmed += faults(&plan, &old, &left.content(), &told).len();
        }
    }
    harmed
}

#[test]
fn a_left_over_that_may_share_clusters_with_a_file_is_let_be() {
    assert_eq!(harmed_by_the_next_job(false), 0);
    assert!(harmed_by_the_next_job(true) > 0, "this is why");
}
