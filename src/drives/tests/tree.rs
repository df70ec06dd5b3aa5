use std::collections::HashMap;

use zbus::fdo::ManagedObjects;
use zbus::names::OwnedInterfaceName;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

use crate::drives::Drive;
use crate::drives::list::list;
use crate::drives::machine::Machine;
use crate::drives::snapshot::Snapshot;

pub(super) const MIB: u64 = 1 << 20;
pub(super) const STICK_SIZE: u64 = 2_000_000_000;

/// UDisks2's objects, built up.
#[derive(Debug, Default)]
pub(super) struct Tree(pub(super) ManagedObjects);

impl Tree {
    /// A drive on a bus, with its properties.
    pub(super) fn drive(self, name: &str, bus: &'static str, rest: &[(&str, Value<'_>)]) -> Self {
        let usual = [
            ("Id", Value::from(name.to_owned())),
            ("Vendor", "Acme".into()),
            ("Model", "Flash".into()),
            ("Serial", "0123".into()),
            ("ConnectionBus", bus.into()),
            ("MediaAvailable", true.into()),
            ("MediaRemovable", true.into()),
            ("Removable", true.into()),
            ("CanPowerOff", (bus == "usb").into()),
            ("Seat", "seat0".into()),
            ("SiblingId", "".into()),
            ("SortKey", "01hotplug/1".into()),
        ];
        self.set(&drive_path(name), "Drive", &usual)
            .set(&drive_path(name), "Drive", rest)
    }

    /// The whole disk of a drive (`""`: of none).
    pub(super) fn disk(
        self,
        node: &str,
        drive: &str,
        size: u64,
        rest: &[(&str, Value<'_>)],
    ) -> Self {
        let drive = if drive.is_empty() {
            "/".to_owned()
        } else {
            drive_path(drive)
        };
        let usual = [
            ("Device", bytes(&format!("/dev/{node}"))),
            ("Drive", object(&drive)),
            ("Size", size.into()),
            ("ReadOnly", false.into()),
            ("HintSystem", false.into()),
            ("CryptoBackingDevice", object("/")),
            ("MDRaid", object("/")),
            ("MDRaidMember", object("/")),
        ];
        self.set(&block_path(node), "Block", &usual)
            .set(&block_path(node), "Block", rest)
    }

    /// A partition of `disk` that starts at so many MiB.
    pub(super) fn partition(
        self,
        node: &str,
        disk: &str,
        offset: u64,
        rest: &[(&str, Value<'_>)],
    ) -> Self {
        let drive = self.0[&path(&block_path(disk))]
            .get("org.freedesktop.UDisks2.Block")
            .and_then(|it| it["Drive"].try_clone().ok())
            .expect("the disk should come before its partitions");
        let table = block_path(disk);
        self.disk(node, "", 1000 * MIB, &[("Drive", drive.into())])
            .set(&block_path(node), "Block", rest)
            .set(
                &block_path(node),
                "Partition",
                &[("Table", object(&table)), ("Offset", (offset * MIB).into())],
            )
            .set(&table, "PartitionTable", &[("Type", "dos".into())])
    }

    /// Makes a block device a file system, mounted at these places.
    pub(super) fn file_system(
        self,
        node: &str,
        kind: &str,
        label: &str,
        uuid: &str,
        mounts: &[&str],
    ) -> Self {
        let mounts: Vec<Vec<u8>> = mounts.iter().map(|it| with_zero(it)).collect();
        self.set(
            &block_path(node),
            "Block",
            &[
                ("IdUsage", "filesystem".into()),
                ("IdType", Value::from(kind.to_owned())),
                ("IdLabel", Value::from(label.to_owned())),
                ("IdUUID", Value::from(uuid.to_owned())),
            ],
        )
        .set(
            &block_path(node),
            "Filesystem",
            &[("MountPoints", mounts.into())],
        )
    }

    pub(super) fn set(
        mut self,
        object: &str,
        interface: &str,
        properties: &[(&str, Value<'_>)],
    ) -> Self {
        self.put(object, interface, properties);
        self
    }

    pub(super) fn put(&mut self, object: &str, interface: &str, properties: &[(&str, Value<'_>)]) {
        let interface = format!("org.freedesktop.UDisks2.{interface}");
        let known: &mut HashMap<String, OwnedValue> = self
            .0
            .entry(path(object))
            .or_default()
            .entry(OwnedInterfaceName::try_from(interface).expect("a name"))
            .or_default();
        for (name, value) in properties {
            let value = OwnedValue::try_from(value).expect("a plain value");
            known.insert((*name).to_owned(), value);
        }
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot::new(&self.0)
    }

    pub(super) fn list(&self) -> Vec<Drive> {
        self.list_on(&Machine::default())
    }

    pub(super) fn list_on(&self, machine: &Machine) -> Vec<Drive> {
        list(&self.snapshot(), machine)
    }

    /// The only row.
    pub(super) fn only(&self) -> Drive {
        let mut rows = self.list();
        assert_eq!(rows.len(), 1, "{rows:#?}");
        rows.remove(0)
    }
}

/// A USB stick at `sdb` with one FAT32 partition, mounted at these places.
pub(super) fn stick(mounts: &[&str]) -> Tree {
    Tree::default()
        .drive("Acme-Flash-0123", "usb", &[("Media", "thumb".into())])
        .disk("sdb", "Acme-Flash-0123", STICK_SIZE, &[])
        .partition("sdb1", "sdb", 4, &[])
        .file_system("sdb1", "vfat", "HOLIDAY", "1234-ABCD", mounts)
}

pub(super) fn path(text: &str) -> OwnedObjectPath {
    OwnedObjectPath::try_from(text).expect("an object path")
}

pub(super) fn drive_path(name: &str) -> String {
    format!("/org/freedesktop/UDisks2/drives/{}", name.replace('-', "_"))
}

pub(super) fn block_path(node: &str) -> String {
    format!(
        "/org/freedesktop/UDisks2/block_devices/{}",
        node.replace('-', "_2d")
    )
}

pub(super) fn object(text: &str) -> Value<'static> {
    Value::from(ObjectPath::try_from(text.to_owned()).expect("an object path"))
}

pub(super) fn bytes(text: &str) -> Value<'static> {
    Value::from(with_zero(text))
}

pub(super) fn with_zero(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.push(0);
    bytes
}
