//! What copying costs beside the source and the stick: as much for each byte and each file,
//! however many there are.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use super::super::{Options, write};
use crate::engine::Meter;
use crate::engine::plan::{Plan, PlannedFile, Replaces};
use crate::engine::testing::Null;

/// CPU time of the thread that writes.
fn cpu_time() -> Duration {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: it fills in the structure that it is given.
    let result = unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    assert_eq!(result, 0);
    Duration::new(time.tv_sec.cast_unsigned(), time.tv_nsec as u32)
}

/// What so many files cost, all read from one sparse file of that size.
fn cost(files: usize, size: u64) -> Duration {
    let source = tempfile::NamedTempFile::new().unwrap();
    File::set_len(source.as_file(), size).unwrap();
    let planned = |number: usize| PlannedFile {
        source: source.path().to_path_buf(),
        target: PathBuf::from(format!("job/{number}.jpg")),
        size,
        modified: None,
        replaces: Replaces::Nothing,
    };
    let plan = Plan {
        files: (0..files).map(planned).collect(),
        bytes: size * files as u64,
        ..Plan::default()
    };
    let options = Options {
        without_hash: true,
        ..Options::default()
    };
    let meter = Meter::default();
    let begin = cpu_time();
    let written = write(&plan, &Null::default(), &options, &meter).unwrap();
    let cost = cpu_time().saturating_sub(begin);
    assert_eq!(written.files.len(), files);
    assert_eq!(meter.confirmed(), plan.bytes);
    cost
}

#[test]
fn a_file_among_many_costs_what_it_costs_among_few() {
    let (few, many) = (cost(300, 700), cost(15_000, 700));
    let ratio = many.as_secs_f64() / few.as_secs_f64() / 50.0;
    println!("15,000 files against 300: {ratio:.2} for each");
    assert!(ratio < 3.0, "{many:?} against {few:?}");
}

#[test]
fn a_byte_of_a_large_file_costs_what_it_costs_in_a_small_one() {
    let (small, large) = (cost(1, 32 << 20), cost(1, 512 << 20));
    let ratio = large.as_secs_f64() / small.as_secs_f64() / 16.0;
    println!("512 MiB against 32: {ratio:.2} for each byte");
    assert!(ratio < 3.0, "{large:?} against {small:?}");
}
