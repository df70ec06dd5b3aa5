use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

/// Folders of mount's helpers, such as `mount.ntfs`.
const HELPERS: &[&str] = &["/usr/sbin", "/sbin", "/usr/bin"];

/// Which kinds of file system this computer can mount.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Drivers {
    /// In the kernel now, or brought by a helper.
    there: BTreeSet<String>,
    /// What the kernel loads when it is needed; `None` where that cannot be seen, as in a Flatpak.
    on_demand: Option<BTreeSet<String>>,
}

impl Drivers {
    /// As they are now.
    pub(super) fn read() -> Self {
        static ON_DEMAND: OnceLock<Option<BTreeSet<String>>> = OnceLock::new();
        let kernel = fs::read_to_string("/proc/filesystems").unwrap_or_default();
        let mut there = in_kernel(&kernel);
        there.extend(HELPERS.iter().flat_map(|folder| helpers(Path::new(folder))));
        // About 1 MB of text that changes with the kernel only.
        let on_demand = ON_DEMAND.get_or_init(|| {
            let release = fs::read_to_string("/proc/sys/kernel/osrelease").ok()?;
            let aliases = Path::new("/lib/modules")
                .join(release.trim())
                .join("modules.alias");
            Some(modules(&fs::read_to_string(aliases).ok()?))
        });
        Self {
            there,
            on_demand: on_demand.clone(),
        }
    }

    /// Whether a file system of UDisks2's kind `file_system` can be mounted; `None` when only a
    /// try can tell.
    pub(super) fn can_mount(&self, file_system: &str) -> Option<bool> {
        let names: &[&str] = match file_system {
            "ntfs" => &["ntfs", "ntfs3", "ntfs-3g"],
            name => &[name],
        };
        if names.iter().any(|name| self.there.contains(*name)) {
            return Some(true);
        }
        let on_demand = self.on_demand.as_ref()?;
        Some(names.iter().any(|name| on_demand.contains(*name)))
    }
}

/// Last column of `/proc/filesystems`.
fn in_kernel(text: &str) -> BTreeSet<String> {
    let names = text
        .lines()
        .filter_map(|line| line.split_whitespace().last());
    names.map(str::to_owned).collect()
}

/// `alias fs-exfat exfat` in `modules.alias`.
fn modules(text: &str) -> BTreeSet<String> {
    let aliases = text
        .lines()
        .filter_map(|line| line.strip_prefix("alias fs-"));
    let names = aliases.filter_map(|line| line.split_whitespace().next());
    names.map(str::to_owned).collect()
}

fn helpers(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_prefix("mount.")?.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drivers(modules_alias: Option<&str>) -> Drivers {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["mount.ntfs-3g", "mount", "fsck.hfsplus"] {
            fs::write(folder.path().join(name), "").expect("a file");
        }
        let mut there = in_kernel("nodev\tsysfs\n\text4\n\tvfat\n");
        there.extend(helpers(folder.path()));
        Drivers {
            there,
            on_demand: modules_alias.map(modules),
        }
    }

    #[test]
    fn what_cannot_be_mounted_is_known_before_or_nobody_knows() {
        let aliases = "# comment\nalias fs-exfat exfat\nalias usb:v0001p* x\n";
        let (seen, unseen) = (drivers(Some(aliases)), drivers(None));
        for (kind, with_modules, without) in [
            ("vfat", Some(true), Some(true)),
            ("ext4", Some(true), Some(true)),
            ("exfat", Some(true), None),
            ("ntfs", Some(true), Some(true)),
            ("hfsplus", Some(false), None),
            ("apfs", Some(false), None),
        ] {
            assert_eq!(seen.can_mount(kind), with_modules, "{kind}");
            assert_eq!(unseen.can_mount(kind), without, "{kind}");
        }
    }
}
