use std::ops::Range;

use super::digest::{Digests, SECTOR, fingerprint};

/// More changed bytes than that are no note that a system leaves in a superblock.
const FEW: usize = 1024;
/// From the start of a partition: superblocks and boot sectors of all usual file systems, btrfs's
/// at 64 KiB the last.
const SUPERBLOCKS: u64 = 68 << 10;

/// What may be behind a stick that reads differently from what was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Guess {
    /// It loses or garbles data.
    FailingStick,
    /// It claims to have more room than it has: what went beyond has overwritten other parts, or
    /// was never kept.
    FakeCapacity,
    /// The computer has noted something in a file system on it, as when it was mounted.
    ChangedBySystem,
}

/// What is known about a block that reads differently.
pub(super) struct Evidence<'a> {
    /// Where it begins in the image.
    pub(super) start: u64,
    /// What the stick has.
    pub(super) found: &'a [u8],
    /// What it should have, where that could be read again; as long as `found`.
    pub(super) wanted: Option<&'a [u8]>,
    /// What of both counts, in order.
    pub(super) written: &'a [Range<usize>],
    /// Of the whole image.
    pub(super) digests: &'a Digests,
    /// Where its partitions begin.
    pub(super) partitions: &'a [u64],
    /// Samples of the blocks behind it.
    pub(super) later: &'a [Later],
}

/// How a later block reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Later {
    /// As it was written.
    Equal,
    /// As the same byte throughout.
    Uniform,
    /// Some other way.
    Different,
}

impl Evidence<'_> {
    /// The first byte that differs, where that can be known.
    pub(super) fn first(&self) -> Option<u64> {
        self.differing().next().map(|at| self.start + at as u64)
    }

    pub(super) fn guess(&self) -> Guess {
        if self.is_from_elsewhere() || self.was_never_kept() {
            Guess::FakeCapacity
        } else if self.is_a_note() {
            Guess::ChangedBySystem
        } else {
            Guess::FailingStick
        }
    }

    fn differing(&self) -> impl Iterator<Item = usize> {
        let wanted = self.wanted.into_iter();
        wanted.flat_map(|wanted| {
            let all = self.written.iter().cloned().flatten();
            all.filter(|at| wanted[*at] != self.found[*at])
        })
    }

    /// A sector has what belongs to another place of the image.
    fn is_from_elsewhere(&self) -> bool {
        self.sectors().any(|at| {
            let sector = at..at + SECTOR;
            let found = &self.found[sector.clone()];
            let own = self.start + at as u64;
            let is_right = self.wanted.is_some_and(|wanted| wanted[sector] == *found);
            let elsewhere = |mark| self.digests.find(mark).any(|place| place != own);
            !is_right && fingerprint(found).is_some_and(elsewhere)
        })
    }

    /// All from some place on is the same byte.
    fn was_never_kept(&self) -> bool {
        let first = self.differing().next().unwrap_or(0);
        let mut rest = self.sectors().filter(|at| at + SECTOR > first);
        let uniform = rest.all(|at| is_uniform(&self.found[at.max(first)..at + SECTOR]));
        let lost = self.later.contains(&Later::Uniform);
        uniform && lost && !self.later.contains(&Later::Different)
    }

    /// A few bytes at the start of a partition.
    fn is_a_note(&self) -> bool {
        let near = |at: u64| {
            let mut starts = self.partitions.iter();
            starts.any(|start| (*start..start + SUPERBLOCKS).contains(&at))
        };
        let count = self.differing().take(FEW + 1).count();
        (1..=FEW).contains(&count) && self.differing().all(|at| near(self.start + at as u64))
    }

    /// Where whole sectors begin in what counts.
    fn sectors(&self) -> impl Iterator<Item = usize> {
        self.written.iter().flat_map(|range| {
            let sectors = range.clone().step_by(SECTOR);
            sectors.filter(|at| at + SECTOR <= range.end)
        })
    }
}

/// Whether it is the same byte throughout.
pub(super) fn is_uniform(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == bytes[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::device::block::BLOCK;
    use crate::engine::device::digest::Digest;

    const SIZE: usize = BLOCK as usize;

    /// An image of two blocks, which differ everywhere.
    fn image() -> (Vec<u8>, Digests) {
        let mut bytes = vec![0; 2 * SIZE];
        blake3::Hasher::new().finalize_xof().fill(&mut bytes);
        let digests = bytes
            .chunks(SIZE)
            .map(|block| Digest::of(block, std::iter::once(0..SIZE)));
        (bytes.clone(), Digests(digests.collect()))
    }

    fn guess(found: &[u8], wanted: Option<&[u8]>, digests: &Digests, later: &[Later]) -> Guess {
        let all = 0..SIZE;
        let evidence = Evidence {
            start: 0,
            found,
            wanted,
            written: std::slice::from_ref(&all),
            digests,
            partitions: &[0, 1 << 20],
            later,
        };
        evidence.guess()
    }

    #[test]
    fn each_trouble_has_its_own_look() {
        let (image, digests) = image();
        let wanted = &image[..SIZE];
        let other = &image[SIZE..];
        let with = |at: usize, new: &[u8]| {
            let mut found = wanted.to_vec();
            found[at..at + new.len()].copy_from_slice(new);
            found
        };
        let zeroes = vec![0; SIZE - 700_000];
        let junk: Vec<u8> = (0..5000).map(|n| (n % 251) as u8).collect();
        let (lost, kept) = ([Later::Uniform, Later::Equal], [Later::Equal]);
        for (what, found, later, guess_of_it) in [
            (
                "the other block",
                other.to_vec(),
                &kept[..],
                Guess::FakeCapacity,
            ),
            (
                "shifted",
                with(512, &other[..SIZE - 512]),
                &kept,
                Guess::FakeCapacity,
            ),
            (
                "lost from here on",
                with(700_000, &zeroes),
                &lost,
                Guess::FakeCapacity,
            ),
            (
                "zeroes here alone",
                with(700_000, &zeroes),
                &kept,
                Guess::FailingStick,
            ),
            ("junk", with(2_000_000, &junk), &kept, Guess::FailingStick),
            (
                "junk there",
                with(1 << 20, &junk),
                &kept,
                Guess::FailingStick,
            ),
            (
                "a date there",
                with((1 << 20) + 1080, b"2026"),
                &kept,
                Guess::ChangedBySystem,
            ),
            (
                "a date elsewhere",
                with(3 << 20, b"2026"),
                &kept,
                Guess::FailingStick,
            ),
        ] {
            assert_eq!(
                guess(&found, Some(wanted), &digests, later),
                guess_of_it,
                "{what}"
            );
        }
        // Without knowing what should be there.
        assert_eq!(guess(other, None, &digests, &kept), Guess::FakeCapacity);
        let junk = with(2_000_000, &junk);
        assert_eq!(guess(&junk, None, &digests, &kept), Guess::FailingStick);
    }

    #[test]
    fn sectors_that_are_alike_everywhere_say_nothing() {
        let block = vec![0; SIZE];
        let digest = Digest::of(&block, std::iter::once(0..SIZE));
        let digests = Digests(vec![digest; 3]);
        let wanted = vec![7; SIZE];
        let found = guess(&block, Some(&wanted), &digests, &[Later::Equal]);
        assert_eq!(found, Guess::FailingStick);
    }
}
