//! What copying costs the computer, against `cp` and a BLAKE3 sum of the same file: processor time,
//! which a busy machine hardly changes. A process of its own, so that nothing else counts.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "cpu/least.rs"]
mod least;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::Command;

use least::least;
use steady::engine::Meter;
use steady::engine::copy::{Options, write};
use steady::engine::plan::{Choices, gather, plan};
use steady::engine::target::Folder;

const SIZE: usize = 200 << 20;
/// Steady's share of what `cp` and the sum take together.
const MOST: f64 = 1.1;

fn steady(source: &Path, folder: &Path) {
    let target = Folder::open(folder).unwrap();
    let facts = target.facts().unwrap();
    let plan = plan(
        &gather(&[source.to_path_buf()]),
        &facts,
        &target,
        &Choices::default(),
    );
    let written = write(&plan, &target, &Options::default(), &Meter::default()).unwrap();
    assert!(written.files[0].hash.is_some());
}

fn cp(source: &Path, folder: &Path) {
    let status = Command::new("cp").arg(source).arg(folder).status().unwrap();
    assert!(status.success());
}

fn sum(source: &Path) {
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(source).unwrap()).unwrap();
    hasher.finalize();
}

#[test]
fn a_film_costs_no_more_than_cp_and_a_sum() {
    // In memory, as a file that was just downloaded, and on another file system than the target,
    // as it is with a stick.
    let source = tempfile::tempdir_in("/dev/shm").unwrap();
    let target = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let film = source.path().join("film.mkv");
    let mut bytes = vec![0; 1 << 20];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    let mut made = File::create(&film).unwrap();
    for _ in 0..SIZE >> 20 {
        made.write_all(&bytes).unwrap();
    }
    let copied = target.path().join("film.mkv");

    let [theirs, summed, ours] = least([
        (libc::RUSAGE_CHILDREN, &mut || {
            cp(&film, target.path());
            fs::remove_file(&copied).unwrap();
        }),
        (libc::RUSAGE_SELF, &mut || sum(&film)),
        (libc::RUSAGE_SELF, &mut || {
            steady(&film, target.path());
            fs::remove_file(&copied).unwrap();
        }),
    ]);
    let share = ours / (theirs + summed);
    println!(
        "figure: {} MiB natively: {ours:.2} s of processor time, {share:.2} x cp ({theirs:.2} s) and a sum ({summed:.2} s)",
        SIZE >> 20
    );
    assert!(share <= MOST, "{share:.2}");
}
