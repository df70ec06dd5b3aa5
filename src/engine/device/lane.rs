use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use super::block::{BLOCK, Block};
use super::digest::Digests;
use super::ring::{Ring, Taken};
use super::sharing::{ALONE, Sharing};
use super::{Image, ImageTrouble, StopReason, pass};
use crate::engine::Meter;

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
    /// Held by who reads, where only one may at a time.
    turn: Option<Arc<Mutex<()>>>,
}

/// Reads the image once for that many sticks, from now on. `checked` says whether they will be
/// read back; otherwise nothing is hashed that no published checksum needs.
///
/// A lane whose stick never begins, fails or stays away should be dropped. One that falls up to
/// 64 MiB behind a faster one goes on with a reader of its own, and holds up nobody.
pub fn lanes(image: &Arc<Image>, count: usize, checked: bool) -> Vec<Lane> {
    lanes_with(image, count, checked, Sharing::new(count, image.memory))
}

pub(super) fn lanes_with(
    image: &Arc<Image>,
    count: usize,
    checked: bool,
    sharing: Sharing,
) -> Vec<Lane> {
    let ring = Arc::new(Ring::new(sharing.capacity, count));
    let turn = (!sharing.at_once).then(Arc::default);
    pass::start(Arc::clone(image), Arc::clone(&ring), checked, turn.clone());
    let lane = |place| Lane {
        image: Arc::clone(image),
        ring: Arc::clone(&ring),
        place,
        taken: 0,
        hashed: checked,
        digests: Digests::default(),
        size: None,
        used: Arc::default(),
        turn: turn.clone(),
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
        pass::start(image, ring, self.hashed, self.turn.clone());
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
