use super::desk::Desk;
use super::tree::{STICK_SIZE, Tree, block_path, stick};
use crate::drives::{Error, Health};

const PLACE: &str = "/run/media/ann/HOLIDAY";

impl Desk {
    fn check(&self) -> Result<Health, Error> {
        self.udisks.check(&self.drive, &self.drive.volumes[0])
    }

    fn repair(&self) -> Result<Health, Error> {
        self.udisks.repair(&self.drive, &self.drive.volumes[0])
    }

    fn mounted_at(&self, node: &str) -> usize {
        let blocks = self.fake.snapshot().blocks;
        blocks[&block_path(node)]
            .mount_points
            .as_ref()
            .map_or(0, Vec::len)
    }
}

#[test]
fn a_damaged_volume_is_found_and_repaired_while_it_is_not_mounted() {
    let desk = Desk::new(stick(&[PLACE, "/mnt"]));
    assert_eq!(desk.check().expect("told"), Health::Sound);
    desk.fake.damage();
    assert_eq!(desk.check().expect("told"), Health::Damaged);
    assert_eq!(desk.repair().expect("repaired"), Health::Sound);
    assert_eq!(desk.check().expect("told"), Health::Sound);
    assert_eq!(
        desk.fake.calls(),
        [
            "Unmount sdb1",
            "Unmount sdb1",
            "Check sdb1",
            "Check sdb1",
            "Repair sdb1",
            "Check sdb1",
            "Check sdb1"
        ]
    );
}

/// As fsck.fat and UDisks2 were seen to do after a stick had been pulled.
#[test]
fn a_repair_is_believed_when_the_volume_is_whole_and_tried_again_while_it_is_not() {
    let desk = Desk::new(stick(&[PLACE]));
    desk.fake.fail("Repair", "Failed", "exit code 1: changed");
    assert_eq!(desk.repair().expect("whole"), Health::Sound);
    desk.fake.damage();
    desk.fake.fail("Repair", "Failed", "exit code 1: changed");
    assert_eq!(desk.repair().expect("whole"), Health::Sound);
    let repairs = |desk: &Desk| {
        let calls = desk.fake.calls();
        calls.iter().filter(|call| *call == "Repair sdb1").count()
    };
    assert_eq!(repairs(&desk), 3);
}

#[test]
fn another_volume_of_the_stick_stays_mounted() {
    let tree = stick(&[PLACE])
        .partition("sdb2", "sdb", 1000, &[])
        .file_system("sdb2", "ext4", "", "e", &["/run/media/ann/second"]);
    let desk = Desk::new(tree);
    desk.check().expect("told");
    assert_eq!(desk.mounted_at("sdb1"), 0);
    assert_eq!(desk.mounted_at("sdb2"), 1);
}

#[test]
fn without_a_tool_nobody_can_tell_and_nothing_is_unmounted() {
    let missing = Desk::new(stick(&[PLACE]));
    missing.fake.without_tool("vfat");
    let odd = Desk::new(stick(&[PLACE]).file_system("sdb1", "hfsplus", "", "h", &[PLACE]));
    for desk in [missing, odd] {
        assert_eq!(desk.check().expect("no error"), Health::Unknown);
        assert_eq!(desk.repair().expect("no error"), Health::Unknown);
        assert!(desk.fake.calls().is_empty());
        assert_eq!(desk.mounted_at("sdb1"), 1);
    }
}

#[test]
fn a_check_that_fails_itself_tells_nothing_and_mounts_again() {
    let desk = Desk::new(stick(&[PLACE]));
    desk.fake
        .fail("Check", "Failed", "Process reported exit code 8");
    assert_eq!(desk.check().expect("no error"), Health::Unknown);
    assert_eq!(desk.mounted_at("sdb1"), 1);
    desk.fake.damage();
    for _ in 0..3 {
        desk.fake
            .fail("Repair", "Failed", "Process reported exit code 8");
    }
    let error = desk.repair().expect_err("not repaired");
    assert!(
        matches!(&error, Error::Failed { operation: "Repair", message } if message.contains("code 8")),
        "{error:?}"
    );
    assert_eq!(desk.mounted_at("sdb1"), 1);
}

#[test]
fn b02_an_automounter_makes_no_damage() {
    let desk = Desk::new(stick(&[PLACE]));
    desk.fake.automount_at("Check", 2);
    desk.fake.fail("Check", "DeviceBusy", "sdb1 is in use");
    assert_eq!(desk.check().expect("told"), Health::Sound);
    assert_eq!(desk.mounted_at("sdb1"), 0);
}

#[test]
fn x01_a_dismissed_password_leaves_it_mounted() {
    for (name, expected) in [
        ("NotAuthorizedDismissed", "Dismissed"),
        ("NotAuthorized", "NotAuthorized"),
        ("NotAuthorizedCanObtain", "NoAgent"),
    ] {
        for method in ["Unmount", "Check", "Repair"] {
            let desk = Desk::new(stick(&[PLACE]));
            desk.fake.fail(method, name, "the daemon's words");
            let error = if method == "Check" {
                desk.check()
            } else {
                desk.repair()
            };
            let error = error.expect_err("refused");
            assert!(format!("{error:?}").starts_with(expected), "{error:?}");
            assert_eq!(desk.mounted_at("sdb1"), 1, "after {method} failed");
        }
    }
}

#[test]
fn another_stick_in_its_place_is_not_examined() {
    let desk = Desk::new(stick(&[PLACE]));
    let other = Tree::default()
        .drive("Other", "usb", &[])
        .disk("sdb", "Other", STICK_SIZE, &[]);
    desk.fake.change(other);
    assert!(matches!(desk.check(), Err(Error::Changed(_))));
    assert!(matches!(desk.repair(), Err(Error::Changed(_))));
    assert!(desk.fake.calls().is_empty());
}
