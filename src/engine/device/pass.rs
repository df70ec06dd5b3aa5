use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::ImageTrouble;
use super::block::{BLOCK, Block};
use super::digest::Digest;
use super::image::{Image, Opened, fill};
use super::ring::{Ring, Unwanted};
use crate::engine::aligned::AlignedBuffer;
use crate::engine::bmap::RangeCheck;
use crate::engine::checksum::Hasher;
use crate::engine::pool::Pool;

/// Reads an image once from its start to its end, on a thread of its own, into a ring.
struct Pass {
    image: Arc<Image>,
    ring: Arc<Ring>,
    /// Blocks get digests.
    digests: bool,
    /// Awaited first, where only one may read at a time.
    turn: Option<Arc<Mutex<()>>>,
}

/// Why a pass ends early.
enum Stop {
    Unwanted,
    Trouble(ImageTrouble),
}

/// Starts one.
pub(super) fn start(
    image: Arc<Image>,
    ring: Arc<Ring>,
    digests: bool,
    turn: Option<Arc<Mutex<()>>>,
) {
    let pass = Pass {
        image,
        ring,
        digests,
        turn,
    };
    thread::Builder::new()
        .name("image".into())
        .spawn(move || pass.run())
        .expect("the system should be able to start a thread");
}

impl Pass {
    fn run(self) {
        let turn = self.turn.as_ref();
        let _turn = turn.map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        match self.read() {
            Ok(size) => self.ring.end(Ok(size)),
            Err(Stop::Trouble(trouble)) => self.ring.end(Err(trouble)),
            Err(Stop::Unwanted) => {}
        }
    }

    fn read(&self) -> Result<u64, Stop> {
        let Opened {
            mut reader,
            tap,
            used,
        } = self.image.open()?;
        let checksum = self.image.checksum.as_ref();
        let mut hasher = checksum
            .filter(|_| tap.is_none())
            .map(|checksum| Hasher::new(checksum.algorithm()));
        let mut ranges = self.image.map.as_ref().map(RangeCheck::new);
        let pool = Pool::default();
        let (mut size, mut index) = (0, 0);
        loop {
            let mut buffer = pool.take(|| AlignedBuffer::new(BLOCK as usize));
            let length = fill(&mut *reader, buffer.as_mut_slice())?;
            size += length as u64;
            self.check_size(size, length < BLOCK as usize)?;
            if length == 0 {
                break;
            }
            let bytes = &buffer.as_slice()[..length];
            if let Some(hasher) = &mut hasher {
                hasher.update(bytes);
            }
            if let Some(ranges) = &mut ranges {
                ranges.update(bytes).map_err(ImageTrouble::RangeMismatch)?;
            }
            let mut block = Block::new(index, length, buffer);
            block.digest = self.digests.then(|| digest(&block, &self.image));
            block.used = used.as_ref().map_or(0, |used| used());
            self.ring.put(block)?;
            index += 1;
            if length < BLOCK as usize {
                break;
            }
        }
        // A tap may have to read on, and so may find an error.
        let found = match (tap, hasher) {
            (Some(tap), _) if checksum.is_some() => Some(tap.finish()?),
            (_, hasher) => hasher.map(Hasher::finish),
        };
        match (checksum, found) {
            (Some(expected), Some(found)) if *expected != found => {
                Err(Stop::Trouble(ImageTrouble::ChecksumMismatch {
                    expected: expected.clone(),
                    found,
                }))
            }
            _ => Ok(size),
        }
    }

    fn check_size(&self, size: u64, at_end: bool) -> Result<(), ImageTrouble> {
        if at_end && size == 0 {
            return Err(ImageTrouble::Empty);
        }
        match self.image.known_size() {
            Some(expected) if size > expected || at_end && size < expected => {
                Err(ImageTrouble::SizeDiffers {
                    expected,
                    found: size,
                })
            }
            _ => Ok(()),
        }
    }
}

fn digest(block: &Block, image: &Image) -> Digest {
    let start = block.start();
    let written = image.written_of(start..block.end());
    let within = |range: Range<u64>| (range.start - start) as usize..(range.end - start) as usize;
    Digest::of(block.buffer(), written.into_iter().map(within))
}

impl Drop for Pass {
    /// A decoder that panics leaves nobody waiting.
    fn drop(&mut self) {
        let cause = std::io::Error::other("the reader of the image has failed");
        self.ring.end(Err(cause.into()));
    }
}

impl From<std::io::Error> for ImageTrouble {
    fn from(error: std::io::Error) -> Self {
        Self::Unreadable(Arc::new(error))
    }
}

impl From<std::io::Error> for Stop {
    fn from(error: std::io::Error) -> Self {
        Self::Trouble(error.into())
    }
}

impl From<ImageTrouble> for Stop {
    fn from(trouble: ImageTrouble) -> Self {
        Self::Trouble(trouble)
    }
}

impl From<Unwanted> for Stop {
    fn from(_: Unwanted) -> Self {
        Self::Unwanted
    }
}
