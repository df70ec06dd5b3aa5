use std::thread;
use std::time::Duration;

use super::desk::Desk;
use super::tree::{Tree, stick};
use crate::drives::Error;

const QUIET: Duration = Duration::from_millis(800);
const LIMIT: Duration = Duration::from_secs(50);

/// A stick whose one file system the system has just found.
fn fresh(kind: &str, mounts: &[&str]) -> Tree {
    stick(&[]).file_system("sdb1", kind, "NEW", "n", mounts)
}

fn is_mounted(desk: &Desk) -> bool {
    let mut blocks = desk.fake.snapshot().blocks.into_values();
    blocks.any(|block| block.is_mounted())
}

#[test]
fn b02_what_is_mounted_late_is_unmounted_and_flushed_before_it_is_called_safe() {
    let media = tempfile::tempdir().expect("a temporary folder");
    let place = media.path().join("NEW");
    std::fs::create_dir(&place).expect("a place to mount at");
    let place = place.to_str().expect("plain");
    for (kind, expected) in [
        ("ext4", &["Unmount sdb1"][..]),
        ("vfat", &["Unmount sdb1", "Mount sdb1 ro", "Unmount sdb1"]),
    ] {
        let desk = Desk::new(fresh(kind, &[]));
        desk.fake.mount_below(media.path());
        thread::scope(|scope| {
            let settled = scope.spawn(|| desk.udisks.settle_within(&desk.drive, QUIET, LIMIT));
            thread::sleep(QUIET / 4);
            desk.fake.change(fresh(kind, &[place]));
            let settled = settled.join().expect("no panic");
            assert!(settled.expect("settled"), "{kind}");
        });
        assert!(!is_mounted(&desk), "{kind}");
        assert_eq!(desk.fake.calls(), expected, "{kind}");
    }
}

/// Where everything takes longer, an automounter comes later than it usually would.
#[test]
fn b02_an_automounter_is_waited_for_longer_on_a_slow_computer() {
    let desk = Desk::new(fresh("ext4", &[]));
    desk.fake.take(Duration::from_millis(50));
    thread::scope(|scope| {
        let settled = scope.spawn(|| desk.udisks.settle_within(&desk.drive, QUIET, LIMIT));
        thread::sleep(QUIET + QUIET / 2);
        desk.fake.change(fresh("ext4", &["/run/media/ann/NEW"]));
        let settled = settled.join().expect("no panic");
        assert!(settled.expect("settled"));
    });
    assert!(!is_mounted(&desk));
}

#[test]
fn a_stick_that_nobody_mounts_is_left_alone() {
    let desk = Desk::new(fresh("vfat", &[]));
    assert!(
        desk.udisks
            .settle_within(&desk.drive, QUIET, LIMIT)
            .expect("settled")
    );
    assert!(desk.fake.calls().is_empty());
}

#[test]
fn b02_what_stays_in_use_is_not_called_safe() {
    let desk = Desk::new(fresh("vfat", &["/run/media/ann/NEW"]));
    for _ in 0..100 {
        desk.fake.fail("Unmount", "DeviceBusy", "target is busy");
    }
    let settled = desk.udisks.settle_within(&desk.drive, QUIET, QUIET * 2);
    assert!(!settled.expect("no failure"));
    assert!(is_mounted(&desk));
    desk.fake.change(Tree::default());
    let gone = desk.udisks.settle_within(&desk.drive, QUIET, LIMIT);
    assert!(matches!(gone, Err(Error::Gone(_))), "{gone:?}");
}
