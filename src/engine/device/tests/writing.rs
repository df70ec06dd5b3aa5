use std::time::Duration;

use super::*;
use crate::engine::strategy::Strategy;
use crate::engine::testing::{DiskCall, OLD};

const ODD_SIZES: [usize; 18] = [
    1,
    511,
    512,
    513,
    4095,
    4096,
    4097,
    MIB - 1,
    MIB,
    MIB + 1,
    MIB + 8 * KIB,
    2 * MIB - 1,
    4 * MIB - 1,
    4 * MIB,
    4 * MIB + 1,
    8 * MIB - 4096,
    8 * MIB,
    9 * MIB + 513,
];

#[test]
fn odd_sizes_arrive_exactly_and_nothing_else_changes() {
    for (size, block_size) in ODD_SIZES.into_iter().flat_map(|s| [(s, 512), (s, 4096)]) {
        for check in [true, false] {
            let bytes = noise(size);
            let disk = Arc::new(Disk::new(16 * MIB as u64, block_size));
            let (image, meter) = (Arc::new(image(&bytes, check)), Meter::default());
            let completed = job(&image, &disk, check, &meter).unwrap();
            assert_eq!(completed.size, size as u64);
            assert_eq!(completed.verified, check, "{size}");

            let content = disk.content();
            assert!(content[..size] == bytes, "{size} in blocks of {block_size}");
            let padded = size.next_multiple_of(block_size as usize);
            assert!(content[size..padded].iter().all(|byte| *byte == 0));
            let mut wanted = vec![OLD; content.len()];
            wanted[..MIB].fill(0);
            for range in stale_ranges(disk.size()) {
                wanted[range.start as usize..range.end as usize].fill(0);
            }
            assert!(content[padded..] == wanted[padded..], "behind {size}");

            let totals = meter.totals();
            let all = size as u64;
            let checked = if check { all } else { 0 };
            assert_eq!((totals.accepted, totals.confirmed), (all, all));
            assert_eq!((totals.durable, totals.checked), (all, checked));
            assert!(meter.peak_unconfirmed() <= 4 << 20);
        }
    }
}

#[test]
fn an_empty_image_touches_nothing() {
    let disk = Arc::new(Disk::new(4 * MIB as u64, 512));
    let image = Arc::new(image(&[], true));
    let stopped = job(&image, &disk, true, &Meter::default()).unwrap_err();
    let empty = StopReason::Image(ImageTrouble::Empty);
    assert_eq!(format!("{:?}", stopped.reason), format!("{empty:?}"));
    assert_eq!(stopped.on_stick, OnStick::AsBefore);
    assert!(disk.journal().is_empty());
}

#[test]
fn i01_an_image_one_byte_too_large_touches_nothing() {
    for (size, known) in [(4 * MIB + 1, true), (40 * MIB, true), (4 * MIB, false)] {
        let disk = Arc::new(Disk::new(4 * MIB as u64 - 512, 512));
        let image = Arc::new(image(&noise(size), known));
        let stopped = job(&image, &disk, true, &Meter::default()).unwrap_err();
        let StopReason::TooLarge { device, image } = stopped.reason else {
            panic!("{stopped:?}")
        };
        assert_eq!(device, 4 * MIB as u64 - 512);
        assert_eq!(image, known.then_some(size as u64));
        assert_eq!(stopped.on_stick, OnStick::AsBefore);
        assert!(disk.journal().is_empty());
    }
}

#[test]
fn i01_output_that_passes_the_end_leaves_nothing_to_boot_from() {
    let bytes = noise(13 * MIB);
    let disk = Arc::new(Disk::new(12 * MIB as u64 + 512, 512));
    let meter = Meter::default();
    let stopped = job(&Arc::new(image(&bytes, false)), &disk, true, &meter).unwrap_err();
    assert!(matches!(
        stopped.reason,
        StopReason::TooLarge { image: None, .. }
    ));
    assert_eq!(stopped.on_stick, OnStick::Incomplete);
    assert!(disk.content()[..512] != bytes[..512]);
    assert!(meter.confirmed() < bytes.len() as u64);
}

#[test]
fn a_device_as_large_as_the_image_is_filled_to_its_end() {
    for size in [512, 1024, 4096, MIB, MIB + 512, 5 * MIB + 512] {
        let bytes = noise(size);
        let disk = Arc::new(Disk::new(size as u64, 512));
        let image = Arc::new(image(&bytes, false));
        let completed = job(&image, &disk, true, &Meter::default()).unwrap();
        assert!(completed.verified && disk.content() == bytes);
    }
}

