use std::path::Path;

use super::fake::Fake;
use super::private_bus::PrivateBus;
use super::tree::{STICK_SIZE, Tree, stick};
use crate::drives::{Error, PowerOff, Udisks};

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
    assert_eq!(place, Path::new("/run/media/ann/MOUNTED"));
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
