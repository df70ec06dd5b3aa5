use std::fs;
use std::path::{Path, PathBuf};

use super::machine::usb_device;
use super::mount_table::MountTable;
use super::snapshot::{BlockFacts, DriveFacts, Snapshot};

/// `/sys` counts in these, whatever the disk's own sectors are.
const SECTOR: u64 = 512;

/// The drives and block devices of this computer as the kernel itself tells, in the form in which
/// UDisks2 does: for an administrator where UDisks2 is not there.
///
/// What is on a device is known only while it is mounted. `class` is `/sys/class/block`, `swaps`
/// the text of `/proc/swaps`.
pub(super) fn snapshot(class: &Path, mounts: &MountTable, swaps: &str) -> Snapshot {
    let mut snapshot = Snapshot::default();
    for entry in fs::read_dir(class).into_iter().flatten().flatten() {
        let Some(device) = Device::at(&entry.path()) else {
            continue;
        };
        let is_partition = device.number("partition").is_some();
        let disk = if is_partition { device.disk() } else { None };
        let disk = disk.as_ref().unwrap_or(&device);
        let mut block = device.block(mounts);
        block.active_swap = swaps
            .lines()
            .any(|line| line.split_whitespace().next() == block.device.to_str());
        block.partition = is_partition.then(|| {
            let start = device.number("start").unwrap_or_default();
            (disk.name.clone(), start * SECTOR)
        });
        // A loop device or a mapping has no hardware of its own.
        if disk.folder.join("device").exists() {
            block.drive = Some(disk.name.clone());
            snapshot.drives.insert(disk.name.clone(), disk.drive());
        }
        snapshot.blocks.insert(device.name.clone(), block);
    }
    snapshot
}

/// The folder of a block device in `/sys`.
struct Device {
    name: String,
    folder: PathBuf,
}

impl Device {
    fn at(link: &Path) -> Option<Self> {
        let folder = fs::canonicalize(link).ok()?;
        let name = folder.file_name()?.to_str()?.to_owned();
        Some(Self { name, folder })
    }

    /// The whole disk of a partition.
    fn disk(&self) -> Option<Self> {
        Self::at(self.folder.parent()?)
    }

    fn text(&self, file: &str) -> String {
        let text = fs::read_to_string(self.folder.join(file)).unwrap_or_default();
        text.trim().to_owned()
    }

    fn number(&self, file: &str) -> Option<u64> {
        self.text(file).parse().ok()
    }

    fn block(&self, mounts: &MountTable) -> BlockFacts {
        // The kernel writes `!` for the `/` in names of old drivers.
        let device = Path::new("/dev").join(self.name.replace('!', "/"));
        let numbers = self.text("dev");
        let device_number = numbers
            .split_once(':')
            .and_then(|(major, minor)| {
                Some(rustix::fs::makedev(
                    major.parse().ok()?,
                    minor.parse().ok()?,
                ))
            })
            .unwrap_or_default();
        let mounted = mounts.of(device_number, &device);
        BlockFacts {
            device_number,
            size: self.number("size").unwrap_or_default() * SECTOR,
            read_only: self.number("ro") == Some(1),
            id_type: mounted
                .first()
                .map_or_else(String::new, |(_, kind)| (*kind).to_owned()),
            mount_points: (!mounted.is_empty()).then(|| {
                mounted
                    .iter()
                    .map(|(place, _)| place.to_path_buf())
                    .collect()
            }),
            device,
            ..BlockFacts::default()
        }
    }

