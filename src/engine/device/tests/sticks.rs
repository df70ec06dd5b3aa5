use std::sync::atomic::AtomicU64;
use std::sync::{Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

use rustix::io::Errno;

use super::lane::lanes_with;
use super::sharing::Sharing;
use super::*;
use crate::engine::testing::{DiskCall, Fault};

const STICK: u64 = 48 << 20;
const SIZE: usize = 41 * MIB + 100;
/// Blocks that may wait.
const RING: usize = 3;
const SHARING: Sharing = Sharing {
    capacity: RING,
    at_once: true,
};

/// A stick that takes nothing from its `at`th call on until the other end is dropped.
fn hanging(at: usize) -> (Disk, mpsc::Sender<()>) {
    let (release, wait) = mpsc::channel::<()>();
    let wait = Mutex::new(wait);
    let disk = Disk::new(STICK, 512).with_hook(move |index, _| {
        if index >= at {
            let _ = wait.lock().unwrap().recv();
        }
    });
    (disk, release)
}

type End = Result<Completed, Box<Stopped>>;

/// Each stick on a thread of its own.
fn start(image: &Arc<Image>, disks: &[Arc<Disk>]) -> Vec<thread::JoinHandle<End>> {
    start_with(image, disks, SHARING)
}

fn start_with(
    image: &Arc<Image>,
    disks: &[Arc<Disk>],
    sharing: Sharing,
) -> Vec<thread::JoinHandle<End>> {
    let lanes = lanes_with(image, disks.len(), true, sharing);
    let jobs = lanes.into_iter().zip(disks).map(|(lane, disk)| {
        let (image, disk) = (Arc::clone(image), Arc::clone(disk));
        thread::spawn(move || finish(lane, &image, &disk, true, &Meter::default()))
    });
    jobs.collect()
}

#[test]
fn nobody_waits_for_a_stick_that_hangs_or_dies() {
    let bytes = noise(SIZE);
    // Before its first write, and in the middle.
    for at in [0, 12] {
        let (image, opened) = counted(&bytes);
        let (hangs, release) = hanging(at);
        let dies = Disk::new(STICK, 512).with_fault(Fault {
            at: 9,
            errno: Errno::NODEV,
            for_good: true,
        });
        let disks = [Disk::new(STICK, 512), hangs, dies].map(Arc::new);
        let mut jobs = start(&image, &disks).into_iter();

        let even = jobs.next().unwrap().join().unwrap();
        assert!(
            even.unwrap().verified,
            "it is through while the other hangs"
        );
        let hangs = jobs.next().unwrap();
        assert!(!hangs.is_finished());
        let dead = jobs.next().unwrap().join().unwrap().unwrap_err();
        assert!(matches!(dead.reason, StopReason::Target { .. }));
        assert_eq!(dead.on_stick, OnStick::Incomplete);

        drop(release);
        assert!(hangs.join().unwrap().unwrap().verified);
        for disk in &disks[..2] {
            assert!(disk.content()[..SIZE] == bytes);
        }
        assert!(opened.load(Ordering::SeqCst) >= 2, "it went on alone");
    }
}

/// Where a reader takes much memory there is never a second one.
#[test]
fn who_has_fallen_behind_reads_after_the_others_where_memory_is_short() {
    let bytes: Arc<[u8]> = noise(SIZE).into();
    let (readers, opened) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (now, times) = (Arc::clone(&readers), Arc::clone(&opened));
    let content = Arc::clone(&bytes);
    let image = Arc::new(Image::new(move || {
        times.fetch_add(1, Ordering::SeqCst);
        let only = Only::new(Shared(Arc::clone(&content), 0), Arc::clone(&now));
        Ok(Opened::new(only))
    }));
    let disks = [0, 3, 7].map(|pause| {
        Arc::new(Disk::new(STICK, 512).with_hook(move |_, call| {
            if matches!(call, DiskCall::Write { .. }) {
                thread::sleep(Duration::from_millis(pause));
            }
        }))
    });
    let sharing = Sharing {
        at_once: false,
        ..SHARING
    };
    for (job, disk) in start_with(&image, &disks, sharing).into_iter().zip(&disks) {
        assert!(job.join().unwrap().unwrap().verified);
        assert!(disk.content()[..SIZE] == bytes[..]);
    }
    assert!(opened.load(Ordering::SeqCst) >= 2, "nobody fell behind");
    assert_eq!(readers.load(Ordering::SeqCst), 0);
}

/// A reader that is the only one while it lives.
struct Only(Shared, Arc<AtomicUsize>);

impl Only {
    fn new(reader: Shared, living: Arc<AtomicUsize>) -> Self {
        assert_eq!(living.fetch_add(1, Ordering::SeqCst), 0, "a second reader");
        Self(reader, living)
    }
}

impl Read for Only {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Drop for Only {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::SeqCst);
    }
}

