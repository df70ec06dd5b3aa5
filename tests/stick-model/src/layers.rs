//! What a stick holds: the medium and the volatile cache in front of it.

use std::{fs::File, io, ops::Range, os::unix::fs::FileExt};

mod cache;

use crate::Parameters;
use cache::{BLOCK, Cache};

/// The medium, which a pull leaves alone, and what was written but not flushed.
///
/// Without a volatile cache every write goes straight to the medium.
#[derive(Debug)]
pub(crate) struct Layers {
    medium: File,
    cache: Option<Cache>,
    seed: u64,
    keep: f64,
}

impl Layers {
    pub(crate) fn new(medium: File, parameters: &Parameters) -> Self {
        Self {
            medium,
            cache: parameters.volatile_cache.then(Cache::default),
            seed: parameters.seed,
            keep: parameters.keep,
        }
    }

    /// Fills `buffer` with what the host sees at `offset`.
    pub(crate) fn read(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.medium.read_exact_at(buffer, offset)?;
        if let Some(cache) = &self.cache {
            cache.read(buffer, offset);
        }
        Ok(())
    }

    /// Takes `data`. True if a pull may now lose it.
    pub(crate) fn write(&mut self, data: &[u8], offset: u64, durable: bool) -> io::Result<bool> {
        let Some(cache) = &mut self.cache else {
            self.medium.write_all_at(data, offset)?;
            return Ok(false);
        };
        if durable {
            // Only these bytes: what else waits in the same blocks goes on waiting.
            self.medium.write_all_at(data, offset)?;
            cache.update(data, offset);
        } else {
            cache.write(data, offset, &self.medium)?;
        }
        Ok(!durable)
    }

    /// Makes everything durable.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let Some(cache) = &mut self.cache else {
            return Ok(());
        };
        for (number, block) in cache.blocks() {
            self.medium.write_all_at(block, number * BLOCK)?;
        }
        cache.clear();
        Ok(())
    }

    /// The power is gone: each unflushed block survives or not, by the seed. Returned are those
    /// that do; afterwards the medium's file is synced.
    pub(crate) fn power_off(&mut self) -> io::Result<Vec<Range<u64>>> {
        let mut survived = Vec::new();
        if let Some(cache) = &mut self.cache {
            for (number, block) in cache.blocks() {
                if survives(number, self.seed, self.keep) {
                    let start = number * BLOCK;
                    self.medium.write_all_at(block, start)?;
                    survived.push(start..start + block.len() as u64);
                }
            }
            cache.clear();
        }
        self.medium.sync_all()?;
        Ok(survived)
    }
}

/// A coin for each block, the same in every run with the same seed, in whatever order blocks came.
fn survives(block: u64, seed: u64, keep: f64) -> bool {
    // The output function of SplitMix64.
    let mut mixed = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(block.wrapping_add(1).wrapping_mul(0xd1b5_4a32_d192_ed03));
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    // The upper 53 bits are a number from 0 up to, not including, 1.
    ((mixed >> 11) as f64) / 2_f64.powi(53) < keep
}

#[cfg(test)]
mod tests;
