/// The ways of computing a checksum that people publish; weaker ones come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha256,
    Blake3,
    Sha384,
    /// With its full 64 bytes, as `b2sum` writes it.
    Blake2b,
    Sha512,
}

impl Algorithm {
    const ALL: [Self; 7] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha256,
        Self::Blake3,
        Self::Sha384,
        Self::Blake2b,
        Self::Sha512,
    ];

    /// The usual one for that many hexadecimal digits; `hint`, a list's file name, may ask for the
    /// other one of that length. `None`: no checksum has that length.
    pub fn of_length(digits: usize, hint: &str) -> Option<Self> {
        let hint = hint.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| hint.contains(word));
        match digits {
            32 => Some(Self::Md5),
            40 => Some(Self::Sha1),
            64 if has(&["blake3", "b3sum", ".b3"]) => Some(Self::Blake3),
            64 => Some(Self::Sha256),
            96 => Some(Self::Sha384),
            128 if has(&["blake2", "b2sum", ".b2"]) => Some(Self::Blake2b),
            128 => Some(Self::Sha512),
            _ => None,
        }
    }

    /// By the word before `(file) = …` or `:…`, in any case and with or without hyphens.
    pub fn of_tag(tag: &str) -> Option<Self> {
        let tag = tag.to_ascii_lowercase().replace(['-', '_'], "");
        let tag = if tag == "blake2b512" { "blake2b" } else { &tag };
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.name() == tag)
    }

    /// The name in small letters, without hyphens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Blake2b => "blake2b",
            Self::Blake3 => "blake3",
        }
    }

    /// Hexadecimal digits of a value.
    pub fn digits(self) -> usize {
        match self {
            Self::Md5 => 32,
            Self::Sha1 => 40,
            Self::Sha256 | Self::Blake3 => 64,
            Self::Sha384 => 96,
            Self::Sha512 | Self::Blake2b => 128,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_and_lengths_name_their_algorithm() {
        for (tag, algorithm) in [
            ("SHA256", Algorithm::Sha256),
            ("sha-512", Algorithm::Sha512),
            ("BLAKE2b", Algorithm::Blake2b),
            ("BLAKE2b-512", Algorithm::Blake2b),
            ("MD5", Algorithm::Md5),
        ] {
            assert_eq!(Algorithm::of_tag(tag), Some(algorithm), "{tag}");
        }
        for tag in ["BLAKE2b-256", "SHA512/256", "SHA1512", "CRC", ""] {
            assert_eq!(Algorithm::of_tag(tag), None, "{tag}");
        }
        for algorithm in Algorithm::ALL {
            let hint = format!("SUMS.{}", algorithm.name());
            let found = Algorithm::of_length(algorithm.digits(), &hint);
            assert_eq!(found, Some(algorithm));
        }
        assert_eq!(Algorithm::of_length(63, ""), None);
        assert_eq!(
            Algorithm::of_length(128, "SHA512SUMS"),
            Some(Algorithm::Sha512)
        );
    }
}
