//! Bytes of a reproducible sort.

/// A small generator of numbers that look random.
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }
}

/// Bytes like those of a disk: some that pack well, some that do not, some zeroes.
pub(super) fn mixed(length: usize) -> Vec<u8> {
    let mut chance = Chance::new(length as u64 + 1);
    let mut bytes = Vec::with_capacity(length + 4096);
    while bytes.len() < length {
        let run = 1 + chance.below(2000);
        match chance.below(3) {
            0 => bytes.resize(bytes.len() + run, 0),
            1 => bytes.extend((0..run).map(|_| chance.next() as u8)),
            _ => bytes.extend(b"a sector of a disk ".iter().cycle().take(run)),
        }
    }
    bytes.truncate(length);
    bytes
}
