use super::Container;
use super::container::{ZSTD, is_skippable, little_endian_32, little_endian_64};
use super::decoded::BUFFERS;

/// Bytes of memory that unpacking an image may take, its buffers included. It holds a window of
/// 64 MiB (`xz -9`, `zstd --long=26`), not one of 128 MiB (`zstd --long=27`).
pub const MOST_MEMORY: u64 = 72 * 1024 * 1024;

/// What a decoder may take for itself.
pub(super) const MOST_OF_DECODER: u64 = MOST_MEMORY - BUFFERS;
/// The same for zstd, which asks for the logarithm of the window.
pub(super) const MOST_WINDOW_LOG: u32 = 26;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// Bytes that the decoder takes for what begins so; the buffers between threads come on top.
pub(super) fn of_decoder(container: Container, head: &[u8]) -> u64 {
    match container {
        Container::Gzip | Container::Zip => 256 * KIB,
        // Five bytes for each of a block, which has at most 900 kB.
        Container::Bzip2 => 5 * MIB,
        // Two blocks of 4 MiB and a packed one.
        Container::Lz4 => 13 * MIB,
        Container::Xz => xz_dictionary(head).unwrap_or(0).saturating_add(MIB),
        // A file may claim anything.
        Container::Zstd => zstd_window(head).unwrap_or(0).saturating_add(MIB),
    }
}

/// The size of the first block's dictionary. The format: `xz-file-format.txt` of XZ Utils, 3.1.
fn xz_dictionary(head: &[u8]) -> Option<u64> {
    const LZMA2: u8 = 0x21;
    let (length, header) = head.get(12..)?.split_first()?;
    let header = header.get(..usize::from(*length) * 4)?;
    let (flags, mut rest) = header.split_first()?;
    let sizes = (flags >> 6).count_ones();
    for _ in 0..sizes {
        let size = rest.iter().position(|byte| byte & 0x80 == 0)?;
        rest = &rest[size + 1..];
    }
    for _ in 0..=(flags & 3) {
        // Identifiers and lengths of all filters but made-up ones are single bytes.
        let [identifier, length, properties @ ..] = rest else {
            return None;
        };
        let (properties, others) = properties.split_at_checked(usize::from(*length))?;
        if *identifier == LZMA2 {
            let bits = u32::from(*properties.first()?).min(40);
            return Some(u64::from(2 | bits & 1) << (bits / 2 + 11));
        }
        rest = others;
    }
    None
}

/// The first frame's window. The format: RFC 8878, 3.1.1.1.
fn zstd_window(mut head: &[u8]) -> Option<u64> {
    while is_skippable(little_endian_32(head, 0)?) {
        let length = little_endian_32(head, 4)? as usize;
        head = head.get(8..)?.get(length..)?;
    }
    if little_endian_32(head, 0)? != ZSTD {
        return None;
    }
    let flags = *head.get(4)?;
    if flags & 0x20 == 0 {
        let window = u64::from(*head.get(5)?);
        let base = 1 << (10 + (window >> 3));
        return Some(base + base / 8 * (window & 7));
    }
    // The whole content is the window; its size follows a dictionary's number.
    let at = 5 + [0, 1, 2, 4][usize::from(flags & 3)];
    match flags >> 6 {
        0 => head.get(at).map(|size| u64::from(*size)),
        1 => Some(u64::from(little_endian_32(head, at)? & 0xFFFF) + 256),
        2 => little_endian_32(head, at).map(u64::from),
        _ => little_endian_64(head, at),
    }
}
