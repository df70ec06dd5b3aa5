use std::path::{Path, PathBuf};

use zbus::zvariant::Value;

use super::tree::{MIB, STICK_SIZE, Tree, block_path, drive_path, object, stick};
use crate::drives::machine::Machine;
use crate::drives::mount_table::MountTable;
use crate::drives::{Drive, MountOptions, Refusal, Volume};

const GB: u64 = 1_000_000_000;

/// A laptop: a disk with EFI, root on LUKS with LVM and swap, an unused second disk, and what else
/// UDisks2 shows there.
fn laptop() -> (Tree, Machine) {
    let internal = [
        ("Removable", Value::from(false)),
        ("MediaRemovable", false.into()),
        ("SortKey", "00coldplug/1".into()),
    ];
    let system = [("HintSystem", Value::from(true))];
    let tree = Tree::default()
        .drive("NVMe-1", "", &internal)
        .disk("nvme0n1", "NVMe-1", 512 * GB, &system)
        .partition("nvme0n1p1", "nvme0n1", 1, &system)
        .file_system("nvme0n1p1", "vfat", "", "EF-1", &["/boot/efi"])
        .partition(
            "nvme0n1p2",
            "nvme0n1",
            600,
            &[("IdType", "crypto_LUKS".into())],
        )
        .disk(
            "dm-0",
            "",
            500 * GB,
            &[
                ("CryptoBackingDevice", object(&block_path("nvme0n1p2"))),
                ("IdType", "LVM2_member".into()),
            ],
        )
        .disk("dm-1", "", 490 * GB, &[])
        .file_system("dm-1", "ext4", "", "root", &["/"])
        .disk("dm-2", "", 8 * GB, &[])
        .set(&block_path("dm-2"), "Swapspace", &[("Active", true.into())])
        .drive("NVMe-2", "", &internal)
        .disk("nvme1n1", "NVMe-2", 512 * GB, &[])
        .drive("ATA-hotplug", "", &[("Removable", true.into())])
        .disk("sda", "ATA-hotplug", 512 * GB, &[])
        .drive(
            "DVD",
            "ata",
            &[("Optical", true.into()), ("Media", "optical_dvd".into())],
        )
        .disk("sr0", "DVD", 4 * GB, &[])
        .disk("loop0", "", 60 * MIB, &[])
        .disk("loop1", "", 0, &[])
        .disk("zram0", "", 4 * GB, &[])
        .disk("nbd0", "", GB, &[]);
    let mut machine = Machine::default();
    for (below, above) in [("nvme0n1p2", "dm-0"), ("dm-0", "dm-1"), ("dm-0", "dm-2")] {
        let holders = machine.holders.entry(below.to_owned()).or_default();
        holders.push(above.to_owned());
    }
    (tree, machine)
}

pub(super) fn refusal_of(rows: &[Drive], node: &str) -> Option<Refusal> {
    let device = Path::new("/dev").join(node);
    let row = rows.iter().find(|row| row.device == device);
    row.unwrap_or_else(|| panic!("no row for {node}: {rows:#?}"))
        .refusal
}

#[test]
fn a_stick_is_one_row_with_its_volume() {
    let drive = stick(&["/run/media/ann/HOLIDAY"]).only();
    assert_eq!(drive.refusal, None);
    assert_eq!(drive.id, "Acme-Flash-0123");
    assert_eq!(drive.device, Path::new("/dev/sdb"));
    assert_eq!(drive.object, drive_path("Acme-Flash-0123"));
    assert_eq!((drive.size, drive.bus.as_str()), (STICK_SIZE, "usb"));
    assert!(drive.can_power_off && !drive.asks_password && !drive.read_only);
    let [volume] = &drive.volumes[..] else {
        panic!("{drive:#?}")
    };
    assert_eq!(
        (volume.file_system.as_str(), volume.label.as_str()),
        ("vfat", "HOLIDAY")
    );
    assert_eq!(volume.mounted_at, [Path::new("/run/media/ann/HOLIDAY")]);
}

