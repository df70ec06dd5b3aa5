use zbus::zvariant::Value;

use super::tree::{STICK_SIZE, Tree, block_path, stick};
use crate::drives::recheck::{same_drive, writable_drive};
use crate::drives::{Drive, Error, Refusal};

fn chosen() -> Drive {
    stick(&[]).only()
}

fn kind<T>(result: Result<T, Error>) -> String {
    match result {
        Ok(_) => "same".to_owned(),
        Err(error) => {
            let text = format!("{error:?}");
            text.split(['(', ' ']).next().unwrap_or_default().to_owned()
        }
    }
}

#[test]
fn a_drive_is_the_same_only_with_id_serial_size_and_node() {
    let at = |node: &str, id: &str, serial: &str, size: u64| {
        Tree::default()
            .drive(
                "d",
                "usb",
                &[
                    ("Id", Value::from(id.to_owned())),
                    ("Serial", Value::from(serial.to_owned())),
                ],
            )
            .disk(node, "d", size, &[])
            .list()
    };
    let chosen = at("sdb", "Acme-1", "1", STICK_SIZE).remove(0);
    for (now, expected) in [
        (at("sdb", "Acme-1", "1", STICK_SIZE), "same"),
        (at("sdb", "Acme-2", "2", STICK_SIZE), "Changed"),
        (at("sdb", "Acme-1", "2", STICK_SIZE), "Changed"),
        (at("sdb", "Acme-1", "1", STICK_SIZE + 512), "Changed"),
        (at("sdc", "Acme-1", "1", STICK_SIZE), "Changed"),
        (at("sdc", "Acme-2", "2", STICK_SIZE), "Gone"),
        (Vec::new(), "Gone"),
    ] {
        assert_eq!(
            kind(writable_drive(&chosen, now.clone())),
            expected,
            "{now:#?}"
        );
    }
}

#[test]
fn d03_d09_what_came_up_since_choosing_refuses() {
    let no_card = Tree::default()
        .drive(
            "Acme-Flash-0123",
            "usb",
            &[("MediaAvailable", false.into())],
        )
        .disk("sdb", "Acme-Flash-0123", 0, &[]);
    assert!(matches!(
        writable_drive(&chosen(), no_card.list()),
        Err(Error::Refused(Refusal::NoMedium))
    ));
    let locked = stick(&[]).set(&block_path("sdb"), "Block", &[("ReadOnly", true.into())]);
    assert_eq!(
        kind(writable_drive(&chosen(), locked.list())),
        "WriteProtected"
    );
    let system = stick(&["/boot"]);
    assert!(matches!(
        writable_drive(&chosen(), system.list()),
        Err(Error::Refused(Refusal::InUseBySystem))
    ));
    // To unmount and switch it off it need not be writable.
    assert_eq!(kind(same_drive(&chosen(), locked.list())), "same");
}
