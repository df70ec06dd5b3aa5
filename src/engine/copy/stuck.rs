use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// Threads that may hang in a source of one mount before the rest of that mount is given up.
const MOST_OF_A_MOUNT: usize = 2;

/// The sources that hang: a network share that has gone silent, a dying disk. Threads that read
/// from them cannot be ended, so there may be only so many.
#[derive(Debug, Default)]
pub(super) struct Stuck {
    mounts: Vec<PathBuf>,
    hanging: HashMap<PathBuf, usize>,
}

impl Stuck {
    /// A thread hangs in that file.
    pub(super) fn add(&mut self, source: &Path) {
        if self.mounts.is_empty() {
            let told = fs::read("/proc/self/mountinfo").unwrap_or_default();
            self.mounts = mount_points(&told);
        }
        let mount = self.mount_of(source);
        *self.hanging.entry(mount).or_default() += 1;
    }

    /// Whether that file's mount is given up. Asks nobody, for that could hang too.
    pub(super) fn gives_up(&self, source: &Path) -> bool {
        if self.hanging.is_empty() {
            return false;
        }
        let hanging = self.hanging.get(&self.mount_of(source));
        hanging.is_some_and(|count| *count >= MOST_OF_A_MOUNT)
    }

    fn mount_of(&self, path: &Path) -> PathBuf {
        let above = self.mounts.iter().filter(|mount| path.starts_with(mount));
        let nearest = above.max_by_key(|mount| mount.as_os_str().len());
        nearest.cloned().unwrap_or_default()
    }
}

/// The fifth field of each line, in which blanks are octal numbers.
fn mount_points(mountinfo: &[u8]) -> Vec<PathBuf> {
    let lines = mountinfo.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| line.split(|byte| *byte == b' ').nth(4))
        .map(|field| PathBuf::from(OsString::from_vec(unescaped(field))))
        .collect()
}

fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&first, behind)) = rest.split_first() {
        let octal = (first == b'\\').then(|| behind.get(..3)).flatten();
        let number = octal.and_then(|digits| std::str::from_utf8(digits).ok());
        if let Some(byte) = number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            bytes.push(byte);
            rest = &behind[3..];
        } else {
            bytes.push(first);
            rest = behind;
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mount_is_given_up_and_the_others_are_not() {
        let told = b"22 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
            40 22 0:50 / /mnt/my\\040nas rw shared:1 - cifs //nas/x rw\n\
            41 22 0:51 / /mnt/my rw - nfs nas:/y rw\n";
        let mut stuck = Stuck {
            mounts: mount_points(told),
            ..Stuck::default()
        };
        let (nas, other) = (Path::new("/mnt/my nas/a"), Path::new("/mnt/my/a"));
        stuck.add(nas);
        assert!(!stuck.gives_up(nas));
        stuck.add(Path::new("/mnt/my nas/deep/b"));
        assert!(stuck.gives_up(nas));
        assert!(!stuck.gives_up(other) && !stuck.gives_up(Path::new("/home/a")));
        stuck.add(Path::new("/home/b"));
        stuck.add(Path::new("/srv/c"));
        assert!(stuck.gives_up(Path::new("/home/a")) && !stuck.gives_up(other));
    }

    #[test]
    fn this_computer_has_mounts() {
        let told = fs::read("/proc/self/mountinfo").unwrap();
        assert!(mount_points(&told).contains(&PathBuf::from("/")));
    }
}
