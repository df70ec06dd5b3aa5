use std::fs::File;
use std::io::{Read, Write};

use super::desk::Desk;
use super::fake::Fake;
use super::tree::{STICK_SIZE, Tree, block_path, object, stick};
use crate::drives::{Error, Refusal};

const PLACE: &str = "/run/media/ann/HOLIDAY";
const ASK: &str = "OpenDevice sdb r shared";
const OPEN: &str = "OpenDevice sdb rw exclusive";

fn desk(tree: Tree) -> Desk {
    let drive = tree.list().remove(0);
    let desk = Desk::about(tree, drive);
    desk.fake.open_as(file(STICK_SIZE), None);
    desk
}

/// Stands for the stick; of no device, as the made-up trees say.
fn file(size: u64) -> File {
    let file = tempfile::tempfile().expect("a temporary file");
    file.set_len(size).expect("a sparse file");
    file
}

/// A stick with an unlocked volume that is mounted.
fn unlocked() -> Tree {
    stick(&[])
        .set(
            &block_path("sdb1"),
            "Block",
            &[
                ("IdType", "crypto_LUKS".into()),
                ("IdUsage", "crypto".into()),
            ],
        )
        .set(&block_path("sdb1"), "Encrypted", &[])
        .disk(
            "dm-7",
            "",
            STICK_SIZE,
            &[("CryptoBackingDevice", object(&block_path("sdb1")))],
        )
        .file_system("dm-7", "ext4", "secret", "s", &["/run/media/ann/secret"])
}

fn mounted(fake: &Fake, node: &str) -> usize {
    let block = fake.snapshot().blocks.remove(&block_path(node));
    block
        .and_then(|block| block.mount_points)
        .map_or(0, |places| places.len())
}

#[test]
fn the_password_comes_first_then_all_is_unmounted_then_it_is_opened() {
    let desk = desk(stick(&[PLACE, "/mnt"]));
    desk.udisks.authorize(&desk.drive).expect("the password");
    assert_eq!(mounted(&desk.fake, "sdb1"), 2, "nothing touched yet");
    let descriptor = desk.udisks.open(&desk.drive).expect("a descriptor");
    assert_eq!(
        desk.fake.calls(),
        [ASK, "Unmount sdb1", "Unmount sdb1", OPEN]
    );
    // It is the stick, from its start, to read and to write.
    let mut stick = File::from(descriptor);
    let mut start = [1; 4];
    stick.read_exact(&mut start).expect("its first bytes");
    assert_eq!(start, [0; 4]);
    stick.write_all(b"written").expect("writable");
    drop(stick);
    desk.udisks.rescan(&desk.drive).expect("looked at again");
    assert_eq!(
        desk.fake.calls().last().map(String::as_str),
        Some("Rescan sdb")
    );
}

#[test]
fn x01_a_dismissed_password_has_touched_nothing() {
    for (name, expected) in [
        ("NotAuthorizedDismissed", "Dismissed"),
        ("NotAuthorized", "NotAuthorized"),
        ("NotAuthorizedCanObtain", "NoAgent"),
    ] {
        let desk = desk(stick(&[PLACE]));
        desk.fake.fail("OpenDevice", name, "the daemon's words");
        let error = desk.udisks.authorize(&desk.drive).expect_err("refused");
        assert!(format!("{error:?}").starts_with(expected), "{error:?}");
        assert_eq!(desk.fake.calls(), [ASK]);

        // The password may have run out by the second time.
        desk.fake.fail("OpenDevice", name, "the daemon's words");
        let error = desk.udisks.open(&desk.drive).expect_err("refused");
        assert!(format!("{error:?}").starts_with(expected), "{error:?}");
        assert_eq!(mounted(&desk.fake, "sdb1"), 1, "mounted as before");
    }
}

#[test]
fn b01_an_automounter_only_delays_the_exclusive_open() {
    let desk = desk(stick(&[PLACE]));
    desk.fake.automount_at("OpenDevice", 2);
    desk.udisks.open(&desk.drive).expect("a descriptor");
    let calls = desk.fake.calls();
    assert_eq!(calls.iter().filter(|call| *call == OPEN).count(), 3);
    assert_eq!(mounted(&desk.fake, "sdb1"), 0);
}

