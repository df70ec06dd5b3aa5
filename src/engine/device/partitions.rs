use crate::engine::device::digest::SECTOR;

/// A GPT's own name for itself.
const GPT: &[u8] = b"EFI PART";
/// Partitions looked at: what most tables have room for.
const MOST: usize = 128;

/// Where the partitions of an image begin, in bytes, by the tables at its start; its own start is
/// one of them. What makes no sense is passed over.
pub(in crate::engine) fn starts(lead: &[u8]) -> Vec<u64> {
    let mut starts = vec![0];
    starts.extend(mbr(lead));
    for sector in [SECTOR, 4096] {
        starts.extend(gpt(lead, sector));
    }
    starts.sort_unstable();
    starts.dedup();
    starts
}

fn mbr(lead: &[u8]) -> impl Iterator<Item = u64> {
    let has_mbr = lead.get(510..512) == Some(&[0x55, 0xaa]);
    let entries = lead.get(446..510).filter(|_| has_mbr).unwrap_or(&[]);
    entries
        .chunks_exact(16)
        .filter(|entry| entry[4] != 0)
        .filter_map(|entry| number::<4>(entry, 8))
        .map(|block| block * SECTOR as u64)
}

fn gpt(lead: &[u8], sector: usize) -> impl Iterator<Item = u64> {
    let header = lead.get(sector..).filter(|header| header.starts_with(GPT));
    let entries = header.and_then(|header| {
        let at = number::<8>(header, 72)?.checked_mul(sector as u64)?;
        let count = number::<4>(header, 80)?.min(MOST as u64) as usize;
        let size = number::<4>(header, 84)? as usize;
        let entries = lead.get(usize::try_from(at).ok()?..)?;
        (128..=4096)
            .contains(&size)
            .then_some((entries, count, size))
    });
    let (entries, count, size) = entries.unwrap_or((&[], 0, 128));
    entries
        .chunks_exact(size)
        .take(count)
        .filter(|entry| entry[..16] != [0; 16])
        .filter_map(move |entry| number::<8>(entry, 32)?.checked_mul(sector as u64))
}

/// A number of `N` bytes, the lowest first.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..at + N)?;
    Some(
        bytes
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | u64::from(*byte)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_tables_tell_where_partitions_begin() {
        let mut lead = vec![0; 1 << 20];
        assert_eq!(starts(&lead), [0]);
        lead[510..512].copy_from_slice(&[0x55, 0xaa]);
        lead[446 + 4] = 0x0c;
        lead[446 + 8..446 + 12].copy_from_slice(&2048_u32.to_le_bytes());
        assert_eq!(starts(&lead), [0, 1 << 20]);
        lead[512..520].copy_from_slice(GPT);
        lead[512 + 72..512 + 80].copy_from_slice(&2_u64.to_le_bytes());
        lead[512 + 80..512 + 84].copy_from_slice(&128_u32.to_le_bytes());
        lead[512 + 84..512 + 88].copy_from_slice(&128_u32.to_le_bytes());
        lead[1024 + 128] = 7;
        lead[1024 + 128 + 32..1024 + 128 + 40].copy_from_slice(&8192_u64.to_le_bytes());
        assert_eq!(starts(&lead), [0, 1 << 20, 4 << 20]);
    }

    #[test]
    fn broken_tables_are_passed_over() {
        let mut lead = vec![0xff; 8192];
        lead[512..520].copy_from_slice(GPT);
        assert_eq!(starts(&lead[..600])[0], 0);
        assert_eq!(starts(&lead)[0], 0);
        assert_eq!(starts(&[]), [0]);
    }
}
