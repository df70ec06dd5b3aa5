use std::borrow::Cow;

use super::{NoImage, SideFile};

/// Bytes that are looked at.
const LOOKED_AT: usize = 64 * 1024;

/// What a text is for an image's sake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Text {
    Side(SideFile),
    Other(NoImage),
}

impl Text {
    /// Recognises text, in UTF-8, UTF-16 or one of the old encodings of a byte a letter.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        let text = decode(&head[..head.len().min(LOOKED_AT)])?;
        let text = text.trim_start_matches(['\u{FEFF}', ' ', '\t', '\r', '\n']);
        if let Some(side) = SideFile::of_text(text) {
            return Some(Self::Side(side));
        }
        let beginning: String = text.chars().take(512).collect();
        let beginning = beginning.to_ascii_lowercase();
        Some(Self::Other(
            if beginning.contains("<!doctype html") || beginning.contains("<html") {
                NoImage::WebPage
            } else if beginning.starts_with("<?xml") {
                NoImage::Xml
            } else if beginning.starts_with("%pdf-") {
                NoImage::Pdf
            } else {
                NoImage::Text
            },
        ))
    }
}

fn decode(head: &[u8]) -> Option<Cow<'_, str>> {
    match head {
        [0xFF, 0xFE, rest @ ..] => return decode_16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => return decode_16(rest, u16::from_be_bytes),
        _ => {}
    }
    if head.is_empty() || !head.iter().all(|byte| is_of_text(*byte)) {
        return None;
    }
    let letters = head.iter().filter(|byte| byte.is_ascii()).count();
    // Bytes without any control character can be chance only where there are few of them.
    (std::str::from_utf8(head).is_ok() || letters * 4 >= head.len() * 3)
        .then(|| String::from_utf8_lossy(head))
}

fn decode_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<Cow<'_, str>> {
    let units = bytes.as_chunks().0.iter().map(|bytes| unit(*bytes));
    let text: String = char::decode_utf16(units)
        .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    let is_text = !text.is_empty()
        && text
            .chars()
            .all(|letter| u8::try_from(letter).map_or(letter != '\u{FFFD}', is_of_text));
    is_text.then_some(Cow::Owned(text))
}

/// Whether texts hold such a byte: any but control characters other than spaces and escapes.
fn is_of_text(byte: u8) -> bool {
    !matches!(byte, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F | 0x7F)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_told_apart() {
        let bmap = "<?xml version=\"1.0\" ?>\n<!-- words -->\n<bmap version=\"2.0\">\n";
        for (text, what) in [
            ("Read me first.\n", Text::Other(NoImage::Text)),
            ("#!/bin/sh\n", Text::Other(NoImage::Text)),
            (
                "\u{FEFF}\n<!DOCTYPE HTML>\n<html>",
                Text::Other(NoImage::WebPage),
            ),
            ("<?xml version=\"1.0\"?><a/>", Text::Other(NoImage::Xml)),
            (bmap, Text::Side(SideFile::Bmap)),
            (
                "-----BEGIN PGP SIGNATURE-----\n\niQ",
                Text::Side(SideFile::Signature),
            ),
        ] {
            assert_eq!(Text::of(text.as_bytes()), Some(what), "{text}");
        }
    }

    #[test]
    fn old_and_wide_encodings_are_text_too() {
        assert!(Text::of(b"Gr\xFC\xDFe aus K\xF6ln, wie immer\r\n").is_some());
        let wide: Vec<u8> = "\u{FEFF}Grüße\r\n"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert!(Text::of(&wide).is_some());
    }

    #[test]
    fn bytes_are_no_text() {
        for bytes in [
            &b""[..],
            &[0; 512],
            b"text\0",
            &[0xFF; 512],
            b"\xFF\xFE\0\0",
        ] {
            assert_eq!(Text::of(bytes), None);
        }
    }
}
