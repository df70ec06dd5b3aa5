//! Whole trees as UDisks2 2.10 shows them, shortened to what matters, and what a person sees of them.

use super::dump::read;
use crate::drives::machine::Machine;
use crate::drives::{Distinction, Drive, DriveKind, Refusal};
use DriveKind::{Card, Disk, Stick};

/// What is expected of one row.
struct Row {
    node: &'static str,
    kind: DriveKind,
    refusal: Option<Refusal>,
    /// What it says of passwords and of switching off: `(asks_password, can_power_off)`.
    asks_and_powers_off: (bool, bool),
    /// Volumes, as `file system label`.
    volumes: &'static [&'static str],
}

const fn row(
    node: &'static str,
    kind: DriveKind,
    refusal: Option<Refusal>,
    asks_and_powers_off: (bool, bool),
    volumes: &'static [&'static str],
) -> Row {
    Row {
        node,
        kind,
        refusal,
        asks_and_powers_off,
        volumes,
    }
}

macro_rules! dump {
    ($name:literal) => {
        include_str!(concat!("dumps/", $name, ".txt"))
    };
}

/// A computer where these devices (left) are used by those (right).
fn holding(holders: &[(&str, &str)]) -> Machine {
    let mut machine = Machine::default();
    for (below, above) in holders {
        let above_it = machine.holders.entry((*below).to_owned()).or_default();
        above_it.push((*above).to_owned());
    }
    machine
}

fn rows(dump: &str, holders: &[(&str, &str)]) -> Vec<Drive> {
    read(dump).list_on(&holding(holders))
}

fn check(dump: &str, holders: &[(&str, &str)], expected: &[Row]) {
    let rows = rows(dump, holders);
    let nodes = |rows: &[Drive]| -> Vec<String> {
        let name = |row: &Drive| row.device.file_name().map(|it| it.display().to_string());
        rows.iter().filter_map(name).collect()
    };
    let expected_nodes: Vec<_> = expected.iter().map(|row| row.node.to_owned()).collect();
    assert_eq!(nodes(&rows), expected_nodes);
    for (row, expected) in rows.iter().zip(expected) {
        let node = expected.node;
        assert_eq!(row.refusal, expected.refusal, "{node}");
        assert_eq!(row.kind, expected.kind, "{node}");
        let told = (row.asks_password, row.can_power_off);
        assert_eq!(told, expected.asks_and_powers_off, "{node}");
        let volumes: Vec<String> = row
            .volumes
            .iter()
            .map(|it| format!("{} {}", it.file_system, it.label))
            .collect();
        assert_eq!(volumes, expected.volumes, "{node}");
    }
}

#[test]
fn a_usb_stick() {
    let expected = [row("sdb", Stick, None, (false, true), &["vfat HOLIDAY"])];
    check(dump!("usb-stick"), &[], &expected);
    let stick = &rows(dump!("usb-stick"), &[])[0];
    assert_eq!(
        (stick.vendor.as_str(), stick.size),
        ("Intenso", 2_004_877_312)
    );
    assert_eq!(stick.volumes[0].mounted_at.len(), 1);
}

#[test]
fn d01_a_card_in_an_internal_reader_and_in_one_on_usb() {
    let internal = [row("mmcblk0", Card, None, (true, false), &["vfat CAMERA"])];
    check(dump!("sd-internal"), &[], &internal);
    let usb = [row("sdb", Card, None, (false, true), &["exfat CAMERA"])];
    check(dump!("sd-usb-reader"), &[], &usb);
}

#[test]
fn d03_a_reader_with_four_slots_of_which_one_is_filled() {
    let empty = Some(Refusal::NoMedium);
    let expected = [
        row("sdb", Card, empty, (false, false), &[]),
        row("sdc", Card, None, (false, false), &["vfat EOS_DIGITAL"]),
        row("sdd", Card, empty, (false, false), &[]),
        row("sde", Card, empty, (false, false), &[]),
    ];
    check(dump!("multi-slot-reader"), &[], &expected);
}

