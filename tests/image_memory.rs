//! What writing images needs of the computer's memory. A process of its own, so that nothing else
//! counts.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "image/packed.rs"]
mod packed;
#[path = "memory/peak.rs"]
mod peak;

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use packed::{packed, stick};
use peak::peak;
use steady::engine::Meter;
use steady::engine::device::{BlockDevice, Device, Image, Lane, complete, lanes, read_back, write};

/// Bytes: more than the dictionary of `xz -9`, all of which is needed then.
const SIZE: usize = 96 << 20;

/// A stick that takes its time for each request.
struct Slow(BlockDevice, Duration);

impl Device for Slow {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn block_size(&self) -> u64 {
        self.0.block_size()
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        thread::sleep(self.1);
        self.0.write_at(offset, bytes)
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_at(offset, bytes)
    }

    fn flush(&self) -> io::Result<()> {
        self.0.flush()
    }

    fn is_gone(&self) -> bool {
        self.0.is_gone()
    }

    fn now(&self) -> Duration {
        self.0.now()
    }

    fn pause(&self, time: Duration) {
        self.0.pause(time);
    }
}

fn finish(image: &Arc<Image>, lane: Lane, device: &Arc<Slow>) {
    let meter = Meter::default();
    let written = write(lane, &**device, None, &meter).unwrap();
    let checked = read_back(&written, image, device, &meter).unwrap();
    let completed = complete(&written, Some(checked), &**device, &meter).unwrap();
    assert!(completed.verified && completed.size == SIZE as u64);
}

#[test]
fn an_image_that_takes_the_largest_dictionary_is_written_within_the_bounds() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut bytes = vec![0; 1 << 20];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    let readers = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&readers);
    let image = packed(folder.path(), bytes, SIZE >> 20, "-9", move || {
        count.fetch_add(1, Ordering::SeqCst);
    });
    let device = |name: &str, pause| {
        let device = stick(&folder.path().join(name), SIZE as u64 + (8 << 20));
        Arc::new(Slow(device, Duration::from_millis(pause)))
    };

    let lane = lanes(&image, 1, true).remove(0);
    finish(&image, lane, &device("one", 0));
    let one = peak();

    let devices = [device("quick", 0), device("slow", 60)];
    let image = &image;
    thread::scope(|scope| {
        for (lane, device) in lanes(image, 2, true).into_iter().zip(&devices) {
            scope.spawn(move || finish(image, lane, device));
        }
    });
    let two = peak();
    println!(
        "figure: an image of `xz -9` onto one stick and two takes {} and {} MB at most",
        one / 1_000_000,
        two / 1_000_000
    );
    assert!(one <= 120_000_000, "{one}");
    assert!(two <= 136_000_000, "{two}");
    let readers = readers.load(Ordering::SeqCst);
    assert!(readers >= 3, "the slow one kept up");
}
