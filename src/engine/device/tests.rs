mod checking;
mod faults;
mod maps;
mod marks;
mod sources;
mod sticks;
mod writing;

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;
use crate::engine::Meter;
use crate::engine::testing::Disk;

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

/// Bytes that are different everywhere.
fn noise(size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    bytes
}

/// An image of these bytes, whose size is known or not.
fn image(bytes: &[u8], known: bool) -> Image {
    let shared: Arc<[u8]> = bytes.into();
    let mut image = Image::new(move || Ok(Opened::new(Shared(Arc::clone(&shared), 0))));
    image.size = known.then_some(bytes.len() as u64);
    image
}

/// Reads shared bytes without a copy of them all.
struct Shared(Arc<[u8]>, usize);

impl Read for Shared {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = (&self.0[self.1..]).read(buffer)?;
        self.1 += count;
        Ok(count)
    }
}

/// One lane of an image.
fn lane(image: &Arc<Image>, checked: bool) -> Lane {
    lanes(image, 1, checked).pop().unwrap()
}

/// A whole job with one stick.
fn job(
    image: &Arc<Image>,
    disk: &Arc<Disk>,
    check: bool,
    meter: &Meter,
) -> Result<Completed, Box<Stopped>> {
    finish(lane(image, check), image, disk, check, meter)
}

fn finish(
    lane: Lane,
    image: &Arc<Image>,
    disk: &Arc<Disk>,
    check: bool,
    meter: &Meter,
) -> Result<Completed, Box<Stopped>> {
    let written = write(lane, &**disk, None, meter)?;
    let checked = check.then(|| read_back(&written, image, disk, meter));
    let checked = checked.transpose().map_err(|reason| {
        Box::new(Stopped {
            reason,
            on_stick: OnStick::Incomplete,
        })
    })?;
    complete(&written, checked, &**disk, meter)
}

/// Counts how often an image is opened.
fn counted(bytes: &[u8]) -> (Arc<Image>, Arc<AtomicUsize>) {
    let opened = Arc::new(AtomicUsize::new(0));
    let (shared, count): (Arc<[u8]>, _) = (bytes.into(), Arc::clone(&opened));
    let image = Image::new(move || {
        count.fetch_add(1, Ordering::SeqCst);
        Ok(Opened::new(Shared(Arc::clone(&shared), 0)))
    });
    (Arc::new(image), opened)
}
