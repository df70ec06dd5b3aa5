use std::fs::File;
use std::path::{Path, PathBuf};

use super::fake::Fake;
use super::private_bus::PrivateBus;
use super::tree::{STICK_SIZE, Tree, block_path, stick};
use crate::drives::unmount::Mount;
use crate::drives::{Error, MountOptions, PowerOff, Udisks};

const PLACE: &str = "/run/media/ann/HOLIDAY";

fn desk(tree: Tree) -> (PrivateBus, Fake, Udisks) {
    let bus = PrivateBus::start();
    let fake = Fake::start(&bus, tree);
    let udisks = Fake::udisks(&bus);
    (bus, fake, udisks)
}

#[test]
fn mounting_asks_for_noatime_and_takes_what_is_mounted_already() {
    let (_bus, fake, udisks) = desk(stick(&[]));
    let volume = &stick(&[]).only().volumes[0];
    let place = udisks.mount(volume).expect("a place");
    assert_eq!(place, Path::new(PLACE));
    assert_eq!(udisks.mount(volume).expect("the same place"), place);
    assert_eq!(fake.calls(), ["Mount sdb1 noatime"]);
}

#[test]
fn mounting_copes_with_an_automounter_and_a_forbidden_option() {
    let (_bus, fake, udisks) = desk(stick(&[]));
    fake.fail("Mount", "OptionNotPermitted", "noatime");
    fake.fail("Mount", "AlreadyMounted", "an automounter is at it");
    let volume = &stick(&[]).only().volumes[0];
    udisks.mount(volume).expect("a place");
    assert_eq!(
        fake.calls(),
        ["Mount sdb1 noatime", "Mount sdb1 ", "Mount sdb1 "]
    );
}

#[test]
fn a_stick_whose_writes_wait_one_by_one_is_mounted_anew() {
    let options = |sync, dirsync| MountOptions {
        sync,
        dirsync,
        ..MountOptions::default()
    };
    for (options, expected) in [
        (
            options(true, false),
            &["Unmount sdb1", "Mount sdb1 noatime"][..],
        ),
        (
            options(false, true),
            &["Unmount sdb1", "Mount sdb1 noatime"],
        ),
        (options(false, false), &[]),
    ] {
        let (_bus, fake, udisks) = desk(stick(&[PLACE]));
        let drive = stick(&[PLACE]).only();
        let mut volume = drive.volumes[0].clone();
        volume.mount_options = Some(options);
        let place = udisks.mount_for_writing(&drive, &volume).expect("a place");
        assert_eq!(place, Path::new(PLACE));
        assert_eq!(fake.calls(), expected);
    }
    // What a program uses is left as it is.
    let (_bus, fake, udisks) = desk(stick(&[PLACE]));
    fake.fail("Unmount", "DeviceBusy", "target is busy");
    let drive = stick(&[PLACE]).only();
    let mut volume = drive.volumes[0].clone();
    volume.mount_options = Some(options(true, true));
    let place = udisks.mount_for_writing(&drive, &volume).expect("a place");
    assert_eq!(place, Path::new(PLACE));
    assert_eq!(mounted(&fake), [Path::new(PLACE)]);
}

#[test]
fn b02_mounting_for_reading_only_is_tried_again_after_an_automounter() {
    let (_bus, fake, udisks) = desk(stick(&[]));
    fake.automount_at("Mount", 2);
    let volume = &stick(&[]).only().volumes[0];
    let place = udisks.mount_read_only(volume).expect("a place");
    assert_eq!(place, Path::new(PLACE));
    assert_eq!(
        fake.calls(),
        [
            "Mount sdb1 ro",
            "Unmount sdb1",
            "Mount sdb1 ro",
            "Unmount sdb1",
            "Mount sdb1 ro"
        ]
    );
}

#[test]
fn mounting_for_reading_only_does_not_fight_a_program() {
    let (_bus, fake, udisks) = desk(stick(&[PLACE]));
    fake.fail("Unmount", "DeviceBusy", "target is busy");
    let error = udisks.mount_read_only(&stick(&[]).only().volumes[0]);
    assert!(
        matches!(&error, Err(Error::Busy { mount_point: Some(place), .. }) if place == Path::new(PLACE)),
        "{error:?}"
    );
    assert_eq!(mounted(&fake), [Path::new(PLACE)]);
}

#[test]
fn mounting_a_stick_that_left_says_gone() {
    let (_bus, fake, udisks) = desk(stick(&[]));
    fake.change(Tree::default());
    let result = udisks.mount(&stick(&[]).only().volumes[0]);
    assert!(matches!(result, Err(Error::Gone(_))), "{result:?}");
}

#[test]
fn b03_all_mount_points_of_all_partitions_are_unmounted() {
    let tree = stick(&[PLACE, "/mnt/again"])
        .partition("sdb2", "sdb", 1000, &[])
        .file_system("sdb2", "ext4", "", "e", &["/run/media/ann/second"]);
    let drive = tree.only();
    let (_bus, fake, udisks) = desk(tree);
    fake.automount(2);
    udisks.unmount(&drive).expect("unmounted");
    let mounted = fake.snapshot().blocks.into_values();
    assert_eq!(
        mounted
            .filter_map(|block| block.mount_points)
            .flatten()
            .count(),
        0
    );
    assert_eq!(fake.calls().len(), 5);
}

/// Four volumes, the first at two places.
fn four_volumes() -> Tree {
    let mut tree = stick(&[PLACE, "/mnt/again"]);
    for (node, label) in [("sdb2", "two"), ("sdb3", "three"), ("sdb4", "four")] {
        let place = format!("/run/media/ann/{label}");
        tree = tree.partition(node, "sdb", 1000, &[]).file_system(
            node,
            "ext4",
            label,
            label,
            &[&place],
        );
    }
    tree
}

