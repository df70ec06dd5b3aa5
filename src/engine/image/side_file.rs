/// Files that lie beside an image for its sake, and are easily chosen instead of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SideFile {
    /// A list of checksums, or a single one.
    Checksums,
    /// A block map.
    Bmap,
    /// A signature.
    Signature,
}

/// Digits of MD5, SHA-1, SHA-224, SHA-256, SHA-384, and SHA-512 or `BLAKE2b`.
const DIGITS: [usize; 6] = [32, 40, 56, 64, 96, 128];
/// Lines that are looked at for a checksum.
const LINES: usize = 100;
/// No signature is larger. Bytes.
const LARGEST_SIGNATURE: u64 = 16 * 1024;

impl SideFile {
    /// Recognises a side file that is text.
    pub(super) fn of_text(text: &str) -> Option<Self> {
        if text.contains("<bmap") {
            Some(Self::Bmap)
        } else if text.starts_with("-----BEGIN PGP SIGNATURE-----")
            || text.starts_with("-----BEGIN SSH SIGNATURE-----")
            || text.starts_with("untrusted comment:")
        {
            Some(Self::Signature)
        } else {
            let found = text.lines().take(LINES).any(is_checksum);
            found.then_some(Self::Checksums)
        }
    }

    /// Recognises a signature that is one packet of `OpenPGP`, no byte more.
    pub(super) fn of_bytes(head: &[u8], size: u64) -> Option<Self> {
        if size > LARGEST_SIGNATURE {
            return None;
        }
        let (length, version) = match *head {
            [0x89, high, low, version, ..] => {
                (u64::from(u16::from_be_bytes([high, low])) + 3, version)
            }
            [0x88, length, version, ..] | [0xC2, length @ ..192, version, ..] => {
                (u64::from(length) + 2, version)
            }
            [0xC2, high @ 192..224, low, version, ..] => {
                let length = (u64::from(high) - 192) * 256 + u64::from(low) + 192;
                (length + 3, version)
            }
            _ => return None,
        };
        (length == size && (3..=6).contains(&version)).then_some(Self::Signature)
    }
}

/// A line with a checksum first, as `sha256sum` writes it, or last, as BSD's tools do.
fn is_checksum(line: &str) -> bool {
    let line = line.trim();
    let line = line.strip_prefix('\\').unwrap_or(line);
    let first = line.split_ascii_whitespace().next().unwrap_or_default();
    let last = line.rsplit_once(" = ").map(|(_, digits)| digits);
    is_digest(first) || last.is_some_and(is_digest)
}

fn is_digest(word: &str) -> bool {
    DIGITS.contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: &str = "D41D8CD98F00B204E9800998ECF8427E";

    #[test]
    fn lists_of_checksums_are_known_in_all_their_styles() {
        for text in [
            format!("{MD5}\n"),
            format!("{MD5}  a.img\r\n"),
            format!("# words\n\n{MD5} *a.img\n"),
            format!("MD5 (a.img) = {MD5}"),
            format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{MD5}  a.img\n"),
        ] {
            assert_eq!(
                SideFile::of_text(&text),
                Some(SideFile::Checksums),
                "{text}"
            );
        }
        assert_eq!(SideFile::of_text(&MD5[1..]), None);
        assert_eq!(SideFile::of_text("a word = another\n"), None);
    }

    #[test]
    fn a_signature_is_one_packet_and_nothing_more() {
        let mut packet = vec![0x89, 1, 0x33, 4];
        packet.resize(3 + 0x133, 7);
        let size = packet.len() as u64;
        assert_eq!(SideFile::of_bytes(&packet, size), Some(SideFile::Signature));
        assert_eq!(SideFile::of_bytes(&packet, size + 1), None);
        let short = [0x88, 2, 4, 0];
        assert_eq!(SideFile::of_bytes(&short, 4), Some(SideFile::Signature));
        let new = [0xC2, 2, 4, 0];
        assert_eq!(SideFile::of_bytes(&new, 4), Some(SideFile::Signature));
    }
}
