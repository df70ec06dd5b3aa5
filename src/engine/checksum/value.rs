use super::Algorithm;

/// A checksum: how it is computed, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    algorithm: Algorithm,
    /// In small letters.
    hex: String,
}

impl Checksum {
    pub(super) fn new(algorithm: Algorithm, hex: String) -> Self {
        debug_assert_eq!(hex.len(), algorithm.digits());
        Self { algorithm, hex }
    }

    /// As people paste it: in any case, with blanks around, perhaps as `sha256:…`. Without that
    /// the length tells how it is computed; `hint` is the name of the file that it came from.
    /// `None`: that is no checksum.
    pub fn parse(text: &str, hint: &str) -> Option<Self> {
        let text = text.trim_matches(is_blank);
        let (algorithm, hex) = match text.split_once(':') {
            Some((tag, hex)) => (Algorithm::of_tag(tag)?, hex.trim_matches(is_blank)),
            None => (Algorithm::of_length(text.len(), hint)?, text),
        };
        Self::of_algorithm(algorithm, hex)
    }

    /// With a known algorithm; `None` where length or digits do not fit it.
    pub(crate) fn of_algorithm(algorithm: Algorithm, hex: &str) -> Option<Self> {
        let fits = hex.len() == algorithm.digits() && is_hex(hex);
        fits.then(|| Self::new(algorithm, hex.to_ascii_lowercase()))
    }

    /// How it is computed.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The value in small letters.
    pub fn hex(&self) -> &str {
        &self.hex
    }
}

/// White space, and what editors leave at the start of a file.
pub(super) fn is_blank(letter: char) -> bool {
    letter.is_whitespace() || letter == '\u{feff}'
}

pub(super) fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
