use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use zbus::fdo::ManagedObjects;
use zbus::zvariant::OwnedValue;

/// What UDisks2 tells of all drives and block devices at one moment, as plain data.
///
/// A property that is missing or of another type than documented reads as its empty value, so
/// that older and newer daemons are understood alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// By object path.
    pub(super) drives: BTreeMap<String, DriveFacts>,
    /// By object path.
    pub(super) blocks: BTreeMap<String, BlockFacts>,
}

/// The interface `Drive`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DriveFacts {
    pub(super) id: String,
    pub(super) vendor: String,
    pub(super) model: String,
    pub(super) serial: String,
    pub(super) bus: String,
    pub(super) media: String,
    pub(super) media_compatibility: Vec<String>,
    /// Whether the medium can be taken out: the disk's own flag.
    pub(super) media_removable: bool,
    /// `None` where the daemon does not tell.
    pub(super) media_available: Option<bool>,
    pub(super) optical: bool,
    pub(super) can_power_off: bool,
    /// Equal for the slots of one reader; empty without siblings.
    pub(super) sibling: String,
    pub(super) seat: String,
    pub(super) sort_key: String,
}

/// The interface `Block` and those that may stand beside it.
#[expect(clippy::struct_excessive_bools, reason = "as UDisks2 has them")]
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct BlockFacts {
    pub(super) device: PathBuf,
    pub(super) device_number: u64,
    /// The drive's object path.
    pub(super) drive: Option<String>,
    pub(super) size: u64,
    pub(super) read_only: bool,
    pub(super) hint_system: bool,
    pub(super) id_usage: String,
    pub(super) id_type: String,
    pub(super) id_label: String,
    pub(super) id_uuid: String,
    /// The encrypted block that this one is the clear text of.
    pub(super) crypto_backing: Option<String>,
    /// The running array that this block is.
    pub(super) raid: Option<String>,
    /// The array that this block is a member of.
    pub(super) raid_member: Option<String>,
    /// The whole disk and the offset in bytes, for a partition.
    pub(super) partition: Option<(String, u64)>,
    /// Whether there is a partition table that UDisks2 can change.
    pub(super) has_table: bool,
    /// `None` when it is no file system that can be mounted.
    pub(super) mount_points: Option<Vec<PathBuf>>,
    pub(super) active_swap: bool,
    /// The file that a loop device shows.
    pub(super) backing_file: Option<PathBuf>,
}

impl Snapshot {
    /// From the answer to `GetManagedObjects`.
    pub(super) fn new(objects: &ManagedObjects) -> Self {
        let mut snapshot = Self::default();
        for (path, interfaces) in objects {
            let interface = |name: &str| {
                interfaces
                    .iter()
                    .find(|(key, _)| {
                        key.as_str().strip_prefix("org.freedesktop.UDisks2.") == Some(name)
                    })
                    .map(|(_, properties)| Properties(properties))
            };
            if let Some(drive) = interface("Drive") {
                snapshot
                    .drives
                    .insert(path.to_string(), DriveFacts::new(&drive));
            }
            if let Some(block) = interface("Block") {
                let mut facts = BlockFacts::new(&block);
                facts.partition = interface("Partition")
                    .and_then(|it| Some((it.object("Table")?, it.u64("Offset"))));
                facts.has_table = interface("PartitionTable").is_some();
                facts.mount_points = interface("Filesystem").map(|it| it.paths("MountPoints"));
                facts.active_swap = interface("Swapspace").is_some_and(|it| it.bool("Active"));
                facts.backing_file = interface("Loop")
                    .map(|it| it.path("BackingFile"))
                    .filter(|file| !file.as_os_str().is_empty());
                snapshot.blocks.insert(path.to_string(), facts);
            }
        }
        snapshot
    }

    /// The whole disk `disk` and its partitions, in order of their place.
    pub(super) fn disk_and_partitions(&self, disk: &str) -> Vec<(&str, &BlockFacts)> {
        let mut found: Vec<_> = self
            .blocks
            .iter()
            .filter(|(path, block)| {
                *path == disk || matches!(&block.partition, Some((table, _)) if table == disk)
            })
            .map(|(path, block)| (path.as_str(), block))
            .collect();
        found.sort_by_key(|(path, block)| {
            (
                *path != disk,
                block.partition.as_ref().map_or(0, |(_, offset)| *offset),
            )
        });
        found
    }

