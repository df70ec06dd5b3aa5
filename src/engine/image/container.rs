/// What an image can be packed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Container {
    /// `.gz`, one or several members.
    Gzip,
    /// `.xz`, one or several streams.
    Xz,
    /// `.zst`, one or several frames.
    Zstd,
    /// `.bz2`, one or several streams.
    Bzip2,
    /// `.lz4`, one or several frames.
    Lz4,
    /// `.zip`, with or without the 64-bit extension.
    Zip,
}

/// Frames that carry no data begin so, in zstd and lz4 alike; the last digit is free.
pub(super) const SKIPPABLE: u32 = 0x184D_2A50;
/// A frame of lz4 begins so.
pub(super) const LZ4: u32 = 0x184D_2204;
/// A frame of zstd begins so.
pub(super) const ZSTD: u32 = 0xFD2F_B528;

impl Container {
    /// Recognises it by how it begins. Where frames without data come first, the first one after
    /// them decides.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1F, 0x8B, 8, ..] => Some(Self::Gzip),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] | [b'P', b'K', 7, 8, ..] => {
                Some(Self::Zip)
            }
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] => (rest.starts_with(b"1AY&SY")
                || rest.starts_with(&[0x17, 0x72, 0x45, 0x38, 0x50, 0x90]))
            .then_some(Self::Bzip2),
            _ => Self::of_frames(head),
        }
    }

    fn of_frames(mut head: &[u8]) -> Option<Self> {
        let mut skipped = false;
        loop {
            let Some(magic) = little_endian_32(head, 0) else {
                // Which of the two it is lies beyond; zstd's tools write such frames.
                return skipped.then_some(Self::Zstd);
            };
            match magic {
                ZSTD => return Some(Self::Zstd),
                LZ4 => return Some(Self::Lz4),
                _ if is_skippable(magic) => {
                    let length = little_endian_32(head, 4)? as usize;
                    head = head.get(8..)?.get(length..).unwrap_or_default();
                    skipped = true;
                }
                _ => return None,
            }
        }
    }
}

/// Whether a frame that begins so carries no data.
pub(super) fn is_skippable(magic: u32) -> bool {
    magic & !0xF == SKIPPABLE
}

/// The number at that place, if the bytes reach so far.
pub(super) fn little_endian_32(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}

/// The number at that place, if the bytes reach so far.
pub(super) fn little_endian_64(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skippable(length: u32) -> Vec<u8> {
        let mut frame = (SKIPPABLE + 7).to_le_bytes().to_vec();
        frame.extend(length.to_le_bytes());
        frame.resize(8 + length as usize, 0xAA);
        frame
    }

    #[test]
    fn the_first_frame_with_data_decides() {
        for (magic, container) in [(ZSTD, Container::Zstd), (LZ4, Container::Lz4)] {
            let mut head = skippable(13);
            head.extend(skippable(0));
            head.extend(magic.to_le_bytes());
            assert_eq!(Container::of(&head), Some(container));
        }
    }

    #[test]
    fn a_frame_without_data_that_fills_the_head_counts_as_zstd() {
        let head = &skippable(100)[..50];
        assert_eq!(Container::of(head), Some(Container::Zstd));
    }

    #[test]
    fn likenesses_are_not_taken() {
        for head in [
            &b""[..],
            b"P",
            b"BZh0",
            b"BZh9 is a text",
            b"\x1F\x8B",
            b"\x1F\x8B\x07",
            b"\xFD7zX",
        ] {
            assert_eq!(Container::of(head), None, "{head:?}");
        }
    }
}
