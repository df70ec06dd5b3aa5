use std::io::{self, Read, Seek, SeekFrom};

use flate2::Crc;

use super::{Size, Told};

/// A stream's header and its footer have the same size, and all is a multiple of four.
const HEADER: u64 = 12;
/// Streams that are looked at, and bytes of zeroes between them.
const MOST_STREAMS: u32 = 4096;
const MOST_PADDING: u64 = 64 * 1024;
/// Larger indices are not read. Bytes.
const LARGEST_INDEX: u64 = 8 * 1024 * 1024;

/// What cannot be, or is not to be read.
enum Stop {
    Source(io::Error),
    Corrupt,
    Enough,
}

/// Adds up what the indices of all streams say, from the last to the first. The format:
/// `xz-file-format.txt` of XZ Utils.
pub(super) fn told(source: &mut (impl Read + Seek), file_size: u64) -> io::Result<Told> {
    let mut end = file_size;
    let mut total: u64 = 0;
    for _ in 0..MOST_STREAMS {
        match last_stream(source, end) {
            Ok((start, size)) => {
                total = total.saturating_add(size);
                if start == 0 {
                    return Ok(Told::Size(Size::Exact(total)));
                }
                end = start;
            }
            Err(Stop::Source(error)) => return Err(error),
            Err(Stop::Corrupt) => return Ok(Told::Corrupt(end)),
            Err(Stop::Enough) => break,
        }
    }
    Ok(Told::Size(Size::AtLeast(total)))
}

/// Where the last stream before `end` begins, and the bytes that it holds.
fn last_stream(source: &mut (impl Read + Seek), end: u64) -> Result<(u64, u64), Stop> {
    let end = before_padding(source, end)?;
    let footer_at = end.checked_sub(HEADER).ok_or(Stop::Corrupt)?;
    let footer: [u8; HEADER as usize] = read_at(source, footer_at)?;
    let [c0, c1, c2, c3, b0, b1, b2, b3, _, _, b'Y', b'Z'] = footer else {
        return Err(Stop::Corrupt);
    };
    if crc(&footer[4..10]) != [c0, c1, c2, c3] {
        return Err(Stop::Corrupt);
    }
    let index_length = (u64::from(u32::from_le_bytes([b0, b1, b2, b3])) + 1) * 4;
    let index_at = footer_at.checked_sub(index_length).ok_or(Stop::Corrupt)?;
    if index_length > LARGEST_INDEX {
        return Err(Stop::Enough);
    }
    let mut index = vec![0; index_length as usize];
    seek_and_read(source, index_at, &mut index)?;
    let (packed, size) = read_index(&index).ok_or(Stop::Corrupt)?;
    let start = index_at
        .checked_sub(packed)
        .and_then(|blocks| blocks.checked_sub(HEADER))
        .ok_or(Stop::Corrupt)?;
    let header: [u8; HEADER as usize] = read_at(source, start)?;
    if !header.starts_with(b"\xFD7zXZ\0") {
        return Err(Stop::Corrupt);
    }
    Ok((start, size))
}

fn before_padding(source: &mut (impl Read + Seek), mut end: u64) -> Result<u64, Stop> {
    let lowest = end.saturating_sub(MOST_PADDING);
    loop {
        let word = end.checked_sub(4).ok_or(Stop::Corrupt)?;
        if read_at::<4>(source, word)? != [0; 4] {
            return Ok(end);
        }
        if word <= lowest {
            return Err(Stop::Enough);
        }
        end = word;
    }
}

/// Bytes that an index's blocks take, and bytes that they hold.
fn read_index(index: &[u8]) -> Option<(u64, u64)> {
    let (body, checksum) = index.split_last_chunk::<4>()?;
    if crc(body) != *checksum {
        return None;
    }
    let (marker, mut rest) = body.split_first()?;
    if *marker != 0 {
        return None;
    }
    let count = number(&mut rest)?;
    let (mut packed, mut size) = (0_u64, 0_u64);
    for _ in 0..count {
        packed = packed.checked_add(number(&mut rest)?.checked_next_multiple_of(4)?)?;
        size = size.checked_add(number(&mut rest)?)?;
    }
    (rest.len() < 4 && rest.iter().all(|byte| *byte == 0)).then_some((packed, size))
}

/// A number in groups of seven bits, the lowest first; the last has no eighth bit.
fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for group in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7F) << (group * 7);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn crc(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

fn read_at<const N: usize>(source: &mut (impl Read + Seek), at: u64) -> Result<[u8; N], Stop> {
    let mut bytes = [0; N];
    seek_and_read(source, at, &mut bytes)?;
    Ok(bytes)
}

fn seek_and_read(source: &mut (impl Read + Seek), at: u64, bytes: &mut [u8]) -> Result<(), Stop> {
    source
        .seek(SeekFrom::Start(at))
        .and_then(|_| source.read_exact(bytes))
        .map_err(Stop::Source)
}
