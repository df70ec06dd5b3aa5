//! What planning and copying cost the computer for each entry, file and byte: the same, however
//! many there are. Counted in instructions, by valgrind, so that no other program and no slow
//! machine changes a figure.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "costs/null.rs"]
mod null;

use std::env;
use std::fs::{self, File};
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::Command;

use null::Null;
use steady::engine::Meter;
use steady::engine::copy::{Options, write};
use steady::engine::plan::{
    Choices, FileSystem, Plan, PlannedFile, Replaces, TargetFacts, gather, plan,
};

/// What is counted in a process of its own: `plan FOLDER`, or `copy FILE COUNT`.
const JOB: &str = "STEADY_COSTS_JOB";
/// No figure may be that many times another.
const MOST: f64 = 1.5;
/// What each cost when it was last looked at, as `name TAB instructions`.
const FIGURES: &str = include_str!("costs/figures.tsv");
/// No figure may become that many times what it was.
const GROWTH: f64 = 1.2;

/// Does the job that it is started for, and nothing in an ordinary run of the tests.
#[test]
fn job() {
    let job = env::var(JOB).unwrap_or_default();
    match job.split('\t').collect::<Vec<_>>()[..] {
        ["plan", folder] => counted_plan(Path::new(folder)),
        ["copy", file, count] => counted_copy(Path::new(file), count.parse().unwrap()),
        _ => {}
    }
}

#[inline(never)]
fn counted_plan(folder: &Path) {
    let facts = TargetFacts::fresh(FileSystem::Fat32, 1 << 50, 4096);
    let gathered = gather(&[folder.to_path_buf()]);
    let planned = plan(&gathered, &facts, &|_: &Path| None, &Choices::default());
    assert!(!black_box(planned).must_stop());
}

#[inline(never)]
fn counted_copy(source: &Path, count: usize) {
    let size = source.metadata().unwrap().len();
    let file = |number: usize| PlannedFile {
        source: source.to_path_buf(),
        target: PathBuf::from(format!("job/{number}.jpg")),
        size,
        modified: None,
        replaces: Replaces::Nothing,
    };
    let plan = Plan {
        files: (0..count).map(file).collect(),
        bytes: size * count as u64,
        ..Plan::default()
    };
    let options = Options {
        without_hash: true,
        ..Options::default()
    };
    let written = write(&plan, &Null::default(), &options, &Meter::default());
    assert_eq!(written.unwrap().files.len(), count);
}

/// Instructions of all threads while `function` runs.
fn instructions(function: &str, job: &str) -> u64 {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(format!("--toggle-collect=costs::{function}"))
        .arg(env::current_exe().unwrap())
        .args(["--exact", "job"])
        .env(JOB, job)
        .output()
        .expect("valgrind should be installed");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let collected = said
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .unwrap_or_else(|| panic!("{said}"));
    collected.1.trim().parse().unwrap()
}

/// Prints what one costs, and fails where many cost more than few for each.
fn even(what: &str, of: &[u64], cost: impl Fn(u64) -> u64) {
    let each: Vec<_> = of
        .iter()
        .map(|&count| cost(count) as f64 / count as f64)
        .collect();
    println!("figure: instructions for each {what}, of {of:?}: {each:.4?}");
    let (least, most) = each
        .iter()
        .fold((f64::MAX, 0.0_f64), |(least, most), &each| {
            (least.min(each), most.max(each))
        });
    assert!(least > 0.0 && most <= MOST * least, "{what}: {each:?}");
    let known = FIGURES.lines().find_map(|line| {
        let (name, figure) = line.split_once('\t')?;
        (name == what).then(|| figure.parse::<f64>().unwrap())
    });
    let known = known.unwrap_or_else(|| panic!("{what} has no line in figures.tsv"));
    let now = each[each.len() - 1];
    assert!(
        now <= GROWTH * known,
        "a {what} costs {now:.4} instructions, and did {known}: write that into figures.tsv if it is worth it"
    );
}

#[test]
fn an_entry_costs_the_same_among_many() {
    let folder = tempfile::tempdir().unwrap();
    even("planned entry", &[100, 1_000, 100_000], |count| {
        let root = folder.path().join(count.to_string());
        for number in 0..count {
            let inner = root.join((number / 100).to_string());
            if number % 100 == 0 {
                fs::create_dir_all(&inner).unwrap();
            }
            File::create(inner.join(format!("IMG_{number}.jpg"))).unwrap();
        }
        instructions("counted_plan", &format!("plan\t{}", root.display()))
    });
}

#[test]
fn a_file_costs_the_same_among_many() {
    let source = tempfile::NamedTempFile::new().unwrap();
    source.as_file().set_len(700).unwrap();
    even("copied file", &[100, 1_000, 100_000], |count| {
        let job = format!("copy\t{}\t{count}", source.path().display());
        instructions("counted_copy", &job)
    });
}

#[test]
fn a_byte_costs_the_same_in_a_large_file() {
    even("copied byte", &[100 << 20, 1 << 30, 8 << 30], |bytes| {
        let source = tempfile::NamedTempFile::new().unwrap();
        source.as_file().set_len(bytes).unwrap();
        let job = format!("copy\t{}\t1", source.path().display());
        instructions("counted_copy", &job)
    });
}
