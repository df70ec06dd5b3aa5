use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;

/// Bytes after which what has no place in it repeats.
const PERIOD: u64 = 1 << 20;
/// Bytes of a sector's place and of the tag behind it.
const PLACE: usize = 8;
const HEAD: usize = 2 * PLACE;

/// Test data for sticks. Each sector of 512 bytes tells its own place, and no other run's data
/// looks the same: what comes back from another place, or from an earlier run, is found out. It
/// cannot be packed.
#[derive(Debug)]
pub(super) struct Pattern {
    base: Vec<u8>,
    tag: [u8; PLACE],
}

impl Pattern {
    /// Bytes that tell their place; positions and lengths are multiples of it.
    pub(super) const SECTOR: usize = 512;

    /// One that was never used before.
    pub(super) fn random() -> Self {
        // The standard library asks the system for these keys.
        let mut key = [0; blake3::KEY_LEN];
        for part in key.chunks_exact_mut(8) {
            part.copy_from_slice(&RandomState::new().hash_one(0).to_le_bytes());
        }
        Self::keyed(&key)
    }

    fn keyed(key: &[u8; blake3::KEY_LEN]) -> Self {
        let mut noise = blake3::Hasher::new_keyed(key).finalize_xof();
        let mut base = vec![0; PERIOD as usize];
        let mut tag = [0; PLACE];
        noise.fill(&mut base);
        noise.fill(&mut tag);
        Self { base, tag }
    }

    /// What belongs at `position`.
    pub(super) fn fill(&self, position: u64, bytes: &mut [u8]) {
        for (sector, at) in sectors(position, bytes.len()) {
            let into = &mut bytes[sector..sector + Self::SECTOR];
            into.copy_from_slice(self.base_at(at));
            into[..PLACE].copy_from_slice(&at.to_le_bytes());
            into[PLACE..HEAD].copy_from_slice(&self.tag);
        }
    }

    /// Where in `bytes` the first sector is that does not belong there; they were read at `position`.
    pub(super) fn mismatch(&self, position: u64, bytes: &[u8]) -> Option<usize> {
        let mut sectors = sectors(position, bytes.len());
        let wrong = sectors.find(|(sector, at)| {
            self.place_of(&bytes[*sector..sector + Self::SECTOR]) != Some(*at)
        });
        wrong.map(|(sector, _)| sector)
    }

    /// The position that a sector was made for; `None` where it is not of this pattern.
    pub(super) fn place_of(&self, sector: &[u8]) -> Option<u64> {
        let (place, rest) = sector.split_first_chunk::<PLACE>()?;
        let place = u64::from_le_bytes(*place);
        let is_aligned = place.is_multiple_of(Self::SECTOR as u64);
        let is_ours = is_aligned && rest.starts_with(&self.tag);
        (is_ours && rest[PLACE..] == self.base_at(place)[HEAD..]).then_some(place)
    }

    fn base_at(&self, position: u64) -> &[u8] {
        let at = (position % PERIOD) as usize;
        &self.base[at..at + Self::SECTOR]
    }
}

/// Each sector's place in the bytes, and its position.
fn sectors(position: u64, length: usize) -> impl Iterator<Item = (usize, u64)> {
    debug_assert!(length.is_multiple_of(Pattern::SECTOR));
    debug_assert!(position.is_multiple_of(Pattern::SECTOR as u64));
    let sectors = (0..length).step_by(Pattern::SECTOR);
    sectors.map(move |sector| (sector, position + sector as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sector_tells_its_place_and_every_changed_byte_is_noticed() {
        let pattern = Pattern::random();
        let position = (5 << 30) + 512;
        let mut bytes = vec![0; 4096];
        pattern.fill(position, &mut bytes);
        assert_eq!(pattern.mismatch(position, &bytes), None);
        assert_eq!(pattern.place_of(&bytes[1024..1536]), Some(position + 1024));
        assert_eq!(pattern.mismatch(position - PERIOD, &bytes), Some(0));
        for byte in 0..bytes.len() {
            bytes[byte] ^= 1;
            let sector = byte / Pattern::SECTOR * Pattern::SECTOR;
            assert_eq!(pattern.mismatch(position, &bytes), Some(sector), "{byte}");
            bytes[byte] ^= 1;
        }
        // What an earlier run has left, and what an empty stick holds.
        assert_eq!(Pattern::random().mismatch(position, &bytes), Some(0));
        assert_eq!(pattern.mismatch(0, &[0; 512]), Some(0));
    }
}
