use super::block::BLOCK;
use super::lead::LEAD;

/// Blocks that may wait for several sticks: 64 MiB.
const SHARED: usize = 16;
/// Blocks that may wait for an only stick: 16 MiB. They bridge a slow moment of the source or of a
/// decoder; more would only be memory that is touched once, and beside a decoder's 64 MiB too much.
const SINGLE: usize = 4;
/// Blocks that may wait for a stick on its own, which has fallen behind the others.
pub(super) const ALONE: usize = 1;

/// Bytes for everything here with one stick: 120 MB for a whole program, of which it needs some
/// itself.
const ROOM: u64 = 104_000_000;
/// Bytes more for each further stick.
const FURTHER: u64 = 16_000_000;
/// Beside those that wait, one block is being read and one written.
const MOVING: u64 = 2;

/// How the sticks that one image goes to share the computer's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sharing {
    /// Blocks that may wait for them.
    pub(super) capacity: usize,
    /// A stick that falls behind reads the image anew while the others go on. Otherwise, where a
    /// reader of its own would take too much, it begins when theirs is through.
    pub(super) at_once: bool,
}

impl Sharing {
    /// For that many sticks and an image whose reader takes so many bytes.
    pub(super) fn new(sticks: usize, reader: u64) -> Self {
        if sticks <= 1 {
            return Self {
                capacity: SINGLE,
                at_once: true,
            };
        }
        let further = sticks as u64 - 1;
        let fixed = MOVING * BLOCK + sticks as u64 * LEAD + reader;
        let left = (ROOM + further * FURTHER).saturating_sub(fixed);
        let alone = (ALONE as u64 + MOVING) * BLOCK + reader;
        let blocks = |bytes: u64| (bytes / BLOCK) as usize;
        let beside_all = blocks(left.saturating_sub(further * alone));
        let at_once = beside_all >= SINGLE;
        let capacity = if at_once {
            beside_all
        } else {
            // The first that begins then finds what waits for the others still there.
            blocks(left.saturating_sub(alone - reader))
        };
        Self {
            capacity: capacity.clamp(ALONE, SHARED),
            at_once,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// The most that it can come to.
    fn most(sticks: u64, reader: u64, sharing: Sharing) -> u64 {
        let alone = if sharing.at_once { sticks - 1 } else { 1 };
        let waiting = (sharing.capacity as u64 + MOVING) * BLOCK;
        let behind = (ALONE as u64 + MOVING) * BLOCK;
        let readers = if sharing.at_once { sticks } else { 1 };
        waiting + alone * behind + readers * reader + sticks * LEAD
    }

    #[test]
    fn all_that_is_in_memory_stays_within_the_bound() {
        for sticks in 2..40 {
            for reader in (0..=72).step_by(3).map(|it| it * MIB) {
                let sharing = Sharing::new(sticks as usize, reader);
                let bound = ROOM + (sticks - 1) * FURTHER;
                let most = most(sticks, reader, sharing);
                assert!(most <= bound, "{sticks} sticks, {reader}: {most}");
                assert!(sharing.capacity >= SINGLE, "{sticks} sticks, {reader}");
            }
        }
    }

    #[test]
    fn only_what_takes_much_is_read_by_one_after_the_other() {
        for (sticks, reader, expected) in [
            (2, 4, (SHARED, true)),
            (10, 4, (SHARED, true)),
            // What `xz` packs as it is usually called.
            (2, 13, (SHARED, true)),
            // `xz -9`.
            (2, 70, (5, false)),
        ] {
            let sharing = Sharing::new(sticks, reader * MIB);
            assert_eq!((sharing.capacity, sharing.at_once), expected);
        }
        assert_eq!(Sharing::new(1, 72 * MIB).capacity, SINGLE);
    }
}
