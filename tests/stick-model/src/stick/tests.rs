use std::{os::unix::fs::FileExt, sync::Arc, thread};

use super::*;

const M: usize = 1 << 20;

/// A stick of 4 MiB and the file that is its medium. The speed is the test's affair.
fn stick(spec: &str) -> (Arc<Stick>, File) {
    let medium = tempfile::tempfile().unwrap();
    medium.set_len(4 * M as u64).unwrap();
    let profile = Profile::parse(spec).unwrap();
    let stick = Stick::plug_in(medium.try_clone().unwrap(), &profile).unwrap();
    (Arc::new(stick), medium)
}

fn held(medium: &File, offset: usize, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    medium.read_exact_at(&mut bytes, offset as u64).unwrap();
    bytes
}

#[test]
fn a_stick_gives_back_what_it_took_and_counts_it() {
    let (stick, medium) = stick("even:wbps=1e9,rbps=1e9");
    stick.write(&[5; M], 0, false).unwrap();
    stick.write(&[6; 512], 2 * M as u64, false).unwrap();
    let mut back = vec![0; M];
    stick.read(&mut back, 0).unwrap();
    stick.flush().unwrap();
    assert_eq!(back, [5; M]);
    assert_eq!(held(&medium, 0, M), back);

    let stats = stick.stats();
    let written = M as u64 + 512;
    assert_eq!(stats.written, [(0, M as u64), (2 * M as u64, 512)]);
    assert_eq!(stats.file_data, [(0, M as u64)]);
    assert_eq!(stats.ranges_left_out, 0);
    assert_eq!(
        stats.curve.iter().map(|second| second.1).sum::<u64>(),
        written
    );
    assert_eq!(
        stats.curve.iter().map(|second| second.2).sum::<u64>(),
        M as u64
    );
    assert_eq!(
        stats.counters,
        Counters {
            profile: "even:wbps=1e9,rbps=1e9".to_owned(),
            size: 4 * M as u64,
            up_ms: stats.counters.up_ms,
            powered: true,
            bytes_written: written,
            bytes_read: M as u64,
            write_requests: 2,
            read_requests: 1,
            write_commands: 2,
            read_commands: 1,
            flushes: 1,
            data_bytes_written: M as u64,
            data_bytes_held: M as u64,
            on_medium_bytes: written,
            ..Counters::default()
        }
    );
}

#[test]
fn what_was_not_flushed_is_counted_as_such_and_lost_with_the_power() {
    let (stick, medium) = stick("volatile:wbps=1e9,keep=0");
    stick.write(&[1; 8192], 0, false).unwrap();
    stick.flush().unwrap();
    stick.write(&[2; 4096], 4096, false).unwrap();
    stick.write(&[3; 4096], 65_536, false).unwrap();
    stick.write(&[4; 512], 131_072, true).unwrap();
    let counters = stick.counters();
    assert_eq!(
        (counters.on_medium_bytes, counters.in_cache_bytes),
        (4608, 8192)
    );
    assert_eq!(counters.fua_writes, 1);

    stick.power_off().unwrap();
    let counters = stick.counters();
    assert_eq!(
        (counters.on_medium_bytes, counters.in_cache_bytes),
        (4608, 0)
    );
    assert!(!counters.powered);
    assert_eq!(held(&medium, 0, 8192), [1; 8192]);
    assert_eq!(held(&medium, 65_536, 4096), [0; 4096]);
    assert_eq!(held(&medium, 131_072, 512), [4; 512]);
}

#[test]
fn what_survives_is_counted_as_it_is_on_the_medium() {
    let (stick, medium) = stick("volatile:wbps=1e9");
    stick.write(&[9; M], 0, false).unwrap();
    stick.power_off().unwrap();
    let survived = held(&medium, 0, M)
        .iter()
        .filter(|byte| **byte == 9)
        .count();
    assert_eq!(stick.counters().on_medium_bytes, survived as u64);
    assert!(0 < survived && survived < M);
}

