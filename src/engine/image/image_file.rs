use super::stamp::Stamp;
use super::{Container, Entry, Layout, NameClaim, Size};

/// A file that holds an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageFile {
    /// What it is packed in, the outermost first; empty for a plain one.
    pub containers: Vec<Container>,
    /// Which entry of the archive it is, where the outermost is one.
    pub entry: Option<Entry>,
    /// How the disk is laid out.
    pub layout: Layout,
    /// Bytes of the image.
    pub size: Size,
    /// Bytes of the file.
    pub file_size: u64,
    /// Bytes of memory that [`Decoded`](super::Decoded) takes for it, its buffers included.
    pub memory: u64,
    /// What the name says, where the contents contradict it.
    pub contradicts: Option<NameClaim>,
    /// The file as it was looked at.
    pub(super) stamp: Option<Stamp>,
}