    /// The unlocked clear text of an encrypted block.
    pub(super) fn clear_text_of(&self, encrypted: &str) -> Option<(&str, &BlockFacts)> {
        let found = |block: &BlockFacts| block.crypto_backing.as_deref() == Some(encrypted);
        let (path, block) = self.blocks.iter().find(|(_, block)| found(block))?;
        Some((path, block))
    }
}

impl DriveFacts {
    fn new(properties: &Properties<'_>) -> Self {
        Self {
            id: properties.text("Id"),
            vendor: properties.text("Vendor"),
            model: properties.text("Model"),
            serial: properties.text("Serial"),
            bus: properties.text("ConnectionBus"),
            media: properties.text("Media"),
            media_compatibility: properties.owned("MediaCompatibility").unwrap_or_default(),
            media_removable: properties.bool("MediaRemovable"),
            media_available: properties.get("MediaAvailable"),
            optical: properties.bool("Optical"),
            can_power_off: properties.bool("CanPowerOff"),
            sibling: properties.text("SiblingId"),
            seat: properties.text("Seat"),
            sort_key: properties.text("SortKey"),
        }
    }
}

impl BlockFacts {
    fn new(properties: &Properties<'_>) -> Self {
        Self {
            device: properties.path("Device"),
            device_number: properties.u64("DeviceNumber"),
            drive: properties.object("Drive"),
            size: properties.u64("Size"),
            read_only: properties.bool("ReadOnly"),
            hint_system: properties.bool("HintSystem"),
            id_usage: properties.text("IdUsage"),
            id_type: properties.text("IdType"),
            id_label: properties.text("IdLabel"),
            id_uuid: properties.text("IdUUID"),
            crypto_backing: properties.object("CryptoBackingDevice"),
            raid: properties.object("MDRaid"),
            raid_member: properties.object("MDRaidMember"),
            ..Self::default()
        }
    }

    /// The kernel's name, such as `sdb1`.
    pub(super) fn name(&self) -> &str {
        self.device
            .file_name()
            .and_then(|name| name.to_str())
            .unwrap_or_default()
    }

    pub(super) fn is_mounted(&self) -> bool {
        self.mount_points.as_ref().is_some_and(|it| !it.is_empty())
    }

    /// Whether it is a file system, mountable or not.
    pub(super) fn is_file_system(&self) -> bool {
        self.mount_points.is_some() || self.id_usage == "filesystem"
    }
}

/// Tolerant reading of one interface's properties.
struct Properties<'a>(&'a HashMap<String, OwnedValue>);

impl<'a> Properties<'a> {
    fn get<T: TryFrom<&'a OwnedValue>>(&self, name: &str) -> Option<T> {
        T::try_from(self.0.get(name)?).ok()
    }

    fn text(&self, name: &str) -> String {
        let text: Option<&str> = self.get(name);
        text.unwrap_or_default().trim().to_owned()
    }

    fn bool(&self, name: &str) -> bool {
        self.get(name).unwrap_or_default()
    }

    fn u64(&self, name: &str) -> u64 {
        self.get(name).unwrap_or_default()
    }

    /// An object path; `/` stands for none.
    fn object(&self, name: &str) -> Option<String> {
        let path: zbus::zvariant::ObjectPath<'_> = self.0.get(name)?.downcast_ref().ok()?;
        (path.as_str() != "/").then(|| path.to_string())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.owned::<Vec<u8>>(name)
            .map(path_from)
            .unwrap_or_default()
    }

    fn paths(&self, name: &str) -> Vec<PathBuf> {
        let paths: Vec<Vec<u8>> = self.owned(name).unwrap_or_default();
        paths.into_iter().map(path_from).collect()
    }

    fn owned<T: TryFrom<OwnedValue>>(&self, name: &str) -> Option<T> {
        T::try_from(self.0.get(name)?.try_clone().ok()?).ok()
    }
}

/// A path as UDisks2 sends it: bytes that end with a zero.
pub(super) fn path_from(mut bytes: Vec<u8>) -> PathBuf {
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    PathBuf::from(OsString::from_vec(bytes))
}
