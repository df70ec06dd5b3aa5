use crate::engine::image::container::{little_endian_32, little_endian_64};

/// A table that was found.
pub(super) struct Gpt {
    /// Bytes.
    pub sector_size: u32,
    /// Bytes up to the end of the last partition.
    pub reaches: Option<u64>,
}

/// The table lies in the second sector; where that is tells the sector's size.
const SECTOR_SIZES: [u32; 3] = [512, 4096, 2048];
/// More entries are not looked at.
const MOST_ENTRIES: usize = 1024;

pub(super) fn find(head: &[u8]) -> Option<Gpt> {
    SECTOR_SIZES.iter().find_map(|size| {
        let header = head.get(*size as usize..)?;
        let is_first = little_endian_64(header, 24)? == 1;
        (header.starts_with(b"EFI PART") && is_first).then(|| Gpt {
            sector_size: *size,
            reaches: reaches(head, header, u64::from(*size)),
        })
    })
}

fn reaches(head: &[u8], header: &[u8], sector: u64) -> Option<u64> {
    let first = little_endian_64(header, 72)?.checked_mul(sector)?;
    let count = little_endian_32(header, 80)? as usize;
    let length = little_endian_32(header, 84)? as usize;
    if length < 128 {
        return None;
    }
    let entries = head.get(usize::try_from(first).ok()?..)?;
    let last = entries
        .chunks_exact(length)
        .take(count.min(MOST_ENTRIES))
        .filter(|entry| entry[..16] != [0; 16])
        .filter_map(|entry| little_endian_64(entry, 40))
        .max()?;
    last.checked_add(1)?.checked_mul(sector)
}
