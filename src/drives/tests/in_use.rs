use super::listing::refusal_of;
use super::tree::{STICK_SIZE, block_path, bytes, object, stick};
use crate::drives::Refusal;
use crate::drives::machine::Machine;

const GB: u64 = 1_000_000_000;

#[test]
fn b04_what_is_stacked_on_a_stick_refuses_it_while_it_is_active() {
    let holds = |id_type: &'static str| {
        stick(&[]).set(&block_path("sdb1"), "Block", &[("IdType", id_type.into())])
    };
    let held = Machine {
        holders: [("sdb1".to_owned(), vec!["dm-7".to_owned()])].into(),
        ..Machine::default()
    };
    for (id_type, expected) in [
        ("LVM2_member", Refusal::Lvm),
        ("crypto_LUKS", Refusal::Unlocked),
        ("linux_raid_member", Refusal::Raid),
        ("bcache", Refusal::Raid),
    ] {
        let tree = holds(id_type);
        assert_eq!(tree.only().refusal, None, "{id_type}, not active");
        assert_eq!(tree.list_on(&held)[0].refusal, Some(expected), "{id_type}");
    }
    let unlocked = holds("crypto_LUKS").disk(
        "dm-7",
        "",
        GB,
        &[("CryptoBackingDevice", object(&block_path("sdb1")))],
    );
    assert_eq!(refusal_of(&unlocked.list(), "sdb"), Some(Refusal::Unlocked));
    let root = unlocked.file_system("dm-7", "ext4", "", "r", &["/"]);
    assert_eq!(
        refusal_of(&root.list(), "sdb"),
        Some(Refusal::InUseBySystem)
    );
}

#[test]
fn b04_what_cannot_be_locked_weighs_more_than_what_can() {
    let held = Machine {
        holders: [
            ("sdb1".to_owned(), vec!["dm-7".to_owned()]),
            ("dm-7".to_owned(), vec!["dm-8".to_owned()]),
        ]
        .into(),
        ..Machine::default()
    };
    let clear = |id_type: &'static str| {
        stick(&[])
            .set(
                &block_path("sdb1"),
                "Block",
                &[("IdType", "crypto_LUKS".into())],
            )
            .disk(
                "dm-7",
                "",
                GB,
                &[
                    ("CryptoBackingDevice", object(&block_path("sdb1"))),
                    ("IdType", id_type.into()),
                ],
            )
            .disk("dm-8", "", GB, &[])
    };
    let rows = clear("LVM2_member").list_on(&held);
    assert_eq!(refusal_of(&rows, "sdb"), Some(Refusal::Lvm));
    let pool = clear("btrfs").file_system("dm-7", "btrfs", "", "pool", &["/run/media/ann/pool"]);
    assert_eq!(refusal_of(&pool.list(), "sdb"), Some(Refusal::Unlocked));
}

#[test]
fn b04_a_btrfs_over_several_sticks_is_refused_while_it_is_mounted() {
    let pool = |first: &[&str], second: &[&str]| {
        stick(&[])
            .file_system("sdb1", "btrfs", "", "pool", first)
            .drive("Second", "usb", &[])
            .disk("sdc", "Second", STICK_SIZE, &[])
            .file_system("sdc", "btrfs", "", "pool", second)
            .list()
    };
    let place: &[&str] = &["/run/media/ann/pool"];
    for (first, second, expected) in [
        (place, &[][..], Some(Refusal::Raid)),
        (&[], place, Some(Refusal::Raid)),
        (&[], &[], None),
    ] {
        let rows = pool(first, second);
        for node in ["sdb", "sdc"] {
            assert_eq!(refusal_of(&rows, node), expected, "{node}");
        }
    }
    let alone = stick(&[])
        .file_system("sdb1", "btrfs", "", "pool", place)
        .partition("sdb2", "sdb", 1000, &[])
        .file_system("sdb2", "btrfs", "", "pool", &[]);
    assert_eq!(alone.only().refusal, None, "all of it on one stick");
}

#[test]
fn b04_a_member_of_a_running_array_is_refused() {
    let array = object("/org/freedesktop/UDisks2/mdraid/a");
    let member = stick(&[]).set(
        &block_path("sdb1"),
        "Block",
        &[("MDRaidMember", array.try_clone().expect("a path"))],
    );
    assert_eq!(member.only().refusal, None, "stopped");
    let running = member.disk("md127", "", GB, &[("MDRaid", array)]);
    assert_eq!(refusal_of(&running.list(), "sdb"), Some(Refusal::Raid));
    let root = running.file_system("md127", "ext4", "", "r", &["/usr"]);
    assert_eq!(
        refusal_of(&root.list(), "sdb"),
        Some(Refusal::InUseBySystem)
    );
}

#[test]
fn a_disk_of_the_systems_btrfs_is_refused_even_when_another_is_mounted() {
    let tree = stick(&[])
        .file_system("sdb1", "btrfs", "", "pool", &[])
        .drive("NVMe", "", &[])
        .disk("nvme0n1", "NVMe", 512 * GB, &[])
        .file_system("nvme0n1", "btrfs", "", "pool", &["/", "/home"]);
    assert_eq!(
        refusal_of(&tree.list(), "sdb"),
        Some(Refusal::InUseBySystem)
    );
}

#[test]
fn a_stick_with_the_file_that_the_system_runs_from_is_refused() {
    let shown = |file: &str, mounts: &[&str]| {
        let tree = stick(&["/run/media/ann/LIVE"])
            .disk("loop0", "", GB, &[])
            .set(
                &block_path("loop0"),
                "Loop",
                &[("BackingFile", bytes(file))],
            )
            .file_system("loop0", "squashfs", "", "s", mounts);
        refusal_of(&tree.list(), "sdb")
    };
    let file = "/run/media/ann/LIVE/live/filesystem.squashfs";
    assert_eq!(shown(file, &["/"]), Some(Refusal::InUseBySystem));
    assert_eq!(shown(file, &["/run/media/ann/inside"]), None);
    assert_eq!(shown("/home/ann/other.iso", &["/"]), None);
}
