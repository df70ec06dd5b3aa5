use crate::engine::image::Refusal;

/// What a sentence about a failure can tell beside the name of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum About {
    /// More is needed than there is. Bytes.
    Sizes {
        /// Needed.
        size: u64,
        /// There.
        limit: u64,
    },
    /// Only so many bytes are there, and nobody knows how many are needed.
    Limit(u64),
    /// A place on the stick, in bytes from its start.
    Offset(u64),
    /// Something on the stick was replaced while it was tried, and could not be put back.
    NotPutBack,
    /// Test data that a check has written, and not a person's file.
    TestData,
    /// What a file is that is no image to write.
    Refused(Refusal),
    /// Parts of a stick that were unmounted and could not be mounted again.
    Unmounted(Vec<String>),
    /// What can be chosen, or what is there instead.
    Names(Vec<String>),
    /// Name of this program for Flatpak, in whose sandbox it runs.
    Sandboxed(String),
}
