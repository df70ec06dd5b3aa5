//! What a large plan needs of the computer's memory. A process of its own, so that nothing else
//! counts.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "memory/peak.rs"]
mod peak;

use std::fs::{self, File};
use std::path::Path;

use peak::peak;
use steady::engine::plan::{Choices, FileSystem, TargetFacts, gather, plan};

#[test]
fn two_hundred_thousand_entries_are_planned_within_250_mb() {
    const FILES: usize = 200_000;
    let folder = tempfile::tempdir().unwrap();
    for number in 0..FILES {
        let inner = folder.path().join(format!("{:04}", number / 500));
        if number % 500 == 0 {
            fs::create_dir(&inner).unwrap();
        }
        File::create(inner.join(format!("Holiday picture {number}.jpg"))).unwrap();
    }
    let facts = TargetFacts::fresh(FileSystem::Fat32, 1 << 40, 32 << 10);
    let gathered = gather(&[folder.path().to_path_buf()]);
    let plan = plan(&gathered, &facts, &|_: &Path| None, &Choices::default());
    assert_eq!(plan.files.len(), FILES);
    let peak = peak();
    println!("figure: {} MB at most for {FILES} files", peak / 1_000_000);
    assert!(peak < 250_000_000, "{peak} bytes");
}
