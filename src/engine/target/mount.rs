use std::fs;

use rustix::fs::{major, minor};

/// How the kernel has mounted a device: what decides about names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    driver: String,
    /// The file system's own options.
    options: String,
}

impl Mount {
    /// Of the device with this number; `None` where the kernel does not list it.
    pub(super) fn of(device: u64) -> Option<Self> {
        let table = fs::read("/proc/self/mountinfo").ok()?;
        let table = String::from_utf8_lossy(&table);
        Self::find(&table, &format!("{}:{}", major(device), minor(device)))
    }

    /// `36 35 8:17 / /media/x rw,noatime shared:1 - vfat /dev/sdb1 rw,utf8`
    fn find(table: &str, number: &str) -> Option<Self> {
        table.lines().find_map(|line| {
            let (mount, file_system) = line.split_once(" - ")?;
            if mount.split(' ').nth(2)? != number {
                return None;
            }
            let mut words = file_system.split(' ');
            Some(Self {
                driver: words.next()?.to_owned(),
                options: words.nth(1)?.to_owned(),
            })
        })
    }

    /// Whether a driver outside the kernel serves a device.
    pub(super) fn is_fuse_device(&self) -> bool {
        self.driver == "fuseblk"
    }

    /// The character set that names are told in, where that is not UTF-8.
    pub(super) fn charset(&self) -> Option<String> {
        let mut options = self.options.split(',');
        if options.clone().any(|option| option == "utf8") {
            return None;
        }
        let charset = options.find_map(|option| option.strip_prefix("iocharset="))?;
        (charset != "utf8").then(|| charset.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
25 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro
36 25 8:17 / /media/a rw,nosuid - vfat /dev/sdb1 rw,fmask=0022,codepage=437,iocharset=ascii,shortname=mixed,utf8,flush
37 25 8:33 / /media/b\\040- rw shared:2 master:3 - vfat /dev/sdc1 rw,codepage=437,iocharset=ascii,shortname=mixed
38 25 8:49 / /media/c rw - exfat /dev/sdd1 rw,iocharset=utf8,errors=remount-ro
39 25 8:65 / /media/d rw - fuseblk /dev/sde1 rw,user_id=0,group_id=0
";

    #[test]
    fn f08_a_mount_without_utf_8_is_recognised() {
        let charset = |number: &str| Mount::find(TABLE, number).unwrap().charset();
        assert_eq!(charset("8:17"), None, "utf8 goes before iocharset");
        assert_eq!(charset("8:33").as_deref(), Some("ascii"));
        assert_eq!(charset("8:49"), None);
        assert_eq!(charset("8:1"), None);
        assert_eq!(Mount::find(TABLE, "8:99"), None);
    }

    #[test]
    fn drivers_outside_the_kernel_are_recognised() {
        let is_fuse = |number: &str| Mount::find(TABLE, number).unwrap().is_fuse_device();
        assert!(is_fuse("8:65") && !is_fuse("8:17"));
    }
}