    fn drive(&self) -> DriveFacts {
        let usb = usb_device(&self.folder);
        let is_card = self.name.starts_with("mmcblk");
        let serial = usb
            .as_ref()
            .and_then(|usb| fs::read_to_string(usb.join("serial")).ok())
            .unwrap_or_else(|| self.text("device/serial"));
        let model = ["device/model", "device/name"].map(|file| self.text(file));
        let [vendor, serial] = [self.text("device/vendor"), serial.trim().to_owned()];
        let model = model
            .into_iter()
            .find(|it| !it.is_empty())
            .unwrap_or_default();
        let id = [&vendor, &model, &serial].map(|part| part.replace(' ', "-"));
        let parts: Vec<&str> = id
            .iter()
            .map(String::as_str)
            .filter(|it| !it.is_empty())
            .collect();
        let bus = match (usb.is_some(), is_card) {
            (true, _) => "usb",
            (_, true) => "sdio",
            _ => "",
        };
        DriveFacts {
            id: parts.join("-"),
            bus: bus.to_owned(),
            media: match self.text("device/type").as_str() {
                "SD" => "flash_sd",
                "MMC" => "flash_mmc",
                _ => "",
            }
            .to_owned(),
            media_removable: self.number("removable") == Some(1),
            media_available: Some(self.number("size").is_some_and(|size| size > 0)),
            optical: self.name.starts_with("sr"),
            vendor,
            model,
            serial,
            ..DriveFacts::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::drives::list::list;
    use crate::drives::machine::Machine;
    use crate::drives::{Drive, DriveKind, Refusal};

    /// Made-up `/sys`: for each folder below `devices` its files.
    fn computer(devices: &[(&str, &[(&str, &str)])]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a temporary folder");
        let class = root.path().join("class");
        fs::create_dir(&class).expect("a folder");
        for (path, files) in devices {
            let folder = root.path().join("devices").join(path);
            fs::create_dir_all(&folder).expect("folders");
            for (name, text) in *files {
                let file = folder.join(name);
                fs::create_dir_all(file.parent().expect("a parent")).expect("folders");
                fs::write(file, format!("{text}\n")).expect("a file");
            }
            if files.iter().any(|(name, _)| *name == "dev") {
                let name = folder.file_name().expect("a name");
                symlink(&folder, class.join(name)).expect("a link");
            }
        }
        root
    }

    fn rows(root: &tempfile::TempDir, mounts: &str, swaps: &str) -> Vec<Drive> {
        let class = root.path().join("class");
        let snapshot = snapshot(&class, &MountTable::parse(mounts.as_bytes()), swaps);
        list(&snapshot, &Machine::default())
    }

    fn usb_and_system() -> tempfile::TempDir {
        computer(&[
            (
                "usb1/1-3",
                &[("busnum", "1"), ("speed", "480"), ("serial", "AB12")],
            ),
            (
                "usb1/1-3/block/sdb",
                &[
                    ("dev", "8:16"),
                    ("size", "3915776"),
                    ("ro", "0"),
                    ("removable", "1"),
                    ("device/vendor", "Acme    "),
                    ("device/model", "Rainbow Line"),
                ],
            ),
            (
                "usb1/1-3/block/sdb/sdb1",
                &[
                    ("dev", "8:17"),
                    ("size", "3907584"),
                    ("partition", "1"),
                    ("start", "8192"),
                ],
            ),
            (
                "pci/block/nvme0n1",
                &[("dev", "259:0"), ("size", "1000"), ("device/model", "NV")],
            ),
            ("virtual/block/zram0", &[("dev", "251:0"), ("size", "1000")]),
            (
                "mmc0/block/mmcblk0",
                &[
                    ("dev", "179:0"),
                    ("size", "1000"),
                    ("removable", "0"),
                    ("device/type", "MMC"),
                    ("device/name", "DF4032"),
                ],
            ),
        ])
    }

    #[test]
    fn a_stick_is_found_with_its_facts_and_nothing_else_is_offered() {
        let root = usb_and_system();
        let rows = rows(&root, "", "");
        let offered: Vec<_> = rows.iter().filter(|row| row.refusal.is_none()).collect();
        let [stick] = &offered[..] else {
            panic!("{rows:#?}")
        };
        assert_eq!(stick.device, Path::new("/dev/sdb"));
        assert_eq!(stick.size, 3_915_776 * 512);
        assert_eq!(stick.device_number, rustix::fs::makedev(8, 16));
        assert_eq!(
            (stick.id.as_str(), stick.serial.as_str(), stick.kind),
            ("Acme-Rainbow-Line-AB12", "AB12", DriveKind::Stick)
        );
        let refused = |name: &str| {
            let row = rows
                .iter()
                .find(|row| row.device == Path::new("/dev").join(name));
            row.and_then(|row| row.refusal)
        };
        for name in ["nvme0n1", "zram0", "mmcblk0"] {
            assert_eq!(refused(name), Some(Refusal::NotAStick), "{name}");
        }
    }

    #[test]
    fn what_the_system_uses_is_refused_and_mounts_are_told() {
        let root = usb_and_system();
        let stick = |mounts: &str, swaps: &str| {
            let mut rows = rows(&root, mounts, swaps);
            rows.retain(|row| row.device == Path::new("/dev/sdb"));
            rows.remove(0)
        };
        let mounted = stick("90 1 8:17 / /mnt rw - vfat /dev/sdb1 rw\n", "");
        assert_eq!(mounted.refusal, None);
        assert_eq!(mounted.volumes[0].mounted_at, [Path::new("/mnt")]);
        assert_eq!(mounted.volumes[0].file_system, "vfat");
        for (mounts, swaps) in [
            ("90 1 8:17 / / rw - ext4 /dev/sdb1 rw\n", ""),
            // Btrfs has a number of its own.
            ("90 1 0:33 /@ / rw - btrfs /dev/sdb1 rw\n", ""),
            ("", "Filename Type Size\n/dev/sdb1 partition 1000 0 -2\n"),
        ] {
            let system = stick(mounts, swaps).refusal;
            assert_eq!(system, Some(Refusal::InUseBySystem), "{mounts}{swaps}");
        }
    }
}