#[test]
fn a_volume_tells_how_it_is_mounted_and_what_takes_no_writes() {
    let number = |minor| Value::from(rustix::fs::makedev(8, minor));
    let tree = stick(&["/run/media/ann/HOLIDAY"])
        .set(
            &block_path("sdb1"),
            "Block",
            &[("DeviceNumber", number(17))],
        )
        .partition(
            "sdb2",
            "sdb",
            1000,
            &[("ReadOnly", true.into()), ("DeviceNumber", number(18))],
        )
        .file_system("sdb2", "apfs", "", "a", &[]);
    let machine = Machine {
        mounts: MountTable::parse(
            b"90 22 8:17 / /run/media/ann/HOLIDAY rw,nosuid - vfat /dev/sdb1 rw,sync\n",
        ),
        ..Machine::default()
    };
    let volumes = tree.list_on(&machine).remove(0).volumes;
    let slow = MountOptions {
        sync: true,
        ..MountOptions::default()
    };
    let told = |volume: &Volume| (volume.mount_options, volume.read_only, volume.can_mount);
    assert_eq!(told(&volumes[0]), (Some(slow), false, None));
    assert_eq!(told(&volumes[1]), (None, true, None));
}

#[test]
fn d01_cards_in_internal_readers_are_listed_and_ask_for_a_password() {
    let card = Tree::default()
        .drive(
            "SD-card",
            "sdio",
            &[("Removable", false.into()), ("Media", "flash_sd".into())],
        )
        .disk(
            "mmcblk0",
            "SD-card",
            32 * GB,
            &[("HintSystem", true.into())],
        );
    let drive = card.only();
    assert_eq!(drive.refusal, None);
    assert!(drive.asks_password && !drive.can_power_off);
    let root = Machine {
        is_root: true,
        ..Machine::default()
    };
    assert!(!card.list_on(&root)[0].asks_password);

    let mounted = card.file_system("mmcblk0", "ext4", "", "x", &["/home"]);
    assert_eq!(mounted.only().refusal, Some(Refusal::InUseBySystem));
}

#[test]
fn soldered_flash_is_no_card() {
    let rows = Tree::default()
        .drive("eMMC", "sdio", &[("Media", "flash_mmc".into())])
        .disk("mmcblk1", "eMMC", 64 * GB, &[])
        .disk("mmcblk1boot0", "eMMC", 4 * MIB, &[])
        .disk("mmcblk1boot1", "eMMC", 4 * MIB, &[])
        .list();
    assert_eq!(rows.len(), 1);
    assert_eq!(refusal_of(&rows, "mmcblk1"), Some(Refusal::NotAStick));
}

#[test]
fn another_seats_stick_asks_for_a_password() {
    let tree = stick(&[]);
    for (seat, asks) in [(None, false), (Some("seat0"), false), (Some("seat1"), true)] {
        let machine = Machine {
            seat: seat.map(str::to_owned),
            ..Machine::default()
        };
        assert_eq!(tree.list_on(&machine)[0].asks_password, asks, "{seat:?}");
    }
}

#[test]
fn from_afar_a_stick_asks_for_a_password() {
    let remote = Machine {
        is_remote: true,
        ..Machine::default()
    };
    assert!(stick(&[]).list_on(&remote)[0].asks_password);
}

#[test]
fn d03_empty_slots_cannot_be_chosen_and_a_reader_is_not_switched_off() {
    let slot = |tree: Tree, number: u8, size: u64| {
        let (id, node) = (
            format!("Reader-{number}"),
            format!("sd{}", char::from(b'b' + number)),
        );
        let sibling = [
            ("MediaAvailable", Value::from(size > 0)),
            ("SiblingId", "/sys/devices/usb1/1-4".into()),
            ("SortKey", Value::from(format!("01hotplug/{number}"))),
        ];
        tree.drive(&id, "usb", &sibling).disk(&node, &id, size, &[])
    };
    let reader = |filled: u8| {
        (0..4).fold(Tree::default(), |tree, number| {
            slot(tree, number, if number == filled { 16 * GB } else { 0 })
        })
    };
    for filled in 0..4 {
        let rows = reader(filled).list();
        for (number, row) in rows.iter().enumerate() {
            // The rows stay in their places whichever slot holds the card.
            assert_eq!(row.id, format!("Reader-{number}"));
            let expected = (number != usize::from(filled)).then_some(Refusal::NoMedium);
            assert_eq!(row.refusal, expected);
            assert!(
                !row.can_power_off,
                "switching off would take the other slots"
            );
        }
    }
    // Some readers keep telling the size of the card that was there.
    let stale = Tree::default()
        .drive("Reader", "usb", &[("MediaAvailable", false.into())])
        .disk("sdb", "Reader", 16 * GB, &[]);
    assert_eq!(
        (stale.only().size, stale.only().refusal),
        (0, Some(Refusal::NoMedium))
    );
}