#[test]
fn d04_an_nvme_disk_in_an_enclosure() {
    let expected = [row("sdb", Disk, None, (false, true), &["ext4 backup"])];
    check(dump!("usb-nvme-enclosure"), &[], &expected);
}

#[test]
fn d04_d08_a_laptop_offers_nothing_of_its_own() {
    let holders = [("nvme0n1p2", "dm-0"), ("dm-0", "dm-1"), ("dm-0", "dm-2")];
    let system = Some(Refusal::InUseBySystem);
    let internal = Some(Refusal::NotAStick);
    let efi: &[&str] = &["vfat "];
    let expected = [
        row("nvme0n1", Disk, system, (true, false), efi),
        row("nvme1n1", Disk, internal, (true, false), &["ext4 films"]),
        row(
            "sr0",
            Disk,
            Some(Refusal::Optical),
            (false, false),
            &["udf FILM"],
        ),
        row("sda", Disk, internal, (false, false), &[]),
        row("dm-0", Disk, system, (true, false), &[]),
        row("dm-1", Disk, system, (true, false), &["ext4 "]),
        row("dm-2", Disk, system, (true, false), &[]),
        row("loop0", Disk, internal, (true, false), &["squashfs "]),
        row("zram0", Disk, system, (true, false), &[]),
    ];
    check(dump!("laptop"), &holders, &expected);
}

#[test]
fn soldered_flash_before_and_since_udisks_2_9_2() {
    let internal = Some(Refusal::NotAStick);
    let now = [row(
        "mmcblk0",
        Card,
        internal,
        (true, false),
        &["ext4 data"],
    )];
    check(dump!("emmc"), &[], &now);
    let old = [row(
        "mmcblk0",
        Card,
        internal,
        (false, false),
        &["ext4 data"],
    )];
    check(dump!("emmc-old"), &[], &old);
}

#[test]
fn d08_a_hybrid_image_with_odd_partitions() {
    let volumes: &[&str] = &["iso9660 Fedora-WS-Live-41", "vfat ANACONDA"];
    let expected = [row("sdb", Stick, None, (false, true), volumes)];
    check(dump!("hybrid-iso"), &[], &expected);
    assert_eq!(rows(dump!("hybrid-iso"), &[])[0].size, 16_008_609_792);
}

#[test]
fn d06_twins_with_one_serial_number() {
    let volumes: &[&str] = &["vfat "];
    let expected = [
        // One drive to UDisks2: switching off would take both.
        row("sdb", Stick, None, (false, false), volumes),
        row("sdc", Stick, None, (false, false), volumes),
    ];
    check(dump!("twins"), &[], &expected);
    let mut ports = Machine::default();
    for (node, port) in [("sdb", "1-1"), ("sdc", "1-2")] {
        ports.ports.insert(node.to_owned(), port.to_owned());
    }
    let rows = read(dump!("twins")).list_on(&ports);
    assert_ne!(rows[0].id, rows[1].id);
    let told: Vec<_> = rows.into_iter().filter_map(|it| it.distinction).collect();
    let port = |name: &str| Distinction::Port(name.to_owned());
    assert_eq!(told, [port("1-1"), port("1-2")]);
}

#[test]
fn b04_lvm_raid_and_luks_on_usb() {
    let other = Some(Refusal::NotAStick);
    let lvm = [
        row("sdb", Stick, Some(Refusal::Lvm), (false, true), &[]),
        row("dm-3", Disk, other, (false, false), &["ext4 "]),
    ];
    check(dump!("lvm-on-usb"), &[("sdb1", "dm-3")], &lvm);
    let raid = [
        row("sdb", Stick, Some(Refusal::Raid), (false, true), &[]),
        row("sdc", Stick, Some(Refusal::Raid), (false, true), &[]),
        row("md127", Disk, other, (false, false), &["ext4 "]),
    ];
    check(dump!("raid-member"), &[], &raid);
    let luks = [
        row("sdb", Stick, Some(Refusal::Unlocked), (false, true), &[]),
        row("dm-3", Disk, other, (false, false), &["ext4 secret"]),
    ];
    check(dump!("luks-on-usb"), &[("sdb1", "dm-3")], &luks);
}
