//! How a stick wants to be written to: small pure policies, and a chooser that goes by what it
//! measures.

mod chooser;
mod pulse;

pub use chooser::Chooser;
pub use pulse::{Break, Pulse};

/// The named ways to write.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Range write-out without breaks.
    #[default]
    Stream,
    /// A flush or a short pause every few MiB.
    Pulse,
    /// Few large writes past the cache, one after the other: for whole sticks.
    Bulk,
}

impl Strategy {
    /// The strategy of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Stream, Self::Pulse, Self::Bulk]
            .into_iter()
            .find(|strategy| strategy.name() == name)
    }

    /// The name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Pulse => "pulse",
            Self::Bulk => "bulk",
        }
    }
}
