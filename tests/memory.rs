//! What a copy needs of the computer's memory. A process of its own, so that nothing else counts.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "memory/peak.rs"]
mod peak;

use std::fs::{self, File};

use peak::peak;
use steady::engine::Meter;
use steady::engine::copy::{Options, write};
use steady::engine::plan::{Choices, gather, plan};
use steady::engine::target::Folder;
use steady::engine::verify::read_back;

#[test]
fn a_large_file_is_copied_and_checked_within_60_mb() {
    let folder = tempfile::tempdir().unwrap();
    let (source, stick) = (folder.path().join("film"), folder.path().join("stick"));
    File::create(&source).unwrap().set_len(200 << 20).unwrap();
    fs::create_dir(&stick).unwrap();
    let target = Folder::open(&stick).unwrap();
    let facts = target.facts().unwrap();
    let plan = plan(&gather(&[source]), &facts, &target, &Choices::default());
    let meter = Meter::default();
    let written = write(&plan, &target, &Options::default(), &meter).unwrap();
    let checked = read_back(&written.files, &target, &meter).unwrap();
    assert_eq!((checked.files, meter.totals().checked), (1, 200 << 20));
    let peak = peak();
    println!("{} MB at most", peak / 1_000_000);
    assert!(peak < 60_000_000, "{peak} bytes");
}
