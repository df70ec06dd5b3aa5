use std::path::Path;

use super::Container;

/// What a file's name says it is. Only told when the contents contradict it: those decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NameClaim {
    /// A plain image.
    Plain,
    /// A packed one.
    Packed(Container),
}

impl NameClaim {
    /// What the name says, where it says anything.
    pub(super) fn of(name: &Path) -> Option<Self> {
        let extension = name.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "img" | "iso" | "raw" | "dd" | "usb" | "wic" | "hddimg" | "sdcard" | "bin" => {
                Self::Plain
            }
            "gz" | "tgz" => Self::Packed(Container::Gzip),
            "xz" | "txz" => Self::Packed(Container::Xz),
            "zst" | "zstd" | "tzst" => Self::Packed(Container::Zstd),
            "bz2" | "tbz" | "tbz2" => Self::Packed(Container::Bzip2),
            "lz4" => Self::Packed(Container::Lz4),
            "zip" => Self::Packed(Container::Zip),
            _ => return None,
        })
    }

    /// What the name says, if the outermost layer of the contents contradicts it.
    pub(super) fn against(name: &Path, outermost: Option<Container>) -> Option<Self> {
        let found = outermost.map_or(Self::Plain, Self::Packed);
        Self::of(name).filter(|claim| *claim != found)
    }
}
