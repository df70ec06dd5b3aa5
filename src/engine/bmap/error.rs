/// Why a file is no block map that can be trusted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BmapError {
    /// It is no XML, or XML that no block map needs.
    #[error("no sound XML at byte {at}: {detail}")]
    Syntax {
        /// Offset in the file.
        at: u64,
        /// What the parser says.
        detail: String,
    },
    /// Some other XML.
    #[error("not a block map")]
    NotABmap,
    /// A version of the format that is not known.
    #[error("version {0:?} of the format is not known")]
    Version(String),
    /// Something that every map has is not there.
    #[error("{0} is missing")]
    Missing(&'static str),
    /// A value that cannot be, or contradicts another.
    #[error("{what} cannot be {value:?}")]
    Invalid {
        /// Its element or attribute.
        what: &'static str,
        /// What it says.
        value: String,
    },
    /// The map's checksum of itself is another: it was changed or damaged.
    #[error("the block map's own checksum is {found}, not {expected}")]
    Damaged {
        /// What it says.
        expected: String,
        /// What it is.
        found: String,
    },
}