/// Only when all else is durable may the first bytes of the image come.
#[test]
fn the_first_block_comes_last_and_alone() {
    for size in [700, 4096, MIB, 5 * MIB + 1] {
        let bytes = noise(size);
        let disk = Arc::new(Disk::new(8 * MIB as u64, 512));
        job(
            &Arc::new(image(&bytes, true)),
            &disk,
            true,
            &Meter::default(),
        )
        .unwrap();
        let mut on_disk = vec![OLD; 8 * MIB];
        let mut unflushed = 0;
        let head = size.min(512);
        let mut came = 0;
        for call in disk.journal() {
            match call {
                DiskCall::Write { offset, bytes: new } => {
                    let at = offset as usize;
                    if at == 0 && new[..head] == bytes[..head] {
                        assert_eq!(unflushed, 0, "something is not durable yet");
                        assert!(new.len() <= 4096);
                        let behind = new.len().min(size)..size;
                        assert!(on_disk[behind.clone()] == bytes[behind]);
                        came += 1;
                    }
                    on_disk[at..at + new.len()].copy_from_slice(&new);
                    unflushed += 1;
                }
                DiskCall::Flush => unflushed = 0,
                DiskCall::Read(_) => {}
            }
            if came == 0 {
                assert!(on_disk[..head] != bytes[..head]);
            }
        }
        assert_eq!((came, unflushed), (1, 0));
    }
}

#[test]
fn the_old_marks_go_before_anything_new_comes() {
    let disk = Arc::new(Disk::new(16 * MIB as u64, 512));
    job(
        &Arc::new(image(&noise(9 * MIB), true)),
        &disk,
        false,
        &Meter::default(),
    )
    .unwrap();
    let journal = disk.journal();
    let flush = journal.iter().position(|call| *call == DiskCall::Flush);
    let (cleared, _) = journal.split_at(flush.unwrap());
    let touched = |at: u64| {
        cleared.iter().any(|call| match call {
            DiskCall::Write { offset, bytes } => {
                (*offset..*offset + bytes.len() as u64).contains(&at)
            }
            _ => false,
        })
    };
    let size = disk.size();
    for at in [
        0,
        510,
        1024,
        32 << 10,
        MIB as u64 - 1,
        size - 512,
        size - (2 << 20),
    ] {
        assert!(touched(at), "{at}");
    }
}

#[test]
fn nothing_is_told_durable_that_no_flush_has_covered() {
    for cost in [1, 50] {
        let meter = Arc::new(Meter::default());
        let (seen, covered) = (Arc::clone(&meter), AtomicUsize::new(0));
        let disk = Disk::new(128 * MIB as u64, 512).with_flush(Duration::from_millis(cost));
        let disk = Arc::new(disk.with_hook(move |_, call| {
            let totals = seen.totals();
            assert!(totals.durable <= covered.load(Ordering::SeqCst) as u64);
            assert!(totals.durable <= totals.confirmed && totals.confirmed <= totals.accepted);
            if *call == DiskCall::Flush {
                covered.store(totals.confirmed as usize, Ordering::SeqCst);
            }
        }));
        job(
            &Arc::new(image(&noise(100 * MIB), true)),
            &disk,
            false,
            &meter,
        )
        .unwrap();
        let flushes = disk
            .journal()
            .iter()
            .filter(|call| **call == DiskCall::Flush)
            .count();
        // One after the marks, one at the end, two with the lead.
        let on_the_way = flushes - 4;
        if cost == 1 {
            assert!(on_the_way >= 10, "a flush that costs nothing is made often");
        } else {
            assert!(
                (1..=2).contains(&on_the_way),
                "{on_the_way} dear flushes in 7 s"
            );
        }
    }
}

#[test]
fn a_file_behind_a_descriptor_is_written_directly() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let file = std::fs::File::options()
        .read(true)
        .write(true)
        .create_new(true)
        .open(folder.path().join("stick"))
        .unwrap();
    file.set_len(24 * MIB as u64 + 100).unwrap();
    let device = Arc::new(BlockDevice::new(file.into()).unwrap());
    assert_eq!(device.size(), 24 * MIB as u64);
    let (bytes, meter) = (noise(9 * MIB + 513), Meter::default());
    let image = Arc::new(image(&bytes, false));
    let written = write(lane(&image, true), &*device, None, &meter).unwrap();
    let checked = read_back(&written, &image, &device, &meter).unwrap();
    let completed = complete(&written, Some(checked), &*device, &meter).unwrap();
    assert!(completed.verified && !device.is_gone());
    let content = std::fs::read(folder.path().join("stick")).unwrap();
    assert!(content[..bytes.len()] == bytes);
}

#[test]
fn a_stick_that_wants_breaks_gets_pauses_where_a_flush_is_dear() {
    const SIZE: usize = 120 << 20;
    let bytes = noise(SIZE);
    let image = Arc::new(image(&bytes, true));
    let stick = || {
        let disk = Disk::new(SIZE as u64, 512).with_flush(Duration::from_millis(700));
        Arc::new(disk.with_backlog(15_000_000))
    };
    let (unknown, known) = (stick(), stick());
    let best = SIZE as f64 / 16e6;
    for (disk, strategy, most) in [(unknown, None, 1.7), (known, Some(Strategy::Pulse), 1.45)] {
        let written = write(lane(&image, false), &*disk, strategy, &Meter::default()).unwrap();
        assert_eq!(written.strategy, Strategy::Pulse);
        let seconds = disk.now().as_secs_f64();
        assert!(seconds < most * best, "{seconds} s against {best}");
    }
}
