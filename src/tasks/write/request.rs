use std::path::PathBuf;

use crate::drives::Drive;
use crate::tasks::AtEnd;

/// Which image shall be written to which sticks.
#[derive(Debug, Clone)]
pub struct WriteRequest {
    /// The file that holds it, packed or not.
    pub image: PathBuf,
    /// The name of the archive's entry that is meant, where it has several images.
    pub entry: Option<String>,
    /// Whose contents will be erased, as they were chosen. They are looked at again before
    /// anything is written.
    pub sticks: Vec<Drive>,
    /// Whether everything is read back from the sticks and compared.
    pub check: bool,
    /// A published checksum.
    pub checksum: GivenChecksum,
    /// A block map.
    pub map: GivenMap,
    /// Whether encrypted parts that are open on a stick may be closed.
    pub lock: bool,
    /// What becomes of the sticks.
    pub at_end: AtEnd,
}

/// A checksum that the image must have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum GivenChecksum {
    /// None is known.
    #[default]
    None,
    /// The file's, as people paste it.
    Value(String),
    /// A list with the file in it, or a file with a single checksum.
    List(PathBuf),
}

/// Which parts of the image hold anything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum GivenMap {
    /// The map that lies beside the image, if one does.
    #[default]
    Beside,
    /// This one.
    File(PathBuf),
    /// All of it is written.
    None,
}
