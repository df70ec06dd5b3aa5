use super::block::BLOCK;

/// Places in a block that are remembered on their own.
const MARKS: usize = 4;
/// Bytes of each: the least logical block.
pub(super) const SECTOR: usize = 512;

/// What is remembered of a block to recognise it later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Digest {
    /// Of what is written of it, in order.
    pub(super) hash: blake3::Hash,
    /// [`fingerprint`] of the sector at each MiB of it.
    pub(super) marks: [Option<u64>; MARKS],
}

/// What is remembered of an image: 80 bytes for each 4 MiB. Empty where nothing is read back.
#[derive(Debug, Clone, Default)]
pub(super) struct Digests(pub(super) Vec<Digest>);

impl Digest {
    /// Of a block's bytes; `written` are ranges in it.
    pub(super) fn of(bytes: &[u8], written: impl Iterator<Item = std::ops::Range<usize>>) -> Self {
        let mut hasher = blake3::Hasher::new();
        let mut marks = [None; MARKS];
        for range in written {
            for (mark, at) in marks.iter_mut().zip((0..).step_by(BLOCK as usize / MARKS)) {
                if range.start <= at && at + SECTOR <= range.end {
                    *mark = fingerprint(&bytes[at..at + SECTOR]);
                }
            }
            hasher.update(&bytes[range]);
        }
        Self {
            hash: hasher.finalize(),
            marks,
        }
    }
}

/// Recognises a sector; `None` for one that is the same byte throughout, as there are many.
pub(super) fn fingerprint(sector: &[u8]) -> Option<u64> {
    if sector.iter().all(|byte| *byte == sector[0]) {
        return None;
    }
    let hash = blake3::hash(sector);
    let bytes = hash.as_bytes().first_chunk().expect("a hash has 32 bytes");
    Some(u64::from_le_bytes(*bytes))
}

impl Digests {
    /// Where in the image the sector with that fingerprint is, if it is at a whole MiB.
    pub(super) fn find(&self, fingerprint: u64) -> impl Iterator<Item = u64> {
        self.0
            .iter()
            .zip(0..)
            .flat_map(move |(digest, index): (_, u64)| {
                let marks = digest.marks.into_iter().zip(0_u64..);
                marks
                    .filter(move |(mark, _)| *mark == Some(fingerprint))
                    .map(move |(_, mark)| index * BLOCK + mark * (BLOCK / MARKS as u64))
            })
    }
}