#[test]
fn without_power_nothing_works_and_nothing_changes() {
    let (stick, medium) = stick("volatile:wbps=1e9,keep=0");
    stick.write(&[1; 4096], 0, false).unwrap();
    stick.power_off().unwrap();
    let before = stick.counters();
    assert!(matches!(stick.flush(), Err(StickError::Unpowered)));
    assert!(matches!(
        stick.write(&[2; 512], 0, true),
        Err(StickError::Unpowered)
    ));
    assert!(matches!(
        stick.read(&mut [0; 512], 0),
        Err(StickError::Unpowered)
    ));
    stick.power_off().unwrap();
    assert_eq!(
        Counters {
            up_ms: 0,
            ..stick.counters()
        },
        Counters { up_ms: 0, ..before }
    );
    assert_eq!(held(&medium, 0, M), [0; M]);
}

#[test]
fn a_stick_dies_at_its_byte_and_stays_dead() {
    let (stick, medium) = stick("dies:at=100000,wbps=1e9");
    stick.write(&[1; 65_536], 0, false).unwrap();
    assert!(matches!(
        stick.write(&[2; 65_536], 65_536, false),
        Err(StickError::Dead)
    ));
    assert!(matches!(
        stick.write(&[3; 512], 0, false),
        Err(StickError::Dead)
    ));
    assert!(matches!(
        stick.read(&mut [0; 512], 0),
        Err(StickError::Dead)
    ));
    assert!(matches!(stick.flush(), Err(StickError::Dead)));

    // 100,000 less the first write is 67 sectors and a bit.
    let arrived = 65_536 + 67 * 512;
    assert_eq!(held(&medium, 0, 65_536), [1; 65_536]);
    assert_eq!(held(&medium, 65_536, 67 * 512), [2; 67 * 512]);
    assert_eq!(held(&medium, arrived, 512), [0; 512]);
    let counters = stick.counters();
    assert!(counters.died && counters.powered);
    assert_eq!(counters.bytes_written, arrived as u64);
}

#[test]
fn a_request_beyond_the_end_fails_and_harms_nothing() {
    let (stick, _medium) = stick("even:wbps=1e9");
    for offset in [4 * M as u64 - 511, 4 * M as u64, u64::MAX] {
        assert!(matches!(
            stick.write(&[1; 512], offset, false),
            Err(StickError::OutOfRange)
        ));
    }
    stick.write(&[1; 512], 4 * M as u64 - 512, false).unwrap();
    assert_eq!(stick.counters().write_requests, 1);
}

#[test]
fn figures_and_power_off_do_not_wait_for_a_request_that_takes_long() {
    // A write that would take more than a day.
    let (stick, medium) = stick("even:wbps=1");
    let writer = Arc::clone(&stick);
    let writer = thread::spawn(move || writer.write(&[1; 131_072], 0, false));
    while stick.counters().write_requests == 0 {
        thread::yield_now();
    }
    assert_eq!(stick.counters().bytes_written, 0);
    stick.power_off().unwrap();
    assert!(matches!(writer.join().unwrap(), Err(StickError::Unpowered)));
    assert_eq!(held(&medium, 0, 131_072), [0; 131_072]);
}

#[test]
fn a_stick_is_never_quicker_than_its_figures() {
    let (stick, _medium) = stick("even:wbps=10e6");
    let start = Instant::now();
    for piece in 0..8 {
        stick.write(&[1; 131_072], piece * 131_072, false).unwrap();
    }
    assert!(start.elapsed() >= Duration::from_millis(104));
}

#[test]
fn a_fake_stick_counts_only_what_it_still_has() {
    let (stick, medium) = stick("fake:claims=10M,has=4M,wbps=1e9,rbps=1e9");
    assert_eq!(stick.size(), 10 * M as u64);
    stick.write(&vec![1; 3 * M], 0, false).unwrap();
    assert_eq!(stick.counters().on_medium_bytes, 3 * M as u64);
    // Round the end twice: 3 to 4 MiB, all of it, and up to 1 MiB.
    stick.write(&vec![2; 6 * M], 3 * M as u64, false).unwrap();
    let counters = stick.counters();
    assert_eq!(counters.bytes_written, 9 * M as u64);
    assert_eq!(counters.on_medium_bytes, 4 * M as u64);
    assert_eq!(held(&medium, 0, 4 * M), vec![2; 4 * M]);
    let mut seen = vec![0; 9 * M];
    stick.read(&mut seen, 0).unwrap();
    assert_eq!(seen, vec![2; 9 * M]);
}