#[test]
fn d04_the_bus_decides_and_what_the_system_needs_is_never_offered() {
    let (tree, machine) = laptop();
    let rows = tree
        .drive(
            "USB-SSD",
            "usb",
            &[
                ("Removable", false.into()),
                ("MediaRemovable", false.into()),
            ],
        )
        .disk("sdc", "USB-SSD", 1000 * GB, &[])
        .list_on(&machine);
    for (node, expected) in [
        ("nvme0n1", Some(Refusal::InUseBySystem)),
        ("nvme1n1", Some(Refusal::NotAStick)),
        ("sda", Some(Refusal::NotAStick)),
        ("sdc", None),
    ] {
        assert_eq!(refusal_of(&rows, node), expected, "{node}");
    }
}

#[test]
fn d04_a_stick_that_carries_the_system_is_never_offered() {
    for (mount, expected) in [
        ("/", Some(Refusal::InUseBySystem)),
        ("/boot", Some(Refusal::InUseBySystem)),
        ("/boot/efi", Some(Refusal::InUseBySystem)),
        ("/home", Some(Refusal::InUseBySystem)),
        ("/home/ann", Some(Refusal::InUseBySystem)),
        ("/usr", Some(Refusal::InUseBySystem)),
        ("/var/lib/docker", Some(Refusal::InUseBySystem)),
        ("/run/live/medium", Some(Refusal::InUseBySystem)),
        ("/cdrom", Some(Refusal::InUseBySystem)),
        ("/run/media/ann/HOLIDAY", None),
        ("/media/ann/HOLIDAY", None),
        ("/mnt", None),
        ("/home/ann/stick/inner", None),
        ("/bootleg", None),
    ] {
        assert_eq!(stick(&[mount]).only().refusal, expected, "{mount}");
        let twice = stick(&["/run/media/ann/HOLIDAY", mount]);
        assert_eq!(
            twice.only().refusal,
            expected,
            "{mount} as the second place"
        );
    }
    let swap_file = Machine {
        swap_files: vec![PathBuf::from("/run/media/ann/HOLIDAY/swap")],
        ..Machine::default()
    };
    let mounted = stick(&["/run/media/ann/HOLIDAY"]);
    assert_eq!(
        mounted.list_on(&swap_file)[0].refusal,
        Some(Refusal::InUseBySystem)
    );
    let swap = stick(&[]).set(&block_path("sdb1"), "Swapspace", &[("Active", true.into())]);
    assert_eq!(swap.only().refusal, Some(Refusal::InUseBySystem));
}

#[test]
fn d06_twins_are_two_rows_that_differ() {
    let mut tree = Tree::default();
    for node in ["sdb", "sdc"] {
        // UDisks2 may show both under one drive, or under two with one id.
        tree = tree.drive("Acme-Flash-0123", "usb", &[]).disk(
            node,
            "Acme-Flash-0123",
            STICK_SIZE,
            &[],
        );
    }
    let rows = tree
        .drive("other", "usb", &[("Id", "Acme-Flash-0123".into())])
        .disk("sdd", "other", STICK_SIZE, &[])
        .list();
    let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "Acme-Flash-0123:sdb",
            "Acme-Flash-0123:sdc",
            "Acme-Flash-0123:sdd"
        ]
    );
    assert!(!rows[0].can_power_off, "the drive has two disks");

    let nameless = [
        ("Id", Value::from("")),
        ("Vendor", "".into()),
        ("Model", "".into()),
        ("Serial", "".into()),
    ];
    let tree = Tree::default()
        .drive("x", "usb", &nameless)
        .disk("sdb", "x", STICK_SIZE, &[]);
    assert_eq!((tree.only().id.as_str(), tree.only().refusal), ("x", None));
}

