use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::block::{BLOCK, Block};
use super::digest::Digests;
use super::ring::{Ring, Taken};
use super::{Image, ImageTrouble, StopReason, pass};
use crate::engine::Meter;

/// Blocks that may wait for the sticks of a pass: 64 MiB.
const SHARED: usize = 16;
/// Blocks that may wait for an only stick: 16 MiB. They bridge a slow moment of the source or of a
/// decoder; more would only be memory that is touched once, and beside a decoder's 64 MiB too much.
const SINGLE: usize = 4;
/// Blocks that may wait for a stick on its own. With the one being read, the one being written and
/// the lead it has 13 MiB; a further stick may cost 16.
const ALONE: usize = 1;
/// How long a lane waits before it looks whether its job was cancelled.
const PATIENCE: Duration = Duration::from_millis(250);

/// One stick's way through an image: all its blocks, in order.
#[derive(Debug)]
pub struct Lane {
    image: Arc<Image>,
    ring: Arc<Ring>,
    place: usize,
    /// Blocks taken so far.
    taken: u64,
    hashed: bool,
    digests: Digests,
    size: Option<u64>,
    used: Arc<AtomicU64>,
}

/// Reads the image once for that many sticks, from now on. `checked` says whether they will be
/// read back; otherwise nothing is hashed that no published checksum needs.
///
/// A lane whose stick never begins, fails or stays away should be dropped. One that falls 64 MiB
/// behind a faster one goes on with a reader of its own, and holds up nobody.
pub fn lanes(image: &Arc<Image>, count: usize, checked: bool) -> Vec<Lane> {
    let capacity = if count == 1 { SINGLE } else { SHARED };
    lanes_with(image, count, checked, capacity)
}

pub(super) fn lanes_with(
    image: &Arc<Image>,
    count: usize,
    checked: bool,
    capacity: usize,
) -> Vec<Lane> {
    let ring = Arc::new(Ring::new(capacity, count));
    pass::start(Arc::clone(image), Arc::clone(&ring), checked);
    let lane = |place| Lane {
        image: Arc::clone(image),
        ring: Arc::clone(&ring),
        place,
        taken: 0,
        hashed: checked,
        digests: Digests::default(),
        size: None,
        used: Arc::default(),
    };
    (0..count).map(lane).collect()
}

impl Lane {
    /// Bytes of the packed file whose image is confirmed on this stick: only grows, and so makes a
    /// share of the whole where the image's own size is not known.
    pub fn used(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.used)
    }

    pub(super) fn image(&self) -> &Arc<Image> {
        &self.image
    }

    /// The next block; `None` at the end of an image that is what it should be.
    pub(super) fn next(&mut self, meter: &Meter) -> Result<Option<Arc<Block>>, StopReason> {
        loop {
            if meter.is_cancelled() {
                return Err(StopReason::Cancelled);
            }
            match self.ring.take(self.place, PATIENCE) {
                Taken::Nothing => {}
                Taken::Behind => self.go_on_alone(),
                Taken::Trouble(trouble) => return Err(StopReason::Image(trouble)),
                Taken::Block(block) if block.index < self.taken => self.compare(&block)?,
                Taken::Block(block) => {
                    self.taken += 1;
                    self.digests.0.extend(block.digest);
                    return Ok(Some(block));
                }
                Taken::End(size) if size.div_ceil(BLOCK) == self.taken => {
                    self.size = Some(size);
                    return Ok(None);
                }
                Taken::End(_) => return Err(StopReason::Image(ImageTrouble::Changed)),
            }
        }
    }

    /// A block is confirmed on the stick.
    pub(super) fn confirmed(&self, block: &Block) {
        self.used.fetch_max(block.used, Ordering::Relaxed);
    }

    /// Bytes of the image and what is remembered of it, at its end.
    pub(super) fn into_end(mut self) -> (u64, Digests) {
        let size = self.size.expect("the end was reached");
        (size, std::mem::take(&mut self.digests))
    }

    /// Reads anew. What the stick has already is passed over.
    fn go_on_alone(&mut self) {
        self.ring = Arc::new(Ring::new(ALONE, 1));
        self.place = 0;
        let (image, ring) = (Arc::clone(&self.image), Arc::clone(&self.ring));
        pass::start(image, ring, self.hashed);
    }

    /// A block that was taken before must be the same again.
    fn compare(&self, block: &Block) -> Result<(), StopReason> {
        let before = self.digests.0.get(block.index as usize);
        if before.copied() == block.digest && block.length as u64 == BLOCK {
            Ok(())
        } else {
            Err(StopReason::Image(ImageTrouble::Changed))
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.ring.leave(self.place);
    }
}