#[test]
fn a_fake_stick_that_drops_counts_nothing_beyond_its_end() {
    let (stick, _medium) = stick("fake:claims=8M,has=4M,how=drop,cache=1,wbps=1e9,rbps=1e9");
    stick.write(&vec![1; 2 * M], 3 * M as u64, false).unwrap();
    let counters = stick.counters();
    assert_eq!(counters.bytes_written, 2 * M as u64);
    assert_eq!(
        (counters.on_medium_bytes, counters.in_cache_bytes),
        (0, M as u64)
    );
    let mut seen = vec![9; 2 * M];
    stick.read(&mut seen, 3 * M as u64).unwrap();
    assert_eq!(seen, [vec![1; M], vec![0; M]].concat());
}

#[test]
fn a_fake_stick_may_have_a_cache_too() {
    for (keep, survives) in [(0, 0), (1, M)] {
        let spec = format!("fake:claims=8M,has=4M,cache=1,keep={keep},wbps=1e9,rbps=1e9");
        let (stick, medium) = stick(&spec);
        stick.write(&vec![1; 2 * M], 0, false).unwrap();
        stick.flush().unwrap();
        // One MiB of it is now somewhere else, and in the cache.
        stick.write(&vec![2; M], 5 * M as u64, false).unwrap();
        let counters = stick.counters();
        assert_eq!(
            (counters.on_medium_bytes, counters.in_cache_bytes),
            (M as u64, M as u64)
        );
        let mut seen = vec![0; M];
        stick.read(&mut seen, M as u64).unwrap();
        assert_eq!(seen, vec![2; M]);

        stick.power_off().unwrap();
        assert_eq!(stick.counters().on_medium_bytes, (M + survives) as u64);
        let expected = if survives > 0 { 2 } else { 1 };
        assert_eq!(held(&medium, M, M), vec![expected; M]);
    }
}

#[test]
fn a_bad_part_fails_after_its_time_and_takes_nothing() {
    let (stick, medium) = stick("bad:range=64K-68K,wbps=1e6,rbps=1e9");
    let start = Instant::now();
    assert!(matches!(
        stick.write(&[1; 131_072], 0, false),
        Err(StickError::Bad)
    ));
    assert!(start.elapsed() >= Duration::from_millis(131));
    assert!(matches!(
        stick.read(&mut [0; 512], 69_120),
        Err(StickError::Bad)
    ));
    stick.read(&mut [0; 65_536], 0).unwrap();
    stick.read(&mut [0; 512], 69_632).unwrap();
    assert_eq!(held(&medium, 0, 131_072), [0; 131_072]);
    let counters = stick.counters();
    assert_eq!((counters.bytes_written, counters.write_requests), (0, 1));
    assert!(!counters.died);
}

#[test]
fn what_is_no_whole_sector_is_refused() {
    for (spec, sector) in [("even:rbps=1e9", 512), ("4kn:rbps=1e9", 4096)] {
        let (stick, _medium) = stick(spec);
        for (offset, length) in [(sector / 2, sector), (sector, sector / 2)] {
            assert!(matches!(
                stick.read(&mut vec![0; length], offset as u64),
                Err(StickError::Unaligned)
            ));
        }
        stick.read(&mut vec![0; sector], sector as u64).unwrap();
    }
}

#[test]
fn a_stick_with_large_sectors_dies_in_a_whole_one() {
    let (stick, _medium) = stick("4kn:dies_at=10000,wbps=1e9");
    assert!(stick.write(&[2; 65_536], 0, false).is_err());
    assert_eq!(stick.counters().bytes_written, 8192);
}
