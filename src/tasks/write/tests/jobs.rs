use super::*;
use crate::engine::testing::{DiskCall, Fake};
use crate::tasks::{ImageLeft, Phase, Report};

fn failed(event: Event) -> (Failure, Report) {
    match event {
        Event::Failed(failure, report) => (failure, report),
        other => panic!("{other:?}"),
    }
}

/// It does not look like the image, and that is told.
fn assert_unfinished(report: &Report, disk: &Disk, image: &[u8]) {
    assert_ne!(disk.content()[..512], image[..512]);
    assert!(!report.checked && report.on_stick.complete.is_empty());
    let (left, on_stick) = (report.image_left, &report.on_stick);
    match left {
        // Or it failed while it was tried.
        Some(ImageLeft::AsBefore) | None => assert_eq!(on_stick.missing.len(), 1),
        Some(_) => assert_eq!(on_stick.partial.len(), 1),
    }
}

#[test]
fn one_image_goes_to_several_sticks_and_each_is_checked_and_switched_off() {
    let files = Files::new();
    let image = disk_image(9 * MIB + 512);
    let path = files.put("a.img.xz", &xz(&image));
    let disks = [stick(20 * MIB), stick(10 * MIB)];
    let sticks: Vec<_> = disks.iter().map(Held::new).collect();
    let asked: Vec<_> = sticks.iter().map(|held| Arc::clone(&held.asked)).collect();
    let (_, planned) = plan(&request(&path)).unwrap();
    for ((job, disk), asked) in planned.start(sticks).iter().zip(&disks).zip(asked) {
        let mut events = story(job);
        let Some(Event::Done(report)) = events.pop() else {
            panic!("{events:?}")
        };
        assert_eq!(disk.content()[..image.len()], image);
        assert!(report.checked && report.safe_to_unplug);
        assert_eq!(report.on_stick.complete, [PathBuf::from("a.img.xz")]);
        assert_eq!(report.bytes, image.len() as u64);
        assert_eq!(
            *asked.lock().unwrap(),
            ["authorize", "open", "genuine", "PowerOff"]
        );
        let phases = events.into_iter().filter_map(|event| match event {
            Event::Phase(phase) => Some(phase),
            _ => None,
        });
        let all = [
            Phase::Preparing,
            Phase::Probing,
            Phase::Writing,
            Phase::Checking,
            Phase::Finishing,
        ];
        assert_eq!(phases.collect::<Vec<_>>(), all);
    }
}

#[test]
fn while_the_password_is_asked_for_the_totals_say_so() {
    let files = Files::new();
    let path = files.put("a.img", &disk_image(MIB));
    let (_, planned) = plan(&request(&path)).unwrap();
    let (answer, asked) = std::sync::mpsc::channel();
    let mut held = Held::new(&stick(2 * MIB));
    held.until = Some(Mutex::new(asked));
    let jobs = planned.start(vec![held]);
    let events = jobs[0].events();
    let asks = |event: &Event| matches!(event, Event::Progress(p) if p.phase == Phase::Asking);
    while !asks(&events.recv_blocking().unwrap()) {}
    answer.send(()).unwrap();
    let rest: Vec<_> = std::iter::from_fn(|| events.recv_blocking().ok()).collect();
    let later = rest.iter().skip_while(|event| asks(event));
    assert_eq!(later.filter(|event| asks(event)).count(), 0);
    assert!(matches!(rest.last(), Some(Event::Done(report)) if !report.dismissed));
}

#[test]
fn a_dismissed_password_has_touched_nothing_and_is_asked_for_once() {
    let files = Files::new();
    let path = files.put("a.img", &disk_image(MIB));
    let disks = [stick(2 * MIB), stick(2 * MIB)];
    let asked: Arc<Mutex<Vec<String>>> = Arc::default();
    let sticks = disks.iter().map(|disk| Held {
        answer: Err(Kind::Dismissed),
        asked: Arc::clone(&asked),
        ..Held::new(disk)
    });
    let sticks = sticks.collect();
    let (_, planned) = plan(&request(&path)).unwrap();
    for (job, disk) in planned.start(sticks).iter().zip(&disks) {
        let Some(Event::Cancelled(report)) = story(job).pop() else {
            panic!("it is a quiet way back")
        };
        assert!(disk.journal().is_empty());
        assert_eq!(report.image_left, Some(ImageLeft::AsBefore));
        // It may still be mounted.
        assert!(!report.safe_to_unplug && report.dismissed);
    }
    assert_eq!(*asked.lock().unwrap(), ["authorize"]);
}

