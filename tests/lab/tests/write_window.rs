//! Writing images by clicks, with the password really asked for.

mod common;

use anyhow::{Context, Result, ensure};
use common::{
    beginning, give_password, image_arrives, mounted_stick, put_disk, put_packed_disk, steady_cli,
};
use serde_json::Value;
use steady_lab::{Clicks, Lab, PlugOptions};

const MIB: u64 = 1 << 20;

/// How many sticks the program sees.
fn sticks(lab: &Lab) -> Result<Option<usize>> {
    let (_, lines, _) = steady_cli(lab, &["list", "--json"])?;
    Ok(lines[0]["sticks"].as_array().map(Vec::len))
}

/// The password is dismissed: the stick is as it was, and the window is back at it. Then it is
/// given, and what the last page says is on the stick.
#[test]
fn an_opened_image_is_written_once_the_password_is_given() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_packed_disk(&lab, 20)?;
    let (stick, part) = mounted_stick(&lab)?;
    let mounted = ["findmnt", "-n", "-o", "TARGET", &part];
    let before = stick.counters()?.bytes_written;

    // The program's log waits for somebody to read it.
    let _log = lab.events()?;
    let clicks = Clicks::new(&lab, None);
    clicks.choose_image("/home/tester/disk.img.xz")?;
    clicks.erase_and_write()?;
    lab.wait("label", "Waiting for the password…")?;
    lab.run(&mounted)?.success()?;
    lab.key("Escape")?;
    lab.wait("heading", "Which stick?")?;
    ensure!(lab.read("label", "Stopped").is_err(), "it is no end");
    lab.run(&mounted)?.success()?;
    // The kernel notes in one sector how much room a mounted FAT has, once it was asked.
    let written = stick.counters()?.bytes_written - before;
    assert!(written <= 512, "{written} bytes were written");

    clicks.erase_and_write()?;
    give_password(&lab)?;
    lab.wait("label", "Safe to unplug")?;
    lab.read("label", "20.9 MB")?;
    lab.read("label", "Read back from the stick, everything is the same")?;
    assert_eq!(sticks(&lab)?, Some(0), "it is switched off");
    image_arrives(&lab, &stick, "disk.img.xz", &disk)
}

/// One image onto three sticks, of which one dies: the others do not wait for it, and each has its
/// own end.
#[test]
fn long_an_image_goes_onto_three_sticks_and_one_dies() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 60)?;
    let profiles = [
        ("even", "EVEN01"),
        ("even:wbps=8e6", "HALF02"),
        ("dies:at=30e6", "DIES03"),
    ];
    let mut plugged = Vec::new();
    for (profile, serial) in profiles {
        plugged.push(lab.plug(&PlugOptions {
            profile: profile.into(),
            serial: Some(serial.into()),
            name: Some(serial.to_lowercase()),
            size: 256 * MIB,
            ..PlugOptions::default()
        })?);
    }
    // The program's log waits for somebody to read it.
    let _log = lab.events()?;
    let clicks = Clicks::new(&lab, None);
    clicks.choose_image("/home/tester/disk.img")?;
    for (_, serial) in profiles {
        lab.click("check box", &format!("/{serial}/"))?;
    }
    clicks.erase_and_write()?;
    give_password(&lab)?;
    lab.wait("heading", "Writing to 3 sticks")?;
    lab.wait("label", "2 of 3 sticks are written")?;
    lab.read("label", "“disk.img” is on 2 sticks.")?;
    lab.read("label", "/only a part of the image/")?;
    let tree = lab.tree()?;
    let safe = tree.matches("Safe to unplug").count();
    ensure!(safe >= 2, "{safe} are told to be safe:\n{tree}");

    // Nobody waited for a slower one, nor for the dead one.
    let history = lab.run(&["cat", "/home/tester/.local/share/steady/history.jsonl"])?;
    let history = history.success()?.text();
    let receipt = |serial: &str| {
        let line = history.lines().find(|line| line.contains(serial));
        let line = line.with_context(|| format!("no receipt of {serial}"));
        Ok::<Value, anyhow::Error>(serde_json::from_str(line?)?)
    };
    let (quick, slow, dead) = (receipt("EVEN01")?, receipt("HALF02")?, receipt("DIES03")?);
    println!("figure: receipts {quick} {slow} {dead}");
    ensure!(
        quick["ended"] == "done" && slow["ended"] == "done",
        "{slow}"
    );
    ensure!(dead["ended"] == "failed", "{dead}");
    let rate = |receipt: &Value| receipt["bytes_per_second"].as_f64();
    ensure!(rate(&quick) > rate(&slow), "{quick} is not above {slow}");

    let [quick, slow, dead] = plugged.as_slice() else {
        unreachable!("there are three")
    };
    ensure!(
        beginning(&lab, quick, disk.len())? == disk,
        "the quick one has another image"
    );
    ensure!(
        beginning(&lab, slow, disk.len())? == disk,
        "the slow one has another image"
    );
    ensure!(
        beginning(&lab, dead, 512)? != disk[..512],
        "the dead one looks whole"
    );
    Ok(())
}
