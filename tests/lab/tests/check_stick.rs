//! How much room a stick really has and how fast it is, with everything on it left as it was.

mod common;

use anyhow::{Context, Result, ensure};
use common::{Story, copy_of, formatted_image, give_password, prepared, put_source, steady_cli};
use serde_json::Value;
use steady_lab::{Lab, PlugOptions, Stick};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Starts a check, and gives the password.
fn start(lab: &Lab, stick: &Stick, more: &str) -> Result<Story> {
    let story = Story::start(lab, &format!("check-stick {} {more}", stick.device))?;
    give_password(lab)?;
    Ok(story)
}

/// What of `/media` every file holds, with the file system looked at first; the stick is left
/// unmounted.
fn files(lab: &Lab, stick: &Stick) -> Result<String> {
    let script = format!(
        "set -e; D={}1; umount $D 2>/dev/null || true; fsck.vfat -n $D >&2; \
         mkdir -p /run/look; mount -o ro $D /run/look; cd /run/look; \
         find . -type f | sort | xargs -d '\\n' sha256sum; cd /; umount /run/look",
        stick.device
    );
    let output = lab.run_root(&["sh", "-c", &script])?;
    Ok(output.success()?.text().clone())
}

/// A stick with some files on it.
fn with_files(lab: &Lab, options: &PlugOptions) -> Result<Stick> {
    // Smaller than Steady itself formats.
    let format = "echo 2048,,c | sfdisk -q $D; udevadm settle; mkfs.vfat ${D}1";
    let stick = prepared(lab, options, format)?;
    put_source(lab, "film.mp4", 9_000_000)?;
    put_source(lab, "song.ogg", 700_001)?;
    let copy = [
        "steady-cli",
        "copy",
        "/home/tester/film.mp4",
        "/home/tester/song.ogg",
        "--to",
        &stick.device,
        "--no-power-off",
    ];
    lab.run(&copy)?.success()?;
    Ok(stick)
}

/// The same stick in again: a check switches it off.
fn again(lab: &Lab, stick: &Stick, options: &PlugOptions) -> Result<Stick> {
    lab.unplug(stick)?;
    lab.plug(&PlugOptions {
        image: Some(stick.image_path().to_path_buf()),
        ..options.clone()
    })
}

fn found_out(how: &str) -> Result<()> {
    let lab = Lab::ready()?;
    let options = PlugOptions {
        profile: format!("fake:claims=1G,has=256M,how={how}"),
        name: Some(how.into()),
        ..PlugOptions::default()
    };
    let stick = with_files(&lab, &options)?;
    let before = files(&lab, &stick)?;
    ensure!(before.lines().count() == 2, "{before}");
    let end = start(&lab, &stick, "")?.finish()?;
    assert_eq!(end["event"], "failed", "{end}");
    assert_eq!(end["kind"], "fake_capacity", "{end}");
    assert_eq!(end["claimed"], GIB, "{end}");
    let real = end["real"].as_u64().context("a size")?;
    assert!(real.abs_diff(256 * MIB) <= MIB, "{end}");
    assert_eq!(end["erased"], false, "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    println!(
        "figure: a fake of 256 MiB ({how}) is found in {} s",
        end["seconds"]
    );
    let stick = again(&lab, &stick, &options)?;
    assert_eq!(files(&lab, &stick)?, before);
    Ok(())
}

#[test]
fn w04_a_stick_that_comes_round_is_found_out_and_loses_nothing() -> Result<()> {
    found_out("wrap")
}

#[test]
fn w04_a_stick_that_drops_what_is_beyond_is_found_out_and_loses_nothing() -> Result<()> {
    found_out("drop")
}

