//! The whole job on random trees and sticks: what is planned is what happens, whatever happens.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use proptest::prelude::*;
use rustix::io::Errno;

use super::super::{OnStick, Options, StopReason, write};
use super::pulls::{Content, chance, faults};
use crate::engine::plan::{Choice, Choices, Existing, Plan, Replaces};
use crate::engine::testing::{Fault, Model, Sources};
use crate::engine::verify::read_back;
use crate::engine::{ErrorKind, Meter};

/// A source file, its time, and what is on the stick under its name.
#[derive(Debug, Clone)]
struct Entry {
    path: String,
    size: usize,
    seconds: u64,
    old: Old,
}

#[derive(Debug, Clone, Copy)]
enum Old {
    Nothing,
    /// Of that many bytes.
    Other(usize),
    /// As long as the new one.
    Alike,
    Equal,
    /// In other letter case.
    Shouted,
}

fn entry() -> impl Strategy<Value = Entry> {
    let name = prop::sample::select(vec![
        "a",
        "A",
        "b.txt",
        "9",
        "10",
        "ä",
        "Ä",
        "long name with blanks",
        "con",
        "bad:name",
        ".x",
    ]);
    let path = prop::collection::vec(name, 1..4).prop_map(|names| names.join("/"));
    let size = prop::sample::select(vec![0, 1, 511, 512, 4_097, 70_000, 600_000]);
    let old = prop_oneof![
        3 => Just(Old::Nothing),
        1 => (0..5_000_usize).prop_map(Old::Other),
        1 => Just(Old::Alike),
        1 => Just(Old::Equal),
        1 => Just(Old::Shouted),
    ];
    (path, size, 0..8_000_000_000_u64, old).prop_map(|(path, size, seconds, old)| Entry {
        path,
        size,
        seconds,
        old,
    })
}

/// Entries that can lie in one tree.
fn tree() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(entry(), 1..12).prop_map(|entries| {
        let mut tree: Vec<Entry> = Vec::new();
        for entry in entries {
            let path = Path::new(&entry.path);
            let collides = tree.iter().any(|other| {
                let other = Path::new(&other.path);
                path.starts_with(other) || other.starts_with(path)
            });
            if !collides {
                tree.push(entry);
            }
        }
        tree
    })
}

struct Case {
    sources: Sources,
    model: Model,
    /// What was on the stick, by the names as the plan has them.
    old: Content,
}

impl Case {
    fn new(tree: &[Entry]) -> Self {
        let files: Vec<_> = tree
            .iter()
            .map(|entry| (entry.path.as_str(), entry.size))
            .collect();
        let sources = Sources::new(&files);
        std::os::unix::fs::symlink("nowhere", sources.path("link")).unwrap();
        let model = Model::default();
        model.put("mine", b"mine");
        let mut old = Content::from([("mine".into(), b"mine".to_vec())]);
        let planned = sources.plan_with(&skipping()).files;
        for entry in tree {
            let path = sources.path(&entry.path);
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(entry.seconds);
            fs::File::open(&path).unwrap().set_modified(time).unwrap();
            let Some(file) = planned.iter().find(|file| file.source == path) else {
                continue;
            };
            let bytes = fs::read(&path).unwrap();
            let (bytes, shout) = match entry.old {
                Old::Nothing => continue,
                Old::Other(size) => (vec![b'o'; size], false),
                Old::Alike => (vec![b'o'; bytes.len()], false),
                Old::Equal => (bytes, false),
                Old::Shouted => (b"old".to_vec(), true),
            };
            let target = file.target.to_str().unwrap();
            let shouted = target.to_uppercase();
            model.put_with_time(if shout { &shouted } else { target }, &bytes, Some(time));
            old.insert(file.target.clone(), bytes);
        }
        Self {
            sources,
            model,
            old,
        }
    }

    /// What is on a stick, by the names as the plan has them: those in another case are the same.
    fn by_planned_names(&self, model: &Model) -> Content {
        let small = |path: &Path| path.to_str().unwrap().to_lowercase();
        let planned = self.sources.plan_with(&skipping()).files;
        let content = model.content().into_iter();
        content
            .map(|(name, bytes)| {
                let file = planned
                    .iter()
                    .find(|file| small(&file.target) == small(&name));
                (file.map_or(name, |file| file.target.clone()), bytes)
            })
            .collect()
    }

    /// As a person would choose: what looks alike is compared, the rest replaced, or all left.
    fn plan(&self, model: &Model, replace: bool) -> Plan {
        let mut plan = self.sources.plan_with(&skipping());
        let files = std::mem::take(&mut plan.files);
        for mut file in files {
            match model.existing(&file.target) {
                Some(seen @ Existing::File { size, .. }) if replace && size == file.size => {
                    file.replaces = Replaces::IfDifferent(seen);
                }
                Some(seen) if replace => file.replaces = Replaces::Old(seen),
                Some(_) => {
                    plan.bytes -= file.size;
                    plan.skipped.push(file.source);
                    continue;
                }
                None => {}
            }
            plan.files.push(file);
        }
        plan
    }
}

fn skipping() -> Choices {
    Choices::all(Choice::Skip)
}

fn with_cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// What breaks in, at which call.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    Pull,
    Cancel,
    Error(Errno, bool),
}