#[test]
fn d08_only_whole_disks_and_no_hidden_kinds() {
    let (tree, machine) = laptop();
    let rows = tree.list_on(&machine);
    for (node, expected) in [
        ("sr0", Refusal::Optical),
        ("loop0", Refusal::NotAStick),
        ("zram0", Refusal::NotAStick),
        ("nbd0", Refusal::NotAStick),
        ("dm-0", Refusal::InUseBySystem),
        ("dm-1", Refusal::InUseBySystem),
    ] {
        assert_eq!(refusal_of(&rows, node), Some(expected), "{node}");
    }
    let nodes: Vec<_> = rows
        .iter()
        .map(|row| row.device.display().to_string())
        .collect();
    assert!(
        !nodes.iter().any(|node| node.ends_with("loop1")),
        "holds nothing"
    );
    assert!(
        !nodes.iter().any(|node| node.contains("n1p")),
        "partitions are no rows"
    );

    // An optical drive on USB is none either.
    let usb = Tree::default()
        .drive("DVD", "usb", &[("Optical", true.into())])
        .disk("sr1", "DVD", 4 * GB, &[]);
    assert_eq!(usb.only().refusal, Some(Refusal::Optical));
}

#[test]
fn d08_a_hybrid_image_is_one_row_and_its_volume_is_told_once() {
    let image = |disk: &[&str], first: &[&str]| {
        Tree::default()
            .drive("Acme-Flash-0123", "usb", &[])
            .disk("sdb", "Acme-Flash-0123", STICK_SIZE, &[])
            .file_system("sdb", "iso9660", "LIVE", "2024-01", disk)
            .partition("sdb1", "sdb", 0, &[])
            .file_system("sdb1", "iso9660", "LIVE", "2024-01", first)
            .partition("sdb2", "sdb", 3, &[])
            .file_system("sdb2", "vfat", "ESP", "AA-BB", &[])
            .only()
    };
    let drive = image(&[], &[]);
    assert_eq!((drive.size, drive.refusal), (STICK_SIZE, None));
    let kinds = |drive: &Drive| -> Vec<String> {
        drive
            .volumes
            .iter()
            .map(|it| it.file_system.clone())
            .collect()
    };
    assert_eq!(kinds(&drive), ["iso9660", "vfat"]);
    let drive = image(&[], &["/run/media/ann/LIVE"]);
    assert_eq!(kinds(&drive), ["iso9660", "vfat"]);
    assert_eq!(drive.volumes[0].device, Path::new("/dev/sdb1"));
    assert_eq!(drive.volumes[0].mounted_at.len(), 1);
}

#[test]
fn d09_the_lock_switch_is_a_reason() {
    let tree = stick(&[]).set(&block_path("sdb"), "Block", &[("ReadOnly", true.into())]);
    assert_eq!(tree.only().refusal, Some(Refusal::WriteProtected));
    assert!(tree.only().read_only);
}

#[test]
fn the_order_is_that_of_plugging_in_then_of_nodes() {
    let mut tree = Tree::default();
    for (name, key, node) in [
        ("c", "01hotplug/2", "sdb"),
        ("a", "01hotplug/1", "sdaa"),
        ("b", "01hotplug/1", "sdz"),
    ] {
        tree = tree
            .drive(name, "usb", &[("SortKey", key.into())])
            .disk(node, name, GB, &[]);
    }
    let ids: Vec<String> = tree.list().into_iter().map(|row| row.id).collect();
    assert_eq!(ids, ["b", "a", "c"]);
}

#[test]
fn odd_types_and_missing_properties_never_panic() {
    let odd = || {
        vec![
            Value::from(0_u8),
            Value::from(""),
            Value::from(vec![0_u8]),
            Value::from(vec!["x"]),
            object("/"),
            object("/not/there"),
            Value::from(u64::MAX),
            Value::from(-1_i64),
            Value::from(1.5),
        ]
    };
    let (laptop, machine) = laptop();
    let mut rows = 0;
    for whole in [&laptop, &stick(&["/media/x"])] {
        for (object, interfaces) in &whole.0 {
            for (interface, properties) in interfaces {
                for name in properties.keys() {
                    let (_, short) = interface.as_str().rsplit_once('.').expect("dots");
                    for value in odd() {
                        let tree = whole.copy().set(object.as_str(), short, &[(name, value)]);
                        rows += tree.list_on(&machine).len();
                    }
                    let mut tree = whole.copy();
                    let known = tree.0.get_mut(object).and_then(|it| it.get_mut(interface));
                    known.expect("it was there").remove(name);
                    rows += tree.list_on(&machine).len();
                }
            }
        }
    }
    assert!(rows > 0);
    // Nothing at all, and only an empty interface.
    assert!(Tree::default().list().is_empty());
    assert!(Tree::default().set("/x", "Block", &[]).list().is_empty());
}
