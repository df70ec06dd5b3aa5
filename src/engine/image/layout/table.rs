/// A table of partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Table {
    /// The old one, in the first sector.
    Mbr,
    /// The new one.
    Gpt,
    /// Apple's old one.
    Apple,
}

/// Whether Apple's table is there: its own mark, and the mark of its first partition.
pub(super) fn is_apple(head: &[u8]) -> bool {
    head.starts_with(b"ER")
        && [512, 2048]
            .iter()
            .any(|at| head.get(*at..*at + 2) == Some(b"PM"))
}
