/// An entry of an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the archive.
    pub index: usize,
    /// Its name with its folders, as the archive spells it.
    pub name: String,
    /// Bytes when unpacked.
    pub size: u64,
    /// Bytes in the archive.
    pub packed_size: u64,
}
