use super::desk::Desk;
use super::tree::{MIB, STICK_SIZE, Tree, block_path, stick};
use crate::drives::{Error, FileSystem, FormatProblem, FormatSpec, LabelProblem, Refusal};

const PLACE: &str = "/run/media/ann/HOLIDAY";
const WIPE: &str = "Format sdb1 empty";
const FORMAT: &str = "Format sdb dos";
const END: [&str; 3] = [
    "CreatePartition sdb 1998585856 1414144 0xda",
    "Format sdb1 empty zero",
    "Delete sdb1",
];
const CREATE: &str = r#"CreatePartitionAndFormat sdb 4194304 0 0x0c "" vfat "MUSIC""#;

fn fat32() -> FormatSpec {
    FormatSpec {
        file_system: FileSystem::Fat32,
        label: "Music".to_owned(),
    }
}

#[test]
fn formatting_unmounts_then_writes_the_table_then_the_volume() {
    let desk = Desk::new(stick(&[PLACE, "/mnt"]));
    let volume = desk.udisks.format(&desk.drive, &fat32()).expect("a volume");
    assert_eq!(
        desk.fake.calls(),
        [
            &["Unmount sdb1", "Unmount sdb1", WIPE, FORMAT][..],
            &END,
            &[CREATE]
        ]
        .concat()
    );
    assert_eq!(
        (volume.file_system.as_str(), volume.label.as_str()),
        ("vfat", "MUSIC")
    );
    assert_eq!(volume.object, block_path("sdb1"));
    assert!(volume.mounted_at.is_empty());
}

#[test]
fn exfat_gets_its_own_partition_type_and_keeps_the_label_as_typed() {
    let desk = Desk::new(stick(&[]));
    let spec = FormatSpec {
        file_system: FileSystem::ExFat,
        label: "Müller".to_owned(),
    };
    desk.udisks.format(&desk.drive, &spec).expect("a volume");
    assert_eq!(
        desk.fake.calls()[5],
        r#"CreatePartitionAndFormat sdb 4194304 0 0x07 "" exfat "Müller""#
    );
}

#[test]
fn l02_l03_bad_input_touches_nothing() {
    let small = Tree::default()
        .drive("Acme", "usb", &[])
        .disk("sdb", "Acme", 256 * MIB, &[]);
    let large = Tree::default()
        .drive("Acme", "usb", &[])
        .disk("sdb", "Acme", 3 << 40, &[]);
    let named = |label: &str| FormatSpec {
        label: label.to_owned(),
        ..fat32()
    };
    for (tree, spec, expected) in [
        (small, fat32(), FormatProblem::TooSmall),
        (large, fat32(), FormatProblem::TooLarge),
        (
            stick(&[PLACE]),
            named("twelve chars"),
            FormatProblem::Label(LabelProblem::TooLong),
        ),
        (
            stick(&[PLACE]),
            named("a/b"),
            FormatProblem::Label(LabelProblem::Forbidden('/')),
        ),
    ] {
        let desk = Desk::new(tree);
        let result = desk.udisks.format(&desk.drive, &spec);
        assert!(
            matches!(&result, Err(Error::Unsuitable(problem)) if *problem == expected),
            "{result:?}"
        );
        assert!(desk.fake.calls().is_empty());
    }
}

#[test]
fn another_stick_or_a_system_disk_in_its_place_is_not_touched() {
    let other = Tree::default()
        .drive("Other", "usb", &[])
        .disk("sdb", "Other", STICK_SIZE, &[]);
    let locked = stick(&[PLACE]).set(&block_path("sdb"), "Block", &[("ReadOnly", true.into())]);
    for (now, expected) in [
        (other, Error::Changed("Acme-Flash-0123".to_owned())),
        (Tree::default(), Error::Gone("Acme-Flash-0123".to_owned())),
        (stick(&["/"]), Error::Refused(Refusal::InUseBySystem)),
        (locked, Error::WriteProtected),
    ] {
        let desk = Desk::new(stick(&[]));
        desk.fake.change(now);
        let error = desk
            .udisks
            .format(&desk.drive, &fat32())
            .expect_err("not this one");
        assert_eq!(format!("{error:?}"), format!("{expected:?}"));
        assert!(desk.fake.calls().is_empty());
    }
}

#[test]
fn l04_a_step_that_fails_after_erasing_says_so_and_can_be_tried_again() {
    let desk = Desk::new(stick(&[PLACE]));
    desk.fake.fail(
        "CreatePartitionAndFormat",
        "Failed",
        "mkfs.vfat: exit status 1",
    );
    let error = desk
        .udisks
        .format(&desk.drive, &fat32())
        .expect_err("no volume");
    let Error::LeftEmpty(cause) = &error else {
        panic!("{error:?}")
    };
    assert!(
        matches!(&**cause, Error::Failed { operation: "CreatePartitionAndFormat", message }
        if message == "mkfs.vfat: exit status 1")
    );
    let now = desk.udisks.recheck(&desk.drive).expect("the same stick");
    assert!(now.volumes.is_empty());
    desk.udisks
        .format(&now, &fat32())
        .expect("a volume at the second try");
}

#[test]
fn x01_a_dismissed_password_leaves_the_stick_as_it_was() {
    for (name, expected) in [
        ("NotAuthorizedDismissed", "Dismissed"),
        ("NotAuthorized", "NotAuthorized"),
        ("NotAuthorizedCanObtain", "NoAgent"),
    ] {
        for method in ["Unmount", "Format"] {
            let desk = Desk::new(stick(&[PLACE]));
            desk.fake.fail(method, name, "the daemon's words");
            let error = desk
                .udisks
                .format(&desk.drive, &fat32())
                .expect_err("refused");
            assert!(format!("{error:?}").starts_with(expected), "{error:?}");
            let blocks = desk.fake.snapshot().blocks;
            let volume = &blocks[&block_path("sdb1")];
            assert_eq!(volume.id_label, "HOLIDAY");
            assert_eq!(
                volume.mount_points.as_ref().map(Vec::len),
                Some(1),
                "mounted as before, after {method} failed"
            );
        }
    }
}

#[test]
fn b02_an_automounter_between_the_steps_only_delays() {
    let desk = Desk::new(stick(&[PLACE]));
    desk.fake.automount(3);
    desk.fake.let_through("Format");
    desk.fake.fail(
        "Format",
        "Failed",
        "Error wiping device: Device or resource busy",
    );
    desk.fake.fail(
        "CreatePartitionAndFormat",
        "Failed",
        "Error synchronizing after initial wipe: Timed out waiting for object",
    );
    desk.udisks.format(&desk.drive, &fat32()).expect("a volume");
    let calls = desk.fake.calls();
    assert_eq!(calls.iter().filter(|call| *call == FORMAT).count(), 3);
    assert_eq!(calls.last().map(String::as_str), Some(CREATE));
}

#[test]
fn b03_a_busy_stick_is_named_and_not_erased() {
    let desk = Desk::new(stick(&[PLACE]));
    desk.fake.fail("Unmount", "DeviceBusy", "target is busy");
    let error = desk.udisks.format(&desk.drive, &fat32()).expect_err("busy");
    let Error::Busy {
        mount_point: Some(place),
        message,
        ..
    } = error
    else {
        panic!("{error:?}")
    };
    assert_eq!(
        (place.to_str(), message.as_str()),
        (Some(PLACE), "target is busy")
    );
    assert_eq!(desk.fake.calls(), ["Unmount sdb1"]);
}