/// Free space is filled and read back, and nothing stays of it.
#[test]
fn a_good_stick_passes_with_its_speed_and_keeps_its_files() -> Result<()> {
    let lab = Lab::ready()?;
    let options = PlugOptions {
        profile: "even:wbps=24e6".into(),
        size: 96 * MIB,
        name: Some("good".into()),
        ..PlugOptions::default()
    };
    let stick = with_files(&lab, &options)?;
    let before = files(&lab, &stick)?;
    let mut story = start(&lab, &stick, "")?;
    let mut phases = Vec::new();
    while let Some(event) = story.next()? {
        if event["event"] == "phase" {
            phases.push(event["phase"].as_str().unwrap_or_default().to_owned());
        }
    }
    let end = story.end.context("an end")?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(
        (&end["claimed"], &end["real"]),
        (&(96 * MIB).into(), &(96 * MIB).into())
    );
    assert_eq!(end["checked"], true, "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    assert_eq!(end["cliff_at"], Value::Null, "{end}");
    for curve in ["write_curve", "read_curve"] {
        let points = end[curve].as_array().map_or(0, Vec::len);
        assert!(points > 20, "{curve}: {end}");
    }
    assert!(end["bytes"].as_u64() > Some(70 * MIB), "{end}");
    assert_eq!(
        phases,
        ["preparing", "probing", "writing", "checking", "finishing"]
    );
    println!("figure: 96 MiB checked in {} s", end["seconds"]);
    let stick = again(&lab, &stick, &options)?;
    assert_eq!(files(&lab, &stick)?, before);
    // It is known now.
    let (_, lines, _) = steady_cli(&lab, &["list", "--json"])?;
    let known = &lines[0]["sticks"][0]["known"];
    assert_eq!(known["genuine"], true, "{known}");
    assert!(known["speed"]["write"]["points"].is_array(), "{known}");
    Ok(())
}

/// A cancel while it is filled: no test file stays, and the stick may be pulled.
#[test]
fn a_cancel_leaves_no_test_files() -> Result<()> {
    let lab = Lab::ready()?;
    let options = PlugOptions {
        profile: "even:wbps=6e6".into(),
        size: 200 * MIB,
        name: Some("cancelled".into()),
        ..PlugOptions::default()
    };
    let stick = with_files(&lab, &options)?;
    let before = files(&lab, &stick)?;
    let mut story = start(&lab, &stick, "")?;
    while let Some(event) = story.next()? {
        if event["confirmed"].as_u64() > Some(8_000_000) {
            let kill = ["pkill", "--signal", "INT", "-x", "steady-cli"];
            lab.run(&kill)?.success()?;
            break;
        }
    }
    let end = story.finish()?;
    assert_eq!(end["event"], "cancelled", "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    assert_eq!(files(&lab, &stick)?, before);
    Ok(())
}

/// Without a terminal nobody can be asked, and so nothing is erased.
#[test]
fn erasing_has_to_be_agreed_to_and_what_is_in_use_is_refused() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = lab.plug(&PlugOptions {
        size: 64 * MIB,
        ..PlugOptions::default()
    })?;
    let check = ["check-stick", &stick.device, "--erase", "--json"];
    let (code, _, said) = steady_cli(&lab, &check)?;
    ensure!(code == 2 && said.contains("--yes"), "exit {code}: {said}");
    let root = lab.run(&["findmnt", "-n", "-o", "SOURCE", "/"])?;
    let root = root.success()?.text().trim().to_owned();
    let (code, lines, said) = steady_cli(&lab, &["check-stick", &root, "--json"])?;
    ensure!(code == 2, "exit {code}: {said}");
    let kind = &lines.last().context("a line")?["kind"];
    ensure!(
        ["in_use_by_system", "not_a_stick", "no_such_stick"].contains(&kind.as_str().unwrap_or("")),
        "{lines:?}"
    );
    assert_eq!(stick.counters()?.bytes_written, 0);
    Ok(())
}

/// Everything is written and read, and the speed is told over all of it.
#[test]
fn an_erasing_check_takes_all_of_the_stick() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = lab.plug(&PlugOptions {
        profile: "even:wbps=24e6".into(),
        size: 64 * MIB,
        ..PlugOptions::default()
    })?;
    let end = start(&lab, &stick, "--erase --yes")?.finish()?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["bytes"], 64 * MIB, "{end}");
    assert_eq!(
        (&end["checked"], &end["erased"]),
        (&true.into(), &true.into())
    );
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    Ok(())
}

/// The place where a stick gets slow is told within a tenth.
#[test]
fn long_the_cliff_is_where_it_is() -> Result<()> {
    let lab = Lab::ready()?;
    let blank = formatted_image(&lab, 600 * MIB)?;
    for (fast, erase) in [(64, ""), (96, "--erase --yes")] {
        let stick = lab.plug(&PlugOptions {
            profile: format!("cliff:wbps=24e6,fast={fast}M"),
            image: Some(copy_of(&blank, "cliff")?),
            ..PlugOptions::default()
        })?;
        let end = start(&lab, &stick, erase)?.finish()?;
        assert_eq!(end["event"], "done", "{end}");
        let told = end["cliff_at"].as_u64().context("a cliff")?;
        println!("figure: the cliff at {} is told at {told}", fast * MIB);
        assert!(told.abs_diff(fast * MIB) <= fast * MIB / 10, "{end}");
        lab.unplug(&stick)?;
    }
    Ok(())
}
