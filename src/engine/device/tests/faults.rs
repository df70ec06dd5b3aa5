use rustix::io::Errno;

use super::*;
use crate::engine::ErrorKind;
use crate::engine::testing::{DiskCall, Fault, OLD};

const STICK: u64 = 9 << 20;
const SIZE: usize = 5 * MIB + 513;

/// What a stopped job says of the stick is so, and it is nothing to boot from.
fn assert_true(stopped: &Stopped, disk: &Disk, bytes: &[u8]) {
    let content = disk.content();
    match stopped.on_stick {
        OnStick::AsBefore => assert!(content.iter().all(|byte| *byte == OLD)),
        OnStick::Incomplete => assert!(content[..512] != bytes[..512]),
        // Then all behind the lead is there.
        OnStick::Unknown => assert!(content[MIB..SIZE] == bytes[MIB..]),
    }
}

#[test]
fn an_error_at_every_call_is_never_a_success() {
    let bytes = noise(SIZE);
    let image = Arc::new(image(&bytes, true));
    let clean = Arc::new(Disk::new(STICK, 512));
    job(&image, &clean, true, &Meter::default()).unwrap();
    let calls = clean.journal();
    for (at, call) in calls.iter().enumerate() {
        for (errno, for_good, kind) in [
            (Errno::IO, false, ErrorKind::IoError),
            (Errno::IO, true, ErrorKind::IoError),
            (Errno::NODEV, true, ErrorKind::TargetGone),
            (Errno::ROFS, true, ErrorKind::WriteProtected),
        ] {
            let fault = Fault {
                at,
                errno,
                for_good,
            };
            let disk = Arc::new(Disk::new(STICK, 512).with_fault(fault));
            let meter = Meter::default();
            match job(&image, &disk, true, &meter) {
                Err(stopped) => {
                    let StopReason::Target { error, offset } = &stopped.reason else {
                        panic!("{stopped:?} at {at}")
                    };
                    assert_eq!(error.kind(), kind);
                    match call {
                        DiskCall::Write { offset: told, .. } => assert_eq!(*offset, Some(*told)),
                        DiskCall::Read(range) => assert_eq!(*offset, Some(range.start)),
                        DiskCall::Flush => assert_eq!(*offset, None),
                    }
                    assert_true(&stopped, &disk, &bytes);
                }
                // A sector that is read at the second try is read.
                Ok(completed) => {
                    assert!(matches!(call, DiskCall::Read(_)) && !for_good, "at {at}");
                    assert!(completed.verified && disk.content()[..SIZE] == bytes);
                }
            }
            let totals = meter.totals();
            assert!(totals.durable <= totals.confirmed && totals.confirmed <= totals.accepted);
        }
    }
}

#[test]
fn w01_pulled_at_every_call_it_is_gone_and_nothing_to_boot_from() {
    let bytes = noise(SIZE);
    let image = Arc::new(image(&bytes, true));
    let clean = Arc::new(Disk::new(STICK, 512));
    job(&image, &clean, true, &Meter::default()).unwrap();
    for at in 0..clean.journal().len() {
        let disk = Arc::new_cyclic(|disk: &std::sync::Weak<Disk>| {
            let disk = disk.clone();
            Disk::new(STICK, 512).with_hook(move |index, _| {
                if index == at {
                    disk.upgrade().unwrap().pull();
                }
            })
        });
        let stopped = job(&image, &disk, true, &Meter::default()).unwrap_err();
        let StopReason::Target { error, .. } = &stopped.reason else {
            panic!("{stopped:?} at {at}")
        };
        assert_eq!(error.kind(), ErrorKind::TargetGone);
        // What was flushed stays: a head only together with all the rest.
        let content = disk.content();
        assert!(content[..512] != bytes[..512] || content[..SIZE] == bytes);
    }
}

#[test]
fn cancel_at_every_call_leaves_nothing_to_boot_from() {
    let bytes = noise(SIZE);
    let image = Arc::new(image(&bytes, true));
    let clean = Arc::new(Disk::new(STICK, 512));
    job(&image, &clean, true, &Meter::default()).unwrap();
    let mut cancelled = 0;
    for at in 0..clean.journal().len() {
        let meter = Arc::new(Meter::default());
        let cancel = Arc::clone(&meter);
        let disk = Arc::new(Disk::new(STICK, 512).with_hook(move |index, _| {
            if index == at {
                cancel.cancel();
            }
        }));
        match job(&image, &disk, true, &meter) {
            Ok(completed) => assert!(completed.verified && disk.content()[..SIZE] == bytes),
            Err(stopped) => {
                assert!(matches!(stopped.reason, StopReason::Cancelled));
                assert_true(&stopped, &disk, &bytes);
                cancelled += 1;
                let writes = disk.journal().split_off(at + 1).into_iter();
                let big = writes.filter(|call| {
                    matches!(call, DiskCall::Write { offset, .. }
                        if *offset >= 1 << 20 && *offset < STICK - (2 << 20))
                });
                assert_eq!(big.count(), 0, "nothing more of the image is written");
            }
        }
    }
    assert!(cancelled > 10);
}
