use super::container::Container;
use super::text::Text;
use super::{Layout, NoImage, Refusal, SideFile, Unsupported};

/// Bytes at a file's beginning that are looked at: enough for a disc's descriptors and for the top
/// folder of UDF.
pub(super) const HEAD: usize = 1024 * 1024;
/// Bytes at its end.
pub(super) const TAIL: usize = 512;
/// Nothing smaller is a disk.
const SMALLEST: u64 = 512;

/// The two ends of a file, or of what is packed in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample<'a> {
    /// The first [`HEAD`] bytes, or all where there are fewer.
    pub head: &'a [u8],
    /// The last [`TAIL`] bytes, or all where there are fewer; empty where they are out of reach.
    pub tail: &'a [u8],
    /// Bytes altogether, where they are known.
    pub size: Option<u64>,
}

/// What bytes are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Empty,
    TooShort,
    Packed(Container),
    Disk(Layout),
    Unsupported(Unsupported),
    Side(SideFile),
    NoImage(NoImage),
}

impl Content {
    /// Judges by the bytes alone. What has no mark of anything counts as a disk without marks.
    pub(super) fn of(sample: Sample<'_>) -> Self {
        let Sample { head, tail, size } = sample;
        if head.is_empty() {
            return Self::Empty;
        }
        // A disk in a format of its own shows the marks of the disk as well.
        if let Some(format) = Unsupported::of(head, tail) {
            return Self::Unsupported(format);
        }
        if let Some(container) = Container::of(head) {
            return Self::Packed(container);
        }
        let layout = Layout::of(head);
        if layout.is_marked() {
            return Self::Disk(layout);
        }
        match Text::of(head) {
            Some(Text::Side(side)) => return Self::Side(side),
            Some(Text::Other(text)) => return Self::NoImage(text),
            None => {}
        }
        if let Some(side) = size.and_then(|size| SideFile::of_bytes(head, size)) {
            return Self::Side(side);
        }
        if let Some(what) = NoImage::of(head) {
            return Self::NoImage(what);
        }
        if size.is_some_and(|size| size < SMALLEST) {
            return Self::TooShort;
        }
        Self::Disk(layout)
    }

    /// Why it is not written, where it is neither a disk nor packed.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        Some(match self {
            Self::Empty => Refusal::Empty,
            Self::TooShort => Refusal::TooShort,
            Self::Unsupported(format) => Refusal::Unsupported(*format),
            Self::Side(side) => Refusal::SideFile(*side),
            Self::NoImage(what) => Refusal::NoImage(*what),
            Self::Disk(_) | Self::Packed(_) => return None,
        })
    }
}
