mod boot;
mod file_system;
mod gpt;
mod iso;
mod mbr;
mod table;

pub use boot::Boot;
pub use file_system::FileSystem;
pub use iso::Iso;
pub use table::Table;

/// How a disk is laid out, as far as its beginning tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Layout {
    /// The table of its partitions.
    pub table: Option<Table>,
    /// The size of a sector for which the table was made, in bytes: as a GPT says, or 512, which
    /// an MBR takes for granted. `None` without a table: a CD's own sectors bind nobody.
    pub sector_size: Option<u32>,
    /// The file system of a CD or DVD, with or without a table before it.
    pub iso: Option<Iso>,
    /// A file system that begins at the first byte, with no table.
    pub file_system: Option<FileSystem>,
    /// Bytes that a whole image has at least: how far its own tables reach.
    pub reaches: Option<u64>,
}

impl Layout {
    /// Reads the marks of a disk from its first bytes.
    pub(super) fn of(head: &[u8]) -> Self {
        // A disc tells its own size; the partitions of a table on it are rounded up.
        let iso = iso::find(head);
        let iso_reaches = iso.as_ref().and_then(|found| found.reaches);
        let iso = iso.map(|found| found.iso);
        if let Some(gpt) = gpt::find(head) {
            return Self {
                table: Some(Table::Gpt),
                sector_size: Some(gpt.sector_size),
                iso,
                file_system: None,
                reaches: iso_reaches.or(gpt.reaches),
            };
        }
        let file_system = FileSystem::of(head);
        // Programs of file systems that begin in the first sector lie where a table would.
        let mbr = if file_system.is_some_and(FileSystem::fills_first_sector) {
            None
        } else {
            mbr::find(head)
        };
        let (table, sector_size, reaches) = match mbr {
            Some(reaches) => (
                Some(Table::Mbr),
                Some(mbr::SECTOR),
                iso_reaches.or(Some(reaches)),
            ),
            None if table::is_apple(head) => (Some(Table::Apple), None, iso_reaches),
            None => (None, None, iso_reaches),
        };
        Self {
            table,
            sector_size,
            iso,
            file_system: file_system.filter(|_| table.is_none()),
            reaches,
        }
    }

    /// Whether there is any mark of a disk. Without one it may be anything that is written in
    /// bytes.
    pub fn is_marked(&self) -> bool {
        self.table.is_some() || self.iso.is_some() || self.file_system.is_some()
    }

    /// What a computer will make of a stick with this image.
    pub fn boot(&self) -> Boot {
        let windows = self.iso.as_ref().is_some_and(|iso| iso.windows);
        match (self.table, self.file_system) {
            (Some(_), _) | (None, Some(FileSystem::Fat)) => Boot::Expected,
            (None, _) if windows => Boot::WindowsInstaller,
            (None, _) => Boot::NoTable,
        }
    }
}

#[cfg(test)]
mod tests;