#[test]
fn a_stick_that_cannot_be_had_does_not_hold_up_the_other() {
    let files = Files::new();
    let image = disk_image(5 * MIB);
    let path = files.put("a.img", &image);
    let disks = [stick(6 * MIB), stick(6 * MIB)];
    let mut sticks: Vec<_> = disks.iter().map(Held::new).collect();
    sticks[0].answer = Err(Kind::TargetGone);
    let (_, planned) = plan(&request(&path)).unwrap();
    let jobs = planned.start(sticks);
    let (failure, _) = failed(story(&jobs[0]).pop().unwrap());
    assert_eq!(failure.kind, Kind::TargetGone);
    assert!(matches!(story(&jobs[1]).pop(), Some(Event::Done(_))));
    assert_eq!(disks[1].content()[..image.len()], image);
}

#[test]
fn i01_i02_an_image_of_unknown_size_that_is_too_large_is_told_so_and_no_share_goes_back() {
    let files = Files::new();
    let image = disk_image(8 * MIB);
    let packed = [gzip(&image), gzip(&[7; 1024])].concat();
    let path = files.put("a.img.gz", &packed);
    let (_, planned) = plan(&request(&path)).unwrap();
    assert_eq!(planned.total, None, "the trailer says 1,024 bytes");
    for (room, fits) in [(6 * MIB, false), (9 * MIB, true)] {
        let disk = stick(room);
        let (_, planned) = plan(&request(&path)).unwrap();
        let jobs = planned.start(vec![Held::new(&disk)]);
        let mut events = story(&jobs[0]);
        let end = events.pop().unwrap();
        let mut last = 0.0;
        for event in &events {
            if let Event::Progress(progress) = event {
                assert!(progress.share >= last && progress.share <= 1.0);
                last = progress.share;
            }
        }
        if fits {
            let Event::Done(report) = end else {
                panic!("{end:?}")
            };
            assert_eq!(report.bytes, 8 * MIB as u64 + 1024);
            assert_eq!(disk.content()[8 * MIB..][..1024], [7; 1024]);
        } else {
            let (failure, report) = failed(end);
            assert_eq!(failure.kind, Kind::ImageTooLarge);
            assert_unfinished(&report, &disk, &image);
            assert!(last < 1.0);
        }
    }
}

#[test]
fn i08_a_cut_or_damaged_download_is_never_written_to_its_end() {
    let files = Files::new();
    let image = disk_image(9 * MIB);
    let packed = gzip(&image);
    let mut flipped = packed.clone();
    flipped[packed.len() / 2] ^= 1;
    let cut = |by: usize| packed[..packed.len() - by].to_vec();
    for bytes in [cut(1), cut(20), cut(packed.len() / 2), flipped] {
        let path = files.put("a.img.gz", &bytes);
        let disk = stick(10 * MIB);
        let (failure, report) = failed(written(&request(&path), &disk));
        assert_eq!(failure.kind, Kind::ImageCorrupt);
        assert_eq!(failure.path, Some(path));
        assert_unfinished(&report, &disk, &image);
    }
}

#[test]
fn w01_a_stick_that_is_pulled_anywhere_has_failed_and_does_not_look_finished() {
    let files = Files::new();
    let image = disk_image(5 * MIB);
    let path = files.put("a.img", &image);
    let whole = stick(8 * MIB);
    written(&request(&path), &whole);
    // The very last call reads back the head, which is durable then.
    for at in 0..whole.journal().len() - 1 {
        let pull: Arc<Mutex<Option<Arc<Disk>>>> = Arc::default();
        let hook = Arc::clone(&pull);
        let disk = Disk::new(8 * MIB as u64, 512).with_hook(move |index, _| {
            if index == at {
                hook.lock().unwrap().take().unwrap().pull();
            }
        });
        let disk = Arc::new(disk);
        *pull.lock().unwrap() = Some(Arc::clone(&disk));
        let (failure, report) = failed(written(&request(&path), &disk));
        assert_eq!(failure.kind, Kind::TargetGone, "at call {at}");
        assert!(!report.safe_to_unplug);
        assert_unfinished(&report, &disk, &image);
    }
}

