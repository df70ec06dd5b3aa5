mod frames;
mod headers;
mod lz4;
mod xz;
mod zstd;

use std::io::{self, Read, Seek};

use super::container::Container;

/// Bytes of an image when unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Known: the file's own, or what a format says reliably.
    Exact(u64),
    /// So many, and maybe more.
    AtLeast(u64),
}

impl Size {
    /// The size, where it is known.
    pub fn exact(self) -> Option<u64> {
        match self {
            Self::Exact(size) => Some(size),
            Self::AtLeast(_) => None,
        }
    }

    /// The same, where so many bytes were seen.
    pub(super) fn and_at_least(self, seen: u64) -> Self {
        match self {
            Self::Exact(_) => self,
            Self::AtLeast(size) => Self::AtLeast(size.max(seen)),
        }
    }

    /// So many bytes it has in any case.
    pub fn at_least(self) -> u64 {
        match self {
            Self::Exact(size) | Self::AtLeast(size) => size,
        }
    }
}

/// What a container says about the size of what it holds, found without unpacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// It says it, or says nothing that holds.
    Size(Size),
    /// It is damaged or incomplete at that byte.
    Corrupt(u64),
}

impl Told {
    const NOTHING: Self = Self::Size(Size::AtLeast(0));

    /// Asks a container. Reads its headers only, and of those no more than a bounded number;
    /// gzip and bzip2 say nothing: gzip counts modulo 4 GiB, and its last member only.
    pub(super) fn by(
        container: Container,
        source: &mut (impl Read + Seek),
        file_size: u64,
    ) -> io::Result<Self> {
        match container {
            Container::Xz => xz::told(source, file_size),
            Container::Zstd => zstd::told(source, file_size),
            Container::Lz4 => lz4::told(source, file_size),
            Container::Gzip | Container::Bzip2 | Container::Zip => Ok(Self::NOTHING),
        }
    }
}
