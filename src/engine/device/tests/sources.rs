use std::sync::atomic::AtomicU64;

use super::*;
use crate::engine::checksum::{Algorithm, Checksum, Hasher, Tapped};

const STICK: u64 = 24 << 20;

fn sha256(bytes: &[u8]) -> Checksum {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    hasher.finish()
}

/// Returns pieces of 1 to 4096 bytes, and is sometimes interrupted.
struct Pieces(Arc<[u8]>, usize, u32);

impl Read for Pieces {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.2 = self.2.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if self.2 >> 28 == 0 {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let most = (self.2 >> 20) as usize % 4096 + 1;
        let length = most.min(buffer.len()).min(self.0.len() - self.1);
        buffer[..length].copy_from_slice(&self.0[self.1..self.1 + length]);
        self.1 += length;
        Ok(length)
    }
}

/// Reads that many bytes, then fails.
struct Breaks(Shared, usize);

impl Read for Breaks {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.1 >= self.1 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "broken"));
        }
        let most = buffer.len().min(self.1 - self.0.1);
        self.0.read(&mut buffer[..most])
    }
}

#[test]
fn w03_the_result_does_not_depend_on_the_pieces_read() {
    let bytes: Arc<[u8]> = noise(9 * MIB + 513).into();
    let shared = Arc::clone(&bytes);
    let mut image = Image::new(move || Ok(Opened::new(Pieces(Arc::clone(&shared), 0, 1))));
    image.checksum = Some(sha256(&bytes));
    let disk = Arc::new(Disk::new(STICK, 512));
    let completed = job(&Arc::new(image), &disk, true, &Meter::default()).unwrap();
    assert!(completed.verified && disk.content()[..bytes.len()] == *bytes);
}

#[test]
fn a_source_that_breaks_leaves_nothing_to_boot_from() {
    let bytes: Arc<[u8]> = noise(9 * MIB).into();
    for at in [0, 1, 4096, 4 * MIB - 1, 4 * MIB, 5 * MIB, 9 * MIB] {
        let shared = Arc::clone(&bytes);
        let open = move || Ok(Opened::new(Breaks(Shared(Arc::clone(&shared), 0), at)));
        let disk = Arc::new(Disk::new(STICK, 512));
        let stopped = job(&Arc::new(Image::new(open)), &disk, true, &Meter::default());
        let stopped = stopped.unwrap_err();
        let StopReason::Image(ImageTrouble::Unreadable(error)) = &stopped.reason else {
            panic!("{stopped:?}")
        };
        assert_eq!(
            error.to_string(),
            "broken",
            "the decoder's own error comes through"
        );
        match stopped.on_stick {
            OnStick::AsBefore => assert!(disk.journal().is_empty()),
            _ => assert!(disk.content()[..512] != bytes[..512]),
        }
        if at < 4 * MIB {
            assert_eq!(stopped.on_stick, OnStick::AsBefore);
        }
    }
}

#[test]
fn a_reader_that_panics_leaves_nobody_waiting() {
    struct Panics;
    impl Read for Panics {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            panic!("this test wants it")
        }
    }
    let image = Arc::new(Image::new(|| Ok(Opened::new(Panics))));
    let disk = Arc::new(Disk::new(STICK, 512));
    let stopped = job(&image, &disk, true, &Meter::default()).unwrap_err();
    assert!(matches!(
        stopped.reason,
        StopReason::Image(ImageTrouble::Unreadable(_))
    ));
}

#[test]
fn an_image_that_is_shorter_or_longer_than_known_is_no_success() {
    for (size, known) in [
        (5 * MIB, 5 * MIB + 1),
        (5 * MIB, 9 * MIB),
        (8 * MIB, 5 * MIB),
    ] {
        let mut image = image(&noise(size), false);
        image.size = Some(known as u64);
        let disk = Arc::new(Disk::new(STICK, 512));
        let stopped = job(&Arc::new(image), &disk, true, &Meter::default()).unwrap_err();
        let StopReason::Image(ImageTrouble::SizeDiffers { expected, .. }) = stopped.reason else {
            panic!("{stopped:?}")
        };
        assert_eq!(expected, known as u64);
    }
}

#[test]
fn a_wrong_checksum_fails_the_job_before_the_lead() {
    let bytes = noise(9 * MIB + 1);
    for check in [true, false] {
        let mut image = image(&bytes, true);
        image.checksum = Some(sha256(b"something else"));
        let disk = Arc::new(Disk::new(STICK, 512));
        let stopped = job(&Arc::new(image), &disk, check, &Meter::default()).unwrap_err();
        let StopReason::Image(ImageTrouble::ChecksumMismatch { expected, found }) = &stopped.reason
        else {
            panic!("{stopped:?}")
        };
        assert_eq!(*found, sha256(&bytes));
        assert_eq!(*expected, sha256(b"something else"));
        assert!(disk.content()[..512] != bytes[..512]);
    }
}

#[test]
fn the_checksum_of_the_packed_file_is_compared_where_it_is_meant() {
    let (packed, bytes) = (noise(300_000), noise(5 * MIB));
    for (expected, fits) in [(sha256(&packed), true), (sha256(&bytes), false)] {
        let (packed, content): (_, Arc<[u8]>) = (packed.clone(), bytes.clone().into());
        let mut image = Image::new(move || {
            let file = io::Cursor::new(packed.clone());
            let (mut file, tap) = Tapped::new(file, Algorithm::Sha256);
            // A decoder has no need of all that stands in a file.
            file.read_exact(&mut [0; 1000])?;
            let mut opened = Opened::new(Shared(Arc::clone(&content), 0));
            opened.tap = Some(tap);
            Ok(opened)
        });
        image.checksum = Some(expected);
        let disk = Arc::new(Disk::new(STICK, 512));
        let result = job(&Arc::new(image), &disk, true, &Meter::default());
        assert_eq!(result.is_ok(), fits);
    }
}

#[test]
fn the_share_of_the_packed_file_follows_what_the_stick_has() {
    struct Counts(Shared, Arc<AtomicU64>);
    impl Read for Counts {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.read(buffer)?;
            self.1.fetch_add(count as u64 / 8, Ordering::Relaxed);
            Ok(count)
        }
    }
    let bytes: Arc<[u8]> = noise(20 * MIB).into();
    let shared = Arc::clone(&bytes);
    let image = Arc::new(Image::new(move || {
        let used = Arc::new(AtomicU64::new(0));
        let reader = Counts(Shared(Arc::clone(&shared), 0), Arc::clone(&used));
        let mut opened = Opened::new(reader);
        opened.used = Some(Box::new(move || used.load(Ordering::Relaxed)));
        Ok(opened)
    }));
    let lane = lane(&image, false);
    let (used, meter) = (lane.used(), Arc::new(Meter::default()));
    let (seen, confirmed) = (Arc::clone(&used), Arc::clone(&meter));
    let last = AtomicU64::new(0);
    let disk = Arc::new(Disk::new(STICK, 512).with_hook(move |_, _| {
        let used = seen.load(Ordering::Relaxed);
        assert!(used >= last.swap(used, Ordering::Relaxed), "it only grows");
        // The lead is confirmed later than its block counts.
        assert!(used <= (confirmed.confirmed() + (1 << 20)) / 8);
    }));
    finish(lane, &image, &disk, false, &meter).unwrap();
    assert_eq!(used.load(Ordering::Relaxed), 20 * MIB as u64 / 8);
}
