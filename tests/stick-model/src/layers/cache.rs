use std::{
    collections::{BTreeMap, btree_map::Entry},
    fs::File,
    io,
    ops::Range,
    os::unix::fs::FileExt,
};

/// What survives a pull or does not, as one. The medium's size is a multiple of 512, so the
/// last block may be shorter.
pub(super) const BLOCK: u64 = 4096;

/// Blocks that were written and not flushed, by number.
#[derive(Debug, Default)]
pub(super) struct Cache {
    blocks: BTreeMap<u64, Box<[u8]>>,
}

impl Cache {
    /// Puts what is cached over `buffer`, which begins at `offset`.
    pub(super) fn read(&self, buffer: &mut [u8], offset: u64) {
        let end = offset + buffer.len() as u64;
        for (number, block) in self.blocks.range(offset / BLOCK..end.div_ceil(BLOCK)) {
            let (inside, outside) = overlap(number * BLOCK, block.len(), offset, buffer.len());
            buffer[outside].copy_from_slice(&block[inside]);
        }
    }

    /// Puts `data` at `offset` into cached blocks and leaves out the others.
    pub(super) fn update(&mut self, data: &[u8], offset: u64) {
        let end = offset + data.len() as u64;
        for (number, block) in self.blocks.range_mut(offset / BLOCK..end.div_ceil(BLOCK)) {
            let (inside, outside) = overlap(number * BLOCK, block.len(), offset, data.len());
            block[inside].copy_from_slice(&data[outside]);
        }
    }

    /// Caches `data` at `offset`; what else is in its blocks comes from the medium.
    pub(super) fn write(&mut self, data: &[u8], offset: u64, medium: &File) -> io::Result<()> {
        let end = offset + data.len() as u64;
        for number in offset / BLOCK..end.div_ceil(BLOCK) {
            if let Entry::Vacant(vacant) = self.blocks.entry(number) {
                vacant.insert(load(number, medium)?);
            }
        }
        self.update(data, offset);
        Ok(())
    }

    /// The cached blocks with their numbers, ascending.
    pub(super) fn blocks(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.blocks
            .iter()
            .map(|(number, block)| (*number, &**block))
    }

    pub(super) fn clear(&mut self) {
        self.blocks.clear();
    }
}

/// A block as it is on the medium.
fn load(number: u64, medium: &File) -> io::Result<Box<[u8]>> {
    let start = number * BLOCK;
    let length = medium.metadata()?.len().saturating_sub(start).min(BLOCK);
    let mut block = vec![0; length as usize].into_boxed_slice();
    medium.read_exact_at(&mut block, start)?;
    Ok(block)
}

/// Where two ranges that overlap do so, as indices into the first and into the second.
fn overlap(
    first: u64,
    first_length: usize,
    second: u64,
    second_length: usize,
) -> (Range<usize>, Range<usize>) {
    let start = first.max(second);
    let end = (first + first_length as u64)
        .min(second + second_length as u64)
        .max(start);
    (
        (start - first) as usize..(end - first) as usize,
        (start - second) as usize..(end - second) as usize,
    )
}
