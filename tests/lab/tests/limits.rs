//! The largest file that FAT32 holds, to the byte.

mod common;

use anyhow::Result;
use common::{Story, steady_cli};
use steady_lab::{Lab, PlugOptions};

const LARGEST: u64 = u32::MAX as u64;

/// The largest file arrives exactly; one byte more is refused before the first.
#[test]
fn long_f01_the_largest_file_arrives_and_one_byte_more_is_refused() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = lab.plug(&PlugOptions {
        profile: "even:wbps=200e6,rbps=200e6".into(),
        size: 8 << 30,
        ..PlugOptions::default()
    })?;
    let film = "/home/tester/film.iso";
    // Ends and middle are not zeroes, so that a shifted or cut file shows.
    let make = format!(
        "truncate -s {LARGEST} {film} && for at in 0 2147483640 {}; do printf steady | dd of={film} bs=1 seek=$at conv=notrunc status=none; done && truncate -s {} {film}.more",
        LARGEST - 6,
        LARGEST + 1
    );
    lab.run(&["sh", "-c", &make])?.success()?;

    let erase = ["--format", "fat32", "--yes", "--json"];
    let more = format!("{film}.more");
    let before = stick.counters()?.bytes_written;
    let refused = [&["copy", &more, "--to", &stick.device], &erase[..]].concat();
    let (code, lines, said) = steady_cli(&lab, &refused)?;
    assert_eq!(code, 2, "{said}");
    assert!(lines.iter().any(|line| line["kind"] == "file_too_large"));
    assert_eq!(stick.counters()?.bytes_written, before);

    let arguments = format!(
        "copy {film} --to {} --format fat32 --yes --keep-mounted",
        stick.device
    );
    let end = Story::start(&lab, &arguments)?.finish()?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["checked"], true, "{end}");
    assert_eq!(end["bytes"], LARGEST, "{end}");
    let compare = format!(
        "cmp {film} \"$(findmnt -n -o TARGET {}1)/film.iso\"",
        stick.device
    );
    lab.run(&["sh", "-c", &compare])?.success()?;
    println!(
        "figure: {LARGEST} bytes on FAT32 in {} s, checked",
        end["seconds"]
    );
    Ok(())
}
