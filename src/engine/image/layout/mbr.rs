use crate::engine::image::container::little_endian_32;

/// Bytes of a sector that an MBR takes for granted.
pub(super) const SECTOR: u32 = 512;
/// The table, and the length of an entry.
const TABLE: usize = 446;
const ENTRY: usize = 16;
/// The type of an entry that only protects a GPT.
const PROTECTIVE: u8 = 0xEE;

/// Finds a table with at least one partition; yields the bytes up to the end of the last.
pub(super) fn find(head: &[u8]) -> Option<u64> {
    let sector = head.first_chunk::<512>()?;
    if sector[510..] != [0x55, 0xAA] {
        return None;
    }
    let entries = sector[TABLE..510].as_chunks::<ENTRY>().0;
    // Bytes of a program in the table's place hardly begin so four times.
    if entries.iter().any(|entry| entry[0] & 0x7F != 0) {
        return None;
    }
    entries.iter().filter_map(end).max()
}

/// Where a partition ends, in bytes.
fn end(entry: &[u8; ENTRY]) -> Option<u64> {
    let start = little_endian_32(entry, 8)?;
    let length = little_endian_32(entry, 12)?;
    match entry[4] {
        0 => None,
        _ if length == 0 => None,
        PROTECTIVE => Some(0),
        _ => Some((u64::from(start) + u64::from(length)) * u64::from(SECTOR)),
    }
}
