use std::sync::atomic::AtomicBool;

use super::*;
use crate::engine::testing::{DiskCall, Fake};
use crate::engine::{ErrorKind, Operation};

const STICK: u64 = 64 << 20;

/// Writes, lets something happen to the stick, and reads back.
fn checked(
    image: Image,
    disk: Disk,
    meanwhile: impl FnOnce(&Disk),
) -> (Result<Checked, StopReason>, Written, Arc<Disk>) {
    let (image, disk, meter) = (Arc::new(image), Arc::new(disk), Meter::default());
    let written = write(lane(&image, true), &*disk, None, &meter).unwrap();
    meanwhile(&disk);
    let checked = read_back(&written, &image, &disk, &meter);
    (checked, written, disk)
}

fn mismatch(result: Result<Checked, StopReason>) -> Mismatch {
    match result {
        Err(StopReason::Mismatch(mismatch)) => mismatch,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_changed_bit_is_named_to_the_byte() {
    let bytes = noise(13 * MIB + 7);
    for at in [MIB, 4 * MIB - 1, 4 * MIB, 9 * MIB + 12_345, 13 * MIB + 6] {
        let disk = Disk::new(STICK, 512);
        let (result, ..) = checked(image(&bytes, true), disk, |disk| disk.change(at as u64));
        let found = mismatch(result);
        assert_eq!((found.offset, found.exact), (at as u64, true));
        assert_eq!(found.guess, Guess::FailingStick);
    }
}

#[test]
fn what_lies_behind_the_image_is_not_compared() {
    let bytes = noise(5 * MIB + 7);
    let disk = Disk::new(STICK, 512);
    let (result, ..) = checked(image(&bytes, true), disk, |disk| disk.change(5 << 20 | 7));
    assert_eq!(result.unwrap().bytes, bytes.len() as u64 - (1 << 20));
}

#[test]
fn an_image_that_is_gone_by_then_still_names_the_block() {
    let bytes: Arc<[u8]> = noise(9 * MIB).into();
    let first = AtomicBool::new(true);
    let image = Image::new(move || {
        if first.swap(false, Ordering::SeqCst) {
            return Ok(Opened::new(Shared(Arc::clone(&bytes), 0)));
        }
        Err(io::ErrorKind::NotFound.into())
    });
    let disk = Disk::new(STICK, 512);
    let (result, ..) = checked(image, disk, |disk| disk.change(6 << 20));
    let found = mismatch(result);
    assert_eq!((found.offset, found.exact), (4 << 20, false));
}

#[test]
fn w04_a_stick_that_wraps_round_is_called_fake() {
    // Aligned and not; much too small, and by little. The last is overwritten in the lead's own
    // place alone.
    for (has, size) in [
        (16 * MIB, 40 * MIB),
        (16 * MIB + 512, 40 * MIB),
        (12 * MIB - 3 * 512, 20 * MIB),
        (16 * MIB, 18 * MIB),
        (16 * MIB, 16 * MIB + 300 * KIB),
    ] {
        let disk = Disk::new(STICK, 512).with_fake(Fake::Wrap(has as u64));
        let (result, ..) = checked(image(&noise(size), true), disk, |_| {});
        assert_eq!(mismatch(result).guess, Guess::FakeCapacity, "{has} {size}");
    }
}

/// An image whose end is all zeroes overwrites the lead's place with zeroes: the lead would go
/// there, be found equal, and stand at two places.
#[test]
fn w04_zeroes_that_wrap_round_are_noticed_too() {
    let mut bytes = noise(16 * MIB + 300 * KIB);
    bytes[16 * MIB..].fill(0);
    let disk = Disk::new(STICK, 512).with_fake(Fake::Wrap(16 << 20));
    let (result, ..) = checked(image(&bytes, true), disk, |_| {});
    assert_eq!(mismatch(result).offset, 0);
}

#[test]
fn w04_a_stick_that_drops_what_goes_beyond_is_called_fake() {
    for has in [16 * MIB, 17 * MIB + 512] {
        let disk = Disk::new(STICK, 512).with_fake(Fake::Drop(has as u64));
        let (result, ..) = checked(image(&noise(40 * MIB), true), disk, |_| {});
        let found = mismatch(result);
        assert_eq!(found.offset, has as u64);
        assert_eq!(found.guess, Guess::FakeCapacity);
    }
}

#[test]
fn a_note_in_a_superblock_is_not_called_a_failure_of_the_stick() {
    let mut bytes = noise(9 * MIB);
    bytes[446..512].fill(0);
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes[446 + 4] = 0x0c;
    bytes[446 + 8..446 + 12].copy_from_slice(&8192_u32.to_le_bytes());
    let disk = Disk::new(STICK, 512);
    let (result, ..) = checked(image(&bytes, true), disk, |disk| {
        (0..8).for_each(|n| disk.change((4 << 20) + 1024 + n));
    });
    let found = mismatch(result);
    assert_eq!(found.guess, Guess::ChangedBySystem);
    assert_eq!(found.offset, (4 << 20) + 1024);
}

#[test]
fn an_unreadable_sector_is_named() {
    for block_size in [512, 4096] {
        let disk = Disk::new(STICK, block_size).with_bad(5_000_000..5_000_001);
        let (result, ..) = checked(image(&noise(9 * MIB), true), disk, |_| {});
        let Err(StopReason::Target { error, offset }) = result else {
            panic!("{result:?}")
        };
        assert_eq!(error.operation, Operation::ReadBack);
        assert_eq!(offset, Some(5_000_000 / block_size * block_size));
    }
}

#[test]
fn a_stick_pulled_while_it_is_checked_is_gone_and_has_nothing_to_boot_from() {
    let bytes = noise(9 * MIB);
    let (result, _, disk) = checked(image(&bytes, true), Disk::new(STICK, 512), Disk::pull);
    let Err(StopReason::Target { error, .. }) = result else {
        panic!("{result:?}")
    };
    assert_eq!(error.kind(), ErrorKind::TargetGone);
    assert!(disk.content()[..512] != bytes[..512]);
}

#[test]
fn nothing_to_compare_is_never_verified() {
    let image = Arc::new(image(&noise(9 * MIB), true));
    let disk = Arc::new(Disk::new(STICK, 512));
    let meter = Meter::default();
    // Nobody wanted it checked, so nothing was remembered.
    let written = write(lane(&image, false), &*disk, None, &meter).unwrap();
    let checked = read_back(&written, &image, &disk, &meter).unwrap();
    assert_eq!(checked.bytes, 0);
    let completed = complete(&written, Some(checked), &*disk, &meter).unwrap();
    assert!(!completed.verified);
    // And without reading back there is nothing to go by.
    let completed = complete(&written, None, &*disk, &meter).unwrap();
    assert!(!completed.verified);
}

#[test]
fn a_lead_that_does_not_hold_is_taken_back() {
    let bytes = noise(9 * MIB);
    let image = Arc::new(image(&bytes, true));
    let disk = Arc::new(Disk::new(STICK, 512));
    let meter = Meter::default();
    let written = write(lane(&image, true), &*disk, None, &meter).unwrap();
    let checked = read_back(&written, &image, &disk, &meter).unwrap();
    // The stick garbles the lead once it is there.
    let image_head = bytes[..512].to_vec();
    let bad = Disk::new(STICK, 512).with_bad(0..512);
    let stopped = complete(&written, Some(checked), &bad, &meter).unwrap_err();
    assert_eq!(stopped.on_stick, OnStick::Incomplete);
    assert!(matches!(stopped.reason, StopReason::Target { .. }));
    assert!(bad.content()[..512] != image_head);
    assert_eq!(bad.journal().last(), Some(&DiskCall::Flush));
}

#[test]
fn cancel_ends_it_even_while_the_stick_does_not_answer() {
    let image = Arc::new(image(&noise(9 * MIB), true));
    let meter = Arc::new(Meter::default());
    let (go_on, wait) = std::sync::mpsc::channel::<()>();
    let (wait, cancelled) = (std::sync::Mutex::new(wait), Arc::clone(&meter));
    let disk = Arc::new(Disk::new(STICK, 512).with_hook(move |_, call| {
        if matches!(call, DiskCall::Read(_)) {
            cancelled.cancel();
            // Until the test is over.
            let _ = wait.lock().unwrap().recv();
        }
    }));
    let written = write(lane(&image, true), &*disk, None, &meter).unwrap();
    let result = read_back(&written, &image, &disk, &meter);
    assert!(matches!(result, Err(StopReason::Cancelled)));
    drop(go_on);
}