#[test]
fn w04_a_stick_with_less_room_than_it_claims_is_found_out() {
    let files = Files::new();
    let image = disk_image(9 * MIB);
    let path = files.put("a.img", &image);
    let has = 4 * MIB as u64;
    for fake in [Fake::Wrap(has), Fake::Drop(has)] {
        // Before anything is written.
        let disk = Arc::new(Disk::new(16 * MIB as u64, 512).with_fake(fake));
        let before = disk.content();
        let (failure, report) = failed(written(&request(&path), &disk));
        assert_eq!(failure.kind, Kind::FakeCapacity, "{fake:?}");
        let (size, limit) = (16 * MIB as u64, has);
        assert_eq!(failure.about, Some(About::Sizes { size, limit }));
        assert_eq!(report.image_left, Some(ImageLeft::AsBefore));
        assert!(disk.content() == before, "something was written");
        // When it is read back, where it was thought to be good.
        let disk = Arc::new(Disk::new(16 * MIB as u64, 512).with_fake(fake));
        let held = Held {
            is_genuine: true,
            ..Held::new(&disk)
        };
        let asked = Arc::clone(&held.asked);
        let (_, planned) = plan(&request(&path)).unwrap();
        let jobs = planned.start(vec![held]);
        let (failure, report) = failed(story(&jobs[0]).pop().unwrap());
        assert_eq!(failure.kind, Kind::FakeCapacity, "{fake:?}");
        assert!(asked.lock().unwrap().contains(&"fake".to_owned()));
        assert_eq!(report.image_left, Some(ImageLeft::Incomplete));
        assert_unfinished(&report, &disk, &image);
    }
}

#[test]
fn the_place_that_cannot_be_read_is_told() {
    let files = Files::new();
    let path = files.put("a.img", &disk_image(9 * MIB));
    let place = 6 * MIB as u64 + 512;
    let disk = Disk::new(10 * MIB as u64, 512).with_bad(place..place + 512);
    let (failure, _) = failed(written(&request(&path), &Arc::new(disk)));
    assert_eq!(failure.kind, Kind::IoError);
    assert_eq!(failure.about, Some(About::Offset(place)));
}

#[test]
fn a_cancelled_image_leaves_nothing_to_boot_from_and_says_so() {
    let files = Files::new();
    let image = disk_image(9 * MIB);
    let path = files.put("a.img", &image);
    let job: Arc<Mutex<Option<Job>>> = Arc::default();
    let canceller = Arc::clone(&job);
    let disk = Disk::new(10 * MIB as u64, 512).with_hook(move |_, call| {
        let middle = 4 * MIB as u64..8 * MIB as u64;
        let far = matches!(call, DiskCall::Write { offset, .. } if middle.contains(offset));
        if far {
            // Waits for the test to hand it over.
            while canceller.lock().unwrap().is_none() {
                std::thread::yield_now();
            }
            canceller.lock().unwrap().as_ref().unwrap().cancel();
        }
    });
    let disk = Arc::new(disk);
    let held = Held {
        is_genuine: true,
        ..Held::new(&disk)
    };
    let (_, planned) = plan(&request(&path)).unwrap();
    let jobs = planned.start(vec![held]);
    *job.lock().unwrap() = Some(jobs[0].clone());
    let Some(Event::Cancelled(report)) = story(&jobs[0]).pop() else {
        panic!("it was cancelled")
    };
    assert_eq!(report.image_left, Some(ImageLeft::Incomplete));
    assert!(report.safe_to_unplug);
    assert_unfinished(&report, &disk, &image);
}
