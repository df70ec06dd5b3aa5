use std::path::Path;

use rustix::fs::statvfs;

/// How a mounted file system is filled.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Room {
    /// Bytes that can still be written.
    pub free: u64,
    /// Bytes in all.
    pub total: u64,
    /// Bytes of one cluster, the least that a file takes.
    pub cluster: u64,
}

impl Room {
    /// That of the file system mounted at `place`. Blocks while the stick does not answer.
    pub fn at(place: &Path) -> Option<Self> {
        let facts = statvfs(place).ok()?;
        Some(Self {
            free: facts.f_bavail * facts.f_frsize,
            total: facts.f_blocks * facts.f_frsize,
            cluster: facts.f_frsize,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_room_and_what_is_gone_has_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let room = Room::at(folder.path()).expect("a file system");
        assert!(room.free <= room.total && room.cluster.is_power_of_two());
        assert_eq!(Room::at(&folder.path().join("gone")), None);
    }
}