fn trouble() -> impl Strategy<Value = Trouble> {
    prop_oneof![
        Just(Trouble::Pull),
        Just(Trouble::Cancel),
        Just(Trouble::Error(Errno::IO, false)),
        Just(Trouble::Error(Errno::IO, true)),
        Just(Trouble::Error(Errno::NOSPC, false)),
        Just(Trouble::Error(Errno::ROFS, true)),
    ]
}

/// Runs it into the trouble; what is on the stick then, and what was told of it.
fn run_into(plan: &Plan, model: Model, trouble: Trouble, at: usize, seed: u64) -> (Model, OnStick) {
    let (model, meter) = (Rc::new(model), Arc::new(Meter::default()));
    let (weak, cancelled) = (Rc::downgrade(&model), Arc::clone(&meter));
    match trouble {
        Trouble::Error(errno, for_good) => model.fault.set(Some(Fault {
            at,
            errno,
            for_good,
        })),
        Trouble::Pull | Trouble::Cancel => {
            *model.hook.borrow_mut() = Some(Box::new(move |index, _| match trouble {
                Trouble::Pull if index == at => weak.upgrade().unwrap().pull(),
                Trouble::Cancel if index == at => cancelled.cancel(),
                _ => {}
            }));
        }
    }
    let told = match write(plan, &*model, &Options::default(), &meter) {
        Ok(written) => written.on_stick,
        Err(stopped) => {
            if let (StopReason::Target(error), Trouble::Pull) = (&stopped.reason, trouble) {
                assert_eq!(error.kind(), ErrorKind::TargetGone);
            }
            stopped.on_stick
        }
    };
    let totals = meter.totals();
    assert!(totals.accepted + totals.given_up <= plan.bytes && totals.share <= 1.0);
    // Whatever it was, the stick is pulled in the end, and plugged in again.
    (model.after_pull(&mut chance(seed)), told)
}

proptest! {
    #![proptest_config(with_cases(40))]

    #[test]
    fn what_is_planned_is_what_arrives(tree in tree(), replace in any::<bool>()) {
        let case = Case::new(&tree);
        let plan = case.plan(&case.model, replace);
        prop_assume!(!plan.must_stop() && !plan.files.is_empty());

        // Each source is planned or left out, and none twice.
        let planned: BTreeSet<_> = plan.files.iter().map(|file| &file.source).collect();
        prop_assert_eq!(planned.len(), plan.files.len());
        for entry in &tree {
            let source = case.sources.path(&entry.path);
            let skipped = source.ancestors().any(|path| plan.skipped.iter().any(|s| s == path));
            prop_assert!(skipped != planned.contains(&source), "{:?}", source);
        }

        let meter = Meter::default();
        let written = write(&plan, &case.model, &Options::default(), &meter).unwrap();
        prop_assert!(written.failed.is_empty());
        let targets: Vec<_> = plan.files.iter().map(|file| file.target.clone()).collect();
        prop_assert_eq!(&written.on_stick.complete, &targets);
        let content = case.by_planned_names(&case.model);
        for file in &plan.files {
            prop_assert!(content[&file.target] == fs::read(&file.source).unwrap());
        }
        let names: BTreeSet<_> = case.old.keys().chain(&targets).collect();
        prop_assert_eq!(content.keys().collect::<BTreeSet<_>>(), names, "not one more or less");
        for (name, bytes) in &case.old {
            prop_assert!(targets.contains(name) || content[name] == *bytes, "{:?}", name);
        }
        for kept in &written.on_stick.kept {
            prop_assert!(case.old[kept] == content[kept]);
        }
        prop_assert_eq!(case.model.durable(), case.model.content());
        let totals = meter.totals();
        prop_assert_eq!((totals.confirmed, totals.durable), (plan.bytes, plan.bytes));
        prop_assert!(totals.share > 0.999_999);
        let checked = read_back(&written.files, &case.model, &meter).unwrap();
        prop_assert!(checked.is_verified() && meter.totals().checked == plan.bytes);
    }

    #[test]
    fn whatever_happens_names_hold_old_or_new_and_going_on_completes_it(
        tree in tree(),
        trouble in trouble(),
        at in 0..120_usize,
        seed in any::<u64>(),
    ) {
        let mut case = Case::new(&tree);
        let plan = case.plan(&case.model, true);
        prop_assume!(!plan.must_stop() && !plan.files.is_empty());
        let model = std::mem::take(&mut case.model);
        let (left, told) = run_into(&plan, model, trouble, at, seed);
        let content = case.by_planned_names(&left);
        let mut found = faults(&plan, &case.old, &content, &told);
        if matches!(trouble, Trouble::Error(_, true)) && !found.is_empty() {
            // A stick that takes nothing any more cannot be told which of two files has the name.
            found.retain(|fault| !told.partial.iter().any(|path| fault.contains(path.to_str().unwrap())));
            prop_assert!(found.is_empty(), "{:?}", found);
            return Ok(());
        }
        prop_assert!(found.is_empty(), "{:?}", found);

        let again = case.plan(&left, true);
        let written = write(&again, &left, &Options::default(), &Meter::default()).unwrap();
        prop_assert!(written.failed.is_empty() && !left.is_read_only());
        prop_assert_eq!(written.on_stick.complete.len(), plan.files.len());
        let content = case.by_planned_names(&left);
        for file in &plan.files {
            prop_assert!(content[&file.target] == fs::read(&file.source).unwrap());
        }
    }
}
