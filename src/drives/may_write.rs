use std::path::Path;

use rustix::fs::{Access, access};

/// Whether this person may write in a mounted folder: asks the kernel, which knows of owners and
/// of read-only mounts. FAT and exFAT belong to who mounted them, ext4 keeps the owners it has.
pub fn may_write(place: &Path) -> bool {
    access(place, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_kernel_is_asked() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        assert!(may_write(folder.path()));
        assert!(!may_write(&folder.path().join("gone")));
        let locked = Permissions::from_mode(0o555);
        fs::set_permissions(folder.path(), locked).expect("the owner may");
        let is_root = rustix::process::geteuid().is_root();
        assert_eq!(may_write(folder.path()), is_root);
    }
}
