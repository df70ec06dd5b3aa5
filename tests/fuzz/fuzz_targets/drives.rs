//! Anything that UDisks2 may answer, and what no UDisks2 would: objects, interfaces and properties
//! of the right and of odd types, missing and double. A list comes of it, the running system is
//! never offered, and names do nothing to whoever shows them.

#![no_main]

use std::collections::HashMap;

use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use steady::drives::{Drive, Refusal, rows};
use steady::tasks::{shown, stick_name};
use zbus::fdo::ManagedObjects;
use zbus::names::OwnedInterfaceName;
use zbus::zvariant::{ObjectPath, OwnedObjectPath, OwnedValue, Value};

const OBJECTS: [&str; 10] = [
    "/",
    "/org/freedesktop/UDisks2/drives/Acme_Flash_0123",
    "/org/freedesktop/UDisks2/drives/Acme_Disk_7",
    "/org/freedesktop/UDisks2/block_devices/sda",
    "/org/freedesktop/UDisks2/block_devices/sda1",
    "/org/freedesktop/UDisks2/block_devices/sdb",
    "/org/freedesktop/UDisks2/block_devices/sdb1",
    "/org/freedesktop/UDisks2/block_devices/dm_2d0",
    "/org/freedesktop/UDisks2/block_devices/loop0",
    "/org/freedesktop/UDisks2/mdraid/md0",
];
const INTERFACES: [(&str, &[&str]); 7] = [
    (
        "Drive",
        &[
            "Id",
            "Vendor",
            "Model",
            "Serial",
            "ConnectionBus",
            "Media",
            "MediaCompatibility",
            "MediaRemovable",
            "MediaAvailable",
            "Optical",
            "CanPowerOff",
            "SiblingId",
            "Seat",
            "SortKey",
        ],
    ),
    (
        "Block",
        &[
            "Device",
            "DeviceNumber",
            "Drive",
            "Size",
            "ReadOnly",
            "HintSystem",
            "IdUsage",
            "IdType",
            "IdLabel",
            "IdUUID",
            "CryptoBackingDevice",
            "MDRaid",
            "MDRaidMember",
        ],
    ),
    ("Partition", &["Table", "Offset"]),
    ("PartitionTable", &["Type"]),
    ("Filesystem", &["MountPoints"]),
    ("Swapspace", &["Active"]),
    ("Loop", &["BackingFile"]),
];
const TEXTS: [&str; 12] = [
    "",
    "usb",
    "sdio",
    "flash_mmc",
    "filesystem",
    "vfat",
    "btrfs",
    "0123",
    "<b>&amp;</b>",
    "\u{202e}gpj.exe",
    "\u{1b}[2J\u{9b}0m",
    "crypto_LUKS",
];
const PATHS: [&str; 10] = [
    "/dev/sda",
    "/dev/sda1",
    "/dev/sdb",
    "/dev/sdb1",
    "/dev/dm-0",
    "/dev/loop0",
    "/",
    "/home/ann",
    "/media/ann/STICK",
    "/media/ann/STICK/file",
];

fuzz_target!(|bytes: &[u8]| {
    let Ok(objects) = objects(&mut Unstructured::new(bytes)) else {
        return;
    };
    for drive in rows(&objects) {
        holds_no_system(&drive);
        let labels = drive.volumes.iter().map(|volume| volume.label.clone());
        for name in labels.chain([stick_name(&drive)]) {
            assert!(!shown(&name).chars().any(char::is_control));
        }
        assert!(stick_name(&drive).chars().count() <= 200);
    }
});

fn holds_no_system(drive: &Drive) {
    let mut places = drive.volumes.iter().flat_map(|volume| &volume.mounted_at);
    let holds = places.any(|place| matches!(place.to_str(), Some("/" | "/home/ann")));
    assert!(!holds || drive.refusal == Some(Refusal::InUseBySystem), "{drive:?}");
    assert!(drive.refusal.is_some() || (drive.size > 0 && !drive.object.is_empty()));
}

fn objects(bytes: &mut Unstructured<'_>) -> Result<ManagedObjects> {
    let mut objects = ManagedObjects::new();
    while !bytes.is_empty() && objects.len() < 32 {
        let path = OwnedObjectPath::try_from(*bytes.choose(&OBJECTS)?).expect("a path");
        let interfaces = objects.entry(path).or_default();
        let (interface, known) = bytes.choose(&INTERFACES)?;
        let name = format!("org.freedesktop.UDisks2.{interface}");
        let name = OwnedInterfaceName::try_from(name).expect("a name");
        let properties: &mut HashMap<String, OwnedValue> = interfaces.entry(name).or_default();
        for property in *known {
            // Most are there, and are what they should be.
            let value = match bytes.arbitrary::<u8>()? {
                0..16 => continue,
                16..32 => odd(bytes, 0)?,
                _ => usual(bytes, property)?,
            };
            let value = OwnedValue::try_from(value).expect("a plain value");
            properties.insert((*property).to_owned(), value);
        }
    }
    Ok(objects)
}

fn usual(bytes: &mut Unstructured<'_>, property: &str) -> Result<Value<'static>> {
    Ok(match property {
        "MediaRemovable" | "MediaAvailable" | "Optical" | "CanPowerOff" | "ReadOnly"
        | "HintSystem" | "Active" => bytes.arbitrary::<bool>()?.into(),
        "Size" | "Offset" | "DeviceNumber" => bytes.arbitrary::<u64>()?.into(),
        "Drive" | "Table" | "CryptoBackingDevice" | "MDRaid" | "MDRaidMember" => object(bytes)?,
        "Device" | "BackingFile" => path(bytes)?.into(),
        "MountPoints" => vec![path(bytes)?].into(),
        "MediaCompatibility" => vec![text(bytes)?].into(),
        _ => text(bytes)?.into(),
    })
}

fn odd(bytes: &mut Unstructured<'_>, depth: u8) -> Result<Value<'static>> {
    Ok(match bytes.int_in_range(0..=11)? {
        0 => bytes.arbitrary::<bool>()?.into(),
        1 => bytes.arbitrary::<u64>()?.into(),
        2 => bytes.arbitrary::<i32>()?.into(),
        3 => bytes.arbitrary::<f64>()?.into(),
        4 => text(bytes)?.into(),
        5 => path(bytes)?.into(),
        6 => vec![path(bytes)?, path(bytes)?].into(),
        7 => vec![text(bytes)?].into(),
        8 => object(bytes)?,
        9 => "x".repeat(10_000).into(),
        10 if depth < 3 => Value::Value(Box::new(odd(bytes, depth + 1)?)),
        _ => (bytes.arbitrary::<u8>()?, text(bytes)?).into(),
    })
}

fn object(bytes: &mut Unstructured<'_>) -> Result<Value<'static>> {
    let path = *bytes.choose(&OBJECTS)?;
    Ok(ObjectPath::try_from(path).expect("a path").into())
}

fn text(bytes: &mut Unstructured<'_>) -> Result<String> {
    Ok(match bytes.int_in_range(0..=TEXTS.len())? {
        0 => bytes.arbitrary::<String>()?.replace('\0', " "),
        known => TEXTS[known - 1].to_owned(),
    })
}

/// As UDisks2 sends it: bytes that end with a zero.
fn path(bytes: &mut Unstructured<'_>) -> Result<Vec<u8>> {
    let mut path = match bytes.int_in_range(0..=PATHS.len())? {
        0 => bytes.arbitrary::<Vec<u8>>()?,
        known => PATHS[known - 1].as_bytes().to_vec(),
    };
    path.push(0);
    Ok(path)
}
