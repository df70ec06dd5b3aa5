use std::time::{Duration, Instant};

use async_channel::{Receiver, TryRecvError};
use async_io::{Timer, block_on};
use futures_lite::FutureExt;

use super::fake::Fake;
use super::private_bus::PrivateBus;
use super::tree::{STICK_SIZE, Tree, block_path, stick};
use crate::drives::watch::start;
use crate::drives::{Drive, Error, Refusal};

type Updates = Receiver<Result<Vec<Drive>, Error>>;

fn watch(bus: &PrivateBus) -> Updates {
    let address = bus.address().to_owned();
    start(move || zbus::connection::Builder::address(address.as_str()))
}

fn next(updates: &Updates) -> Result<Vec<Drive>, Error> {
    let update = block_on(async { updates.recv().await.ok() }.or(async {
        Timer::after(Duration::from_secs(50)).await;
        None
    }));
    update.expect("an update within a generous time")
}

fn ids(update: Result<Vec<Drive>, Error>) -> Vec<String> {
    let drives = update.expect("a list");
    drives.into_iter().map(|drive| drive.id).collect()
}

fn two_sticks() -> Tree {
    stick(&[])
        .drive("Second", "usb", &[])
        .disk("sdc", "Second", STICK_SIZE, &[])
}

#[test]
fn plugging_in_and_out_comes_as_updates() {
    let bus = PrivateBus::start();
    let fake = Fake::start(&bus, stick(&[]));
    let updates = watch(&bus);
    assert_eq!(ids(next(&updates)), ["Acme-Flash-0123"]);
    fake.change(two_sticks());
    assert_eq!(ids(next(&updates)), ["Acme-Flash-0123", "Second"]);
    fake.change(stick(&[]));
    assert_eq!(ids(next(&updates)), ["Acme-Flash-0123"]);
    fake.change(Tree::default());
    assert!(ids(next(&updates)).is_empty());
}

#[test]
fn d03_a_card_put_in_and_taken_out_comes_as_updates_and_nothing_moves() {
    let reader = |filled: bool| {
        let size = if filled { STICK_SIZE } else { 0 };
        two_sticks()
            .drive("Slot", "usb", &[("MediaAvailable", filled.into())])
            .disk("sdd", "Slot", size, &[])
    };
    let bus = PrivateBus::start();
    let fake = Fake::start(&bus, reader(false));
    let updates = watch(&bus);
    let slot = |drives: &[Drive]| drives.last().and_then(|slot| slot.refusal);
    let before = next(&updates).expect("a list");
    assert_eq!(slot(&before), Some(Refusal::NoMedium));
    for filled in [true, false, true] {
        fake.change_properties(&block_path("sdd"), reader(filled));
        let now = next(&updates).expect("a list");
        assert_eq!(slot(&now), (!filled).then_some(Refusal::NoMedium));
        assert_eq!(now[..2], before[..2]);
    }
}

#[test]
fn a_stick_back_under_another_node_is_the_same_by_its_id() {
    let at = |node: &str| {
        Tree::default().drive("Acme-Flash-0123", "usb", &[]).disk(
            node,
            "Acme-Flash-0123",
            STICK_SIZE,
            &[],
        )
    };
    let bus = PrivateBus::start();
    let fake = Fake::start(&bus, at("sdb"));
    let updates = watch(&bus);
    let before = next(&updates).expect("a list").remove(0);
    fake.change(at("sdc"));
    let after = next(&updates).expect("a list").remove(0);
    assert_eq!((&after.id, &after.object), (&before.id, &before.object));
    assert_ne!(after.device, before.device);
}

#[test]
fn many_signals_make_few_updates_and_never_jam_the_bus() {
    let bus = PrivateBus::start();
    let fake = Fake::start(&bus, stick(&[]));
    let updates = watch(&bus);
    next(&updates).expect("a list");
    for _ in 0..1000 {
        fake.tell("InterfacesRemoved");
    }
    fake.change(two_sticks());
    assert_eq!(ids(next(&updates)).len(), 2);
    fake.change(stick(&[]));
    assert_eq!(ids(next(&updates)).len(), 1);
    assert!(matches!(updates.try_recv(), Err(TryRecvError::Empty)));
}

#[test]
fn udisks_going_away_is_told_once_and_its_return_brings_the_list_back() {
    let bus = PrivateBus::start();
    let updates = watch(&bus);
    assert!(
        matches!(next(&updates), Err(Error::NoUdisks(_))),
        "not there yet"
    );
    for _ in 0..3 {
        let fake = Fake::start(&bus, stick(&[]));
        assert_eq!(ids(next(&updates)), ["Acme-Flash-0123"]);
        drop(fake);
        assert!(matches!(next(&updates), Err(Error::NoUdisks(_))));
    }
}

#[test]
fn the_thread_ends_with_the_receiver() {
    let bus = PrivateBus::start();
    let _fake = Fake::start(&bus, stick(&[]));
    let updates = watch(&bus);
    next(&updates).expect("a list");
    let watcher = names_on(&bus);
    drop(updates);
    let deadline = Instant::now() + Duration::from_secs(50);
    while names_on(&bus) >= watcher {
        assert!(Instant::now() < deadline, "its connection is still open");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Connections to the bus, this look's own included.
fn names_on(bus: &PrivateBus) -> usize {
    let connection = bus.connect();
    let names = block_on(async {
        let names = zbus::fdo::DBusProxy::new(&connection)
            .await?
            .list_names()
            .await?;
        connection.clone().close().await?;
        zbus::Result::Ok(names)
    });
    let names = names.expect("the bus");
    names.iter().filter(|name| name.starts_with(':')).count()
}
