//! What writing a packed image costs the computer, against `xz` and `dd`: processor time, which a
//! busy machine hardly changes. A process of its own, so that nothing else counts.

#![allow(clippy::unwrap_used, reason = "a test")]

#[path = "cpu/least.rs"]
mod least;
#[path = "image/packed.rs"]
mod packed;

use std::fs;
use std::process::Command;

use least::least;
use packed::{NAME, packed, stick};
use steady::engine::Meter;
use steady::engine::device::{complete, lanes, write};

/// Steady's share of what the two take.
const MOST: f64 = 1.2;
/// Bytes.
const SIZE: usize = 48 << 20;

#[test]
fn an_image_costs_no_more_than_unpacking_and_dd() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    // A program packs as most of what is on an image does.
    let mut bytes = fs::read(std::env::current_exe().unwrap()).unwrap();
    bytes.resize(SIZE, 7);
    let image = packed(folder.path(), bytes, 1, "-2", || {});
    let place = folder.path().join("stick");
    let device = stick(&place, SIZE as u64 + (8 << 20));

    let pipe = format!(
        "xz -dc {} | dd of={} bs=4M iflag=fullblock oflag=direct conv=notrunc,fsync status=none",
        folder.path().join(NAME).display(),
        place.display()
    );
    let [theirs, ours] = least([
        (libc::RUSAGE_CHILDREN, &mut || {
            let status = Command::new("sh").args(["-c", &pipe]).status();
            assert!(status.unwrap().success());
        }),
        (libc::RUSAGE_SELF, &mut || {
            let meter = Meter::default();
            let lane = lanes(&image, 1, false).remove(0);
            let written = write(lane, &device, None, &meter).unwrap();
            let completed = complete(&written, None, &device, &meter).unwrap();
            assert_eq!(completed.size, SIZE as u64);
        }),
    ]);
    let share = ours / theirs;
    println!(
        "figure: {} MiB of .xz natively, not checked: {ours:.2} s of processor time, {share:.2} x `xz -dc | dd` ({theirs:.2} s)",
        SIZE >> 20
    );
    assert!(share <= MOST, "{share:.2}");
}