fn mounted(fake: &Fake) -> Vec<PathBuf> {
    let blocks = fake.snapshot().blocks;
    let places = blocks.into_values().filter_map(|it| it.mount_points);
    places.flatten().collect()
}

#[test]
fn b03_one_busy_volume_and_the_others_are_mounted_again() {
    let (_bus, fake, udisks) = desk(four_volumes());
    for _ in 0..4 {
        fake.let_through("Unmount");
    }
    fake.fail("Unmount", "DeviceBusy", "target is busy");
    let error = udisks.unmount(&four_volumes().only()).expect_err("busy");
    let Error::Busy {
        mount_point: Some(place),
        unmounted,
        message,
        ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!(place, Path::new("/run/media/ann/four"));
    assert_eq!(message, "target is busy");
    // UDisks2 cannot bring back a second place of one volume: that is told.
    assert_eq!(unmounted, [Path::new("/mnt/again")]);
    let labels = ["HOLIDAY", "two", "three", "four"];
    assert_eq!(
        mounted(&fake),
        labels.map(|label| Path::new("/run/media/ann").join(label))
    );
    // Retrying works from there.
    udisks.unmount(&four_volumes().only()).expect("unmounted");
    assert!(mounted(&fake).is_empty());
}

#[test]
fn x01_what_was_mounted_for_reading_only_is_so_again() {
    let (_bus, fake, udisks) = desk(stick(&[]));
    let mount = Mount {
        object: block_path("sdb1"),
        place: PLACE.into(),
        device_number: 0,
        read_only: true,
    };
    assert!(udisks.mount_again(&[mount]).is_empty());
    assert_eq!(fake.calls(), ["Mount sdb1 ro"]);
}

#[test]
fn b03_the_program_that_holds_it_is_named() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let place = folder.path().to_str().expect("plain");
    let _held = File::create(folder.path().join("held")).expect("a file");
    let (_bus, fake, udisks) = desk(stick(&[place]));
    fake.fail("Unmount", "DeviceBusy", "target is busy");
    let error = udisks.unmount(&stick(&[place]).only()).expect_err("busy");
    let program = std::env::current_exe().expect("this program");
    let name = program.file_name().and_then(|name| name.to_str());
    assert!(
        matches!(&error, Error::Busy { program, .. } if program.as_deref() == name),
        "{error:?}"
    );
}

#[test]
fn b03_what_cannot_be_mounted_again_is_told() {
    let (_bus, fake, udisks) = desk(four_volumes());
    for _ in 0..3 {
        fake.let_through("Unmount");
    }
    fake.fail("Unmount", "DeviceBusy", "target is busy");
    fake.fail("Mount", "Failed", "wrong fs type");
    let error = udisks.unmount(&four_volumes().only()).expect_err("busy");
    let Error::Busy { unmounted, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(unmounted, [Path::new(PLACE), Path::new("/mnt/again")]);
    assert_eq!(mounted(&fake).len(), 3);
}

#[test]
fn x01_after_a_refused_unmount_all_is_mounted_as_before() {
    for name in ["NotAuthorizedDismissed", "NotAuthorized"] {
        let tree = || {
            stick(&[PLACE])
                .partition("sdb2", "sdb", 1000, &[])
                .file_system("sdb2", "ext4", "two", "2", &["/run/media/ann/two"])
        };
        let (_bus, fake, udisks) = desk(tree());
        fake.let_through("Unmount");
        fake.fail("Unmount", name, "not you");
        udisks.unmount(&tree().only()).expect_err("refused");
        assert_eq!(mounted(&fake).len(), 2, "{name}");
    }
}

#[test]
fn b02_switching_off_unmounts_first_and_waits_until_the_stick_has_vanished() {
    let (_bus, fake, udisks) = desk(stick(&[PLACE]));
    fake.fail("PowerOff", "DeviceBusy", "sdb1 is mounted");
    let off = udisks.power_off(&stick(&[]).only()).expect("switched off");
    assert_eq!(off, PowerOff::Off);
    assert_eq!(
        fake.calls(),
        [
            "Unmount sdb1",
            "PowerOff Acme_Flash_0123",
            "PowerOff Acme_Flash_0123"
        ]
    );
    assert!(udisks.drives().expect("a list").is_empty());
}

#[test]
fn a_readers_slot_is_unmounted_and_stays_on() {
    let sibling = [("SiblingId", "usb1/1-4".into())];
    let tree = stick(&[PLACE])
        .drive("Acme-Flash-0123", "usb", &sibling)
        .drive("slot-2", "usb", &sibling)
        .disk("sdc", "slot-2", STICK_SIZE, &[]);
    let drive = tree.list().remove(0);
    let (_bus, fake, udisks) = desk(tree);
    let off = udisks.power_off(&drive).expect("safe to unplug");
    assert_eq!(off, PowerOff::NotPossible);
    assert_eq!(fake.calls(), ["Unmount sdb1"]);
}

#[test]
fn without_udisks_that_is_said() {
    let bus = PrivateBus::start();
    let result = Udisks::on(bus.connect());
    assert!(matches!(result, Err(Error::NoUdisks(_))), "{result:?}");
    let (bus, fake, udisks) = desk(stick(&[]));
    drop(fake);
    assert!(matches!(udisks.drives(), Err(Error::NoUdisks(_))));
    let fake = Fake::start(&bus, stick(&[]));
    assert_eq!(udisks.drives().expect("a list").len(), 1);
    drop(fake);
}
