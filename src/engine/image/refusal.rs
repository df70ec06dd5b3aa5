use super::{Container, NoImage, SideFile, Unsupported};

/// A file that cannot be written to a stick as an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub why: Refusal,
    /// What it was packed in, the outermost first.
    pub inside: Vec<Container>,
}

/// Why a file is not written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It has no bytes.
    Empty,
    /// It is smaller than any disk.
    TooShort,
    /// It holds a disk, or files, in a format that is not written.
    Unsupported(Unsupported),
    /// It lies beside an image for its sake.
    SideFile(SideFile),
    /// It is something else.
    NoImage(NoImage),
    /// No entry of the archive is an image. Names of its entries, at most 1,000.
    NoImageInside(Vec<String>),
    /// All entries of the archive that may be images need a password. Their names.
    Encrypted(Vec<String>),
    /// The archive's entry is packed in a way that is not supported. Its name.
    UnsupportedMethod(String),
    /// It is packed in more layers than anything for people is.
    PackedTooOften,
    /// It is damaged or incomplete, at about this byte of the file (of the entry, in an archive).
    Corrupt {
        /// Bytes from its beginning.
        at: u64,
    },
    /// Its own tables reach beyond its end: most probably it was cut.
    Truncated {
        /// Bytes that it should have at least.
        needs: u64,
        /// Bytes that it has.
        has: u64,
    },
    /// Unpacking it needs more memory than there may be used.
    TooMuchMemory {
        /// Bytes.
        needs: u64,
        /// Bytes.
        most: u64,
    },
}