#[test]
fn sticks_of_any_pace_get_the_same_image() {
    let bytes = noise(SIZE);
    let (image, opened) = counted(&bytes);
    let disks = [0, 1, 4, 9].map(|pause| {
        Arc::new(Disk::new(STICK, 4096).with_hook(move |_, call| {
            if matches!(call, DiskCall::Write { .. }) {
                thread::sleep(Duration::from_millis(pause));
            }
        }))
    });
    for (job, disk) in start(&image, &disks).into_iter().zip(&disks) {
        assert!(job.join().unwrap().unwrap().verified);
        assert!(disk.content()[..SIZE] == bytes);
    }
    assert!(opened.load(Ordering::SeqCst) <= 4);
}

#[test]
fn sticks_of_the_same_pace_share_one_pass() {
    let bytes = noise(SIZE);
    let (image, opened) = counted(&bytes);
    let barrier = Arc::new(Barrier::new(3));
    let disks = [(); 3].map(|()| {
        let barrier = Arc::clone(&barrier);
        Arc::new(Disk::new(STICK, 512).with_hook(move |_, call| {
            if matches!(call, DiskCall::Write { .. }) {
                barrier.wait();
            }
        }))
    });
    for job in start(&image, &disks) {
        assert!(job.join().unwrap().unwrap().verified);
    }
    assert_eq!(opened.load(Ordering::SeqCst), 1);
}

#[test]
fn an_image_that_changes_between_two_passes_is_noticed() {
    let (first, second): (Arc<[u8]>, Arc<[u8]>) = {
        let bytes = noise(SIZE);
        let mut other = bytes.clone();
        other[5] ^= 1;
        (bytes.into(), other.into())
    };
    let opened = AtomicUsize::new(0);
    let image = Arc::new(Image::new(move || {
        let bytes = match opened.fetch_add(1, Ordering::SeqCst) {
            0 => &first,
            _ => &second,
        };
        Ok(Opened::new(Shared(Arc::clone(bytes), 0)))
    }));
    let (hangs, release) = hanging(12);
    let disks = [Disk::new(STICK, 512), hangs].map(Arc::new);
    let mut jobs = start(&image, &disks).into_iter();
    assert!(jobs.next().unwrap().join().unwrap().is_ok());
    drop(release);
    let stopped = jobs.next().unwrap().join().unwrap().unwrap_err();
    assert!(matches!(
        stopped.reason,
        StopReason::Image(ImageTrouble::Changed)
    ));
    assert_eq!(stopped.on_stick, OnStick::Incomplete);
}

#[test]
fn a_wrong_checksum_stops_all_of_them() {
    let mut image = image(&noise(SIZE), true);
    image.checksum = crate::engine::checksum::Checksum::parse(&"0".repeat(64), "");
    let disks = [(); 2].map(|()| Arc::new(Disk::new(STICK, 512)));
    for job in start(&Arc::new(image), &disks) {
        assert!(matches!(
            job.join().unwrap().unwrap_err().reason,
            StopReason::Image(ImageTrouble::ChecksumMismatch { .. })
        ));
    }
}

#[test]
fn a_lane_that_is_not_used_holds_up_nobody() {
    let bytes = noise(SIZE);
    let (image, opened) = counted(&bytes);
    let mut lanes = lanes_with(&image, 3, true, SHARING);
    drop(lanes.pop());
    let kept = lanes.pop();
    let disk = Arc::new(Disk::new(STICK, 512));
    let completed = finish(lanes.remove(0), &image, &disk, true, &Meter::default());
    assert!(completed.unwrap().verified);
    // The one that only began late goes on alone.
    let disk = Arc::new(Disk::new(STICK, 512));
    let completed = finish(kept.unwrap(), &image, &disk, true, &Meter::default());
    assert!(completed.unwrap().verified && disk.content()[..SIZE] == bytes);
    assert_eq!(opened.load(Ordering::SeqCst), 2);
}

#[test]
fn no_more_is_read_ahead_than_the_ring_holds() {
    let bytes: Arc<[u8]> = noise(SIZE).into();
    let read = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&read);
    let image = Arc::new(Image::new(move || {
        let used = Arc::clone(&counter);
        Ok(Opened::new(Counted(Shared(Arc::clone(&bytes), 0), used)))
    }));
    let (meter, ahead) = (Arc::new(Meter::default()), Arc::new(AtomicU64::new(0)));
    let (seen, most) = (Arc::clone(&meter), Arc::clone(&ahead));
    let disk = Arc::new(Disk::new(STICK, 512).with_hook(move |_, _| {
        thread::sleep(Duration::from_millis(2));
        let behind = read.load(Ordering::SeqCst) - seen.confirmed();
        most.fetch_max(behind, Ordering::SeqCst);
    }));
    let lane = lanes_with(&image, 1, false, SHARING).remove(0);
    finish(lane, &image, &disk, false, &meter).unwrap();
    // Those that wait, one being read, one being written, and the lead.
    let bound = (RING as u64 + 2) * (4 << 20) + (1 << 20);
    assert!(ahead.load(Ordering::SeqCst) <= bound);
}

struct Counted(Shared, Arc<AtomicU64>);

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.0.read(buffer)?;
        self.1.fetch_add(count as u64, Ordering::SeqCst);
        Ok(count)
    }
}
