use std::sync::Arc;

use proptest::prelude::*;
use rustix::io::Errno;

use super::*;
use crate::engine::device::StopReason;
use crate::engine::testing::{Disk, DiskCall, Fake, Fault};

const MIB: u64 = 1 << 20;

/// Bytes that are different everywhere.
fn noise(size: u64) -> Vec<u8> {
    let mut bytes = vec![0; size as usize];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

fn disk(claimed: u64, block: u64, fake: Option<Fake>) -> (Disk, Vec<u8>) {
    let has = match fake {
        Some(Fake::Wrap(has) | Fake::Drop(has)) => has,
        None => claimed,
    };
    let content = noise(has);
    let disk = Disk::new(claimed, block).with_content(&content);
    let disk = match fake {
        Some(fake) => disk.with_fake(fake),
        None => disk,
    };
    (disk, content)
}

fn is_intact(disk: &Disk, content: &[u8]) -> bool {
    disk.content()[..content.len()] == *content
}

/// What is found, with every byte as it was.
fn found(
    disk: &Disk,
    content: &[u8],
    look: impl Fn(&Disk, &Meter) -> Result<Capacity, Stopped>,
) -> Capacity {
    let capacity = look(disk, &Meter::default()).expect("it answers");
    assert!(is_intact(disk, content));
    assert!(
        disk.journal().len() < 2_000,
        "{} calls",
        disk.journal().len()
    );
    capacity
}

/// Tells all that the disk has taken, too.
fn thoroughly(disk: &Disk, meter: &Meter) -> Result<Capacity, Stopped> {
    let (capacity, written) = thorough(disk, meter)?;
    let journal = disk.journal();
    let taken = journal.iter().map(|call| match call {
        DiskCall::Write { bytes, .. } => bytes.len() as u64,
        _ => 0,
    });
    assert_eq!(written, taken.sum::<u64>());
    Ok(capacity)
}

fn fake(claimed: u64, real: u64, beyond: Beyond) -> Capacity {
    Capacity {
        claimed,
        real,
        beyond: Some(beyond),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn w04_any_size_is_found_to_the_block_and_nothing_is_lost(
        claimed in 4 * 2048_u64..20 * 2048,
        share in 0.12_f64..1.0,
        wraps in any::<bool>(),
        cached in prop::sample::select(vec![0_usize, 0, 4096, 300 << 10]),
        block in prop::sample::select(vec![512_u64, 4096]),
    ) {
        let claimed = claimed * 512 / block * block;
        let has = ((share * claimed as f64) as u64 / block * block).max(2 * MIB);
        prop_assume!(has + 64 * 1024 < claimed);
        let how = if wraps { Fake::Wrap(has) } else { Fake::Drop(has) };
        let (disk, content) = disk(claimed, block, Some(how));
        let disk = disk.with_lying_cache(cached);
        let beyond = if wraps { Beyond::Wraps } else { Beyond::Drops };
        prop_assert_eq!(found(&disk, &content, thoroughly), fake(claimed, has, beyond));
    }

    #[test]
    fn a_stick_that_has_what_it_claims_is_believed(
        sectors in 4 * 2048_u64..20 * 2048,
        cached in prop::sample::select(vec![0_usize, 300 << 10]),
    ) {
        let claimed = sectors * 512;
        let (disk, content) = disk(claimed, 512, None);
        let disk = disk.with_lying_cache(cached);
        prop_assert_eq!(found(&disk, &content, thoroughly), Capacity::honest(claimed));
    }
}

#[test]
fn w04_the_quick_look_finds_what_sticks_do_and_takes_few_calls() {
    for (claimed, has) in [(64, 16), (64, 32), (48, 16), (40, 20), (24, 18), (64, 4)] {
        let (claimed, has) = (claimed * MIB, has * MIB);
        for (how, beyond) in [
            (Fake::Wrap(has), Beyond::Wraps),
            (Fake::Drop(has), Beyond::Drops),
        ] {
            let is_simple = has.is_power_of_two() || claimed == 2 * has;
            if matches!(how, Fake::Wrap(_)) && !is_simple {
                continue;
            }
            let (disk, content) = disk(claimed, 512, Some(how));
            assert_eq!(found(&disk, &content, quick), fake(claimed, has, beyond));
        }
    }
    let calls = |claimed: u64| {
        let (disk, content) = disk(claimed, 512, None);
        assert_eq!(found(&disk, &content, quick), Capacity::honest(claimed));
        disk.journal().len()
    };
    let (small, large) = (calls(16 * MIB), calls(128 * MIB));
    assert!(small <= 100 && large <= 120, "{small} {large} calls");
}

#[test]
fn a_bad_place_is_no_end_and_an_unreadable_one_is_told() {
    let (disk, content) = disk(16 * MIB, 512, None);
    let place = 8 * MIB + (64 << 10);
    let disk = disk.with_bad(place..place + 512);
    let stopped = quick(&disk, &Meter::default()).expect_err("it cannot be read");
    assert!(stopped.intact && is_intact(&disk, &content));
    let StopReason::Target { offset, .. } = stopped.reason else {
        panic!("{stopped:?}")
    };
    assert_eq!(offset, Some(place));
}

#[test]
fn whatever_fails_once_everything_is_put_back() {
    let prepared = || disk(8 * MIB, 512, Some(Fake::Wrap(4 * MIB)));
    let (whole, content) = prepared();
    found(&whole, &content, thoroughly);
    for at in 0..whole.journal().len() {
        let (disk, content) = prepared();
        let disk = disk.with_fault(Fault {
            at,
            errno: Errno::IO,
            for_good: false,
        });
        // A second attempt helps where something is put back.
        if let Err(stopped) = thorough(&disk, &Meter::default()) {
            assert!(stopped.intact, "at call {at}");
        }
        assert!(is_intact(&disk, &content), "at call {at}");
    }
}

#[test]
fn a_stick_that_fails_for_good_has_test_data_only_where_that_is_told() {
    let prepared = || disk(8 * MIB, 512, None);
    let (whole, content) = prepared();
    found(&whole, &content, quick);
    let mut harmed = 0;
    for at in 0..whole.journal().len() {
        let (disk, content) = prepared();
        let disk = disk.with_fault(Fault {
            at,
            errno: Errno::IO,
            for_good: true,
        });
        let stopped = quick(&disk, &Meter::default()).expect_err("it fails");
        if !is_intact(&disk, &content) {
            harmed += 1;
            assert!(!stopped.intact, "at call {at}");
        }
    }
    assert!(harmed > 0, "nothing was written at all");
}

#[test]
fn a_cancel_at_any_moment_leaves_everything_as_it_was() {
    let prepared = || disk(8 * MIB, 512, Some(Fake::Wrap(5 * MIB)));
    let (whole, content) = prepared();
    found(&whole, &content, thoroughly);
    for at in 0..whole.journal().len() {
        let (disk, content) = prepared();
        let meter = Arc::new(Meter::default());
        let cancel = Arc::clone(&meter);
        let disk = disk.with_hook(move |index, _: &DiskCall| {
            if index == at {
                cancel.cancel();
            }
        });
        let result = thorough(&disk, &meter);
        assert!(is_intact(&disk, &content), "at call {at}");
        if let Err(stopped) = result {
            assert!(stopped.intact && matches!(stopped.reason, StopReason::Cancelled));
        }
        assert!(disk.journal().len() <= at + 64, "it goes on for long");
    }
}