#[test]
fn another_stick_than_the_chosen_one_is_not_opened() {
    let other = Tree::default()
        .drive("Other", "usb", &[])
        .disk("sdb", "Other", STICK_SIZE, &[]);
    let before = desk(stick(&[]));
    before.fake.change(other.copy());
    let error = before.udisks.open(&before.drive).expect_err("another");
    assert!(matches!(error, Error::Changed(_)), "{error:?}");
    assert!(before.fake.calls().is_empty());

    for (file, then) in [
        // It came while the stick was opened.
        (file(STICK_SIZE), Some(other)),
        // UDisks2 has not noticed yet.
        (file(STICK_SIZE + 512), None),
    ] {
        let desk = desk(stick(&[]));
        desk.fake.open_as(file, then);
        let error = desk.udisks.open(&desk.drive).expect_err("another");
        assert!(matches!(error, Error::Changed(_)), "{error:?}");
    }
    let number = [("DeviceNumber", 2064_u64.into())];
    let no_disk = desk(stick(&[]).set(&block_path("sdb"), "Block", &number));
    let error = no_disk
        .udisks
        .open(&no_disk.drive)
        .expect_err("a plain file");
    assert!(matches!(error, Error::Changed(_)), "{error:?}");
}

#[test]
fn d03_d09_what_shows_only_when_opening_is_told() {
    for (message, expected) in [
        (
            "Error opening /dev/sdb: Read-only file system",
            "WriteProtected",
        ),
        (
            "Error opening /dev/sdb: Permission denied",
            "WriteProtected",
        ),
        (
            "Error opening /dev/sdb: Operation not permitted",
            "WriteProtected",
        ),
        (
            "Error opening /dev/sdb: No medium found",
            "Refused(NoMedium)",
        ),
    ] {
        let desk = desk(stick(&[PLACE]));
        desk.fake.fail("OpenDevice", "Failed", message);
        let error = desk.udisks.open(&desk.drive).expect_err("refused");
        assert_eq!(format!("{error:?}"), expected);
        assert_eq!(mounted(&desk.fake, "sdb1"), 1);
    }
}

#[test]
fn b04_an_unlocked_volume_is_unmounted_then_locked_after_the_password() {
    let desk = desk(unlocked());
    assert_eq!(desk.drive.refusal, Some(Refusal::Unlocked), "told before");
    let error = desk.udisks.open(&desk.drive).expect_err("not locked yet");
    assert!(matches!(error, Error::Refused(Refusal::Unlocked)));
    assert!(
        desk.fake.calls().is_empty(),
        "never under an active mapping"
    );

    desk.udisks.authorize(&desk.drive).expect("the password");
    let locked = desk.udisks.lock(&desk.drive).expect("locked");
    assert_eq!(locked.refusal, None);
    desk.udisks.open(&locked).expect("a descriptor");
    assert_eq!(
        desk.fake.calls(),
        [ASK, "Unmount dm_2d7", "Lock sdb1", OPEN]
    );
    // Nothing left to lock.
    desk.udisks.lock(&locked).expect("no error");
}

#[test]
fn b04_a_volume_that_cannot_be_locked_is_mounted_again() {
    for (method, name) in [
        ("Unmount", "DeviceBusy"),
        ("Unmount", "NotAuthorizedDismissed"),
        ("Lock", "DeviceBusy"),
        ("Lock", "NotAuthorized"),
    ] {
        let desk = desk(unlocked());
        desk.fake.fail(method, name, "no");
        desk.udisks.lock(&desk.drive).expect_err("not locked");
        assert_eq!(mounted(&desk.fake, "dm-7"), 1, "{method} {name}");
    }
}

#[test]
fn b04_what_an_array_uses_is_neither_locked_nor_opened() {
    let array = || object("/org/freedesktop/UDisks2/mdraid/a");
    let member = stick(&[PLACE])
        .set(&block_path("sdb1"), "Block", &[("MDRaidMember", array())])
        .disk("md127", "", STICK_SIZE, &[("MDRaid", array())]);
    let desk = desk(member);
    for result in [
        desk.udisks.authorize(&desk.drive),
        desk.udisks.lock(&desk.drive).map(drop),
        desk.udisks.open(&desk.drive).map(drop),
    ] {
        assert!(
            matches!(result, Err(Error::Refused(Refusal::Raid))),
            "{result:?}"
        );
    }
    assert!(desk.fake.calls().is_empty());
}
