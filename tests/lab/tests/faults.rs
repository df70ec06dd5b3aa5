//! A stick that goes, or lies, while a copy is under way: never a success, and it is told.

mod common;

use anyhow::{Context, Result};
use common::{Story, copy_of, formatted_image, pulled, put_source};
use serde_json::Value;
use steady_lab::{Lab, PlugOptions, Stick};

const MB: usize = 1_000_000;
const MIB: u64 = 1 << 20;

fn plugged(lab: &Lab, profile: &str, name: &str) -> Result<Stick> {
    lab.plug(&PlugOptions {
        profile: profile.into(),
        image: Some(copy_of(&formatted_image(lab, 600 * MIB)?, name)?),
        name: Some(name.into()),
        ..PlugOptions::default()
    })
}

/// The stick is pulled once an event of `phase` satisfies `when`.
fn pulled_in(lab: &Lab, stick: &Stick, more: &str, when: impl Fn(&Value) -> bool) -> Result<Value> {
    let arguments = format!("copy /home/tester/film.mp4 --to {} {more}", stick.device);
    let mut story = Story::start(lab, &arguments)?;
    while let Some(event) = story.next()? {
        if when(&event) {
            break;
        }
    }
    assert!(story.end.is_none(), "too late to pull: {:?}", story.end);
    drop(pulled(lab, stick));
    story.finish()
}

#[test]
fn w01_pulled_while_checking() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 12 * MB)?;
    let stick = plugged(&lab, "even:rbps=1e6", "checking")?;
    let end = pulled_in(&lab, &stick, "", |event| {
        event["phase"] == "checking" && event["checked"].as_u64().unwrap_or(0) > 3_000_000
    })?;
    assert_eq!(end["event"], "failed", "{end}");
    assert_eq!(end["kind"], "target_gone", "{end}");
    assert_eq!(end["checked"], false, "{end}");
    assert_eq!(end["safe_to_unplug"], false, "{end}");
    Ok(())
}

#[test]
fn w01_pulled_while_formatting() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", MB)?;
    let stick = plugged(&lab, "even:wbps=300e3", "formatting")?;
    let end = pulled_in(&lab, &stick, "--format fat32 --yes", |event| {
        event["phase"] == "formatting"
    })?;
    assert_eq!(end["event"], "failed", "{end}");
    assert_eq!(end["on_stick"]["complete"], 0, "{end}");
    assert_eq!(end["safe_to_unplug"], false, "{end}");
    Ok(())
}

/// A stick that claims more than it has: what was lost is found, and nothing is called checked.
#[test]
fn w04_a_fake_stick_is_found_by_the_check() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 100 * MB)?;
    let stick = lab.plug(&PlugOptions {
        profile: "fake:claims=1G,has=64M,how=drop,wbps=30e6,rbps=30e6".into(),
        ..PlugOptions::default()
    })?;
    let arguments = format!(
        "copy /home/tester/film.mp4 --to {} --format fat32 --yes",
        stick.device
    );
    let end = Story::start(&lab, &arguments)?.finish()?;
    assert_eq!(end["event"], "failed", "{end}");
    assert_eq!(end["checked"], false, "{end}");
    let kind = end["kind"].as_str().context("a kind")?;
    assert!(
        matches!(kind, "verify_mismatch" | "io_error" | "turned_read_only"),
        "{end}"
    );
    Ok(())
}

/// After a cancel the stick comes to rest, and the next job counts only its own bytes.
#[test]
fn p02_a_cancelled_job_leaves_nothing_to_the_next() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 40 * MB)?;
    put_source(&lab, "song.ogg", 3 * MB)?;
    let stick = plugged(&lab, "even:wbps=4e6", "cancelled")?;
    let arguments = format!("copy /home/tester/film.mp4 --to {}", stick.device);
    let mut story = Story::start(&lab, &arguments)?;
    while let Some(event) = story.next()? {
        if event["confirmed"].as_u64().unwrap_or(0) > 8_000_000 {
            let kill = ["pkill", "--signal", "INT", "-x", "steady-cli"];
            lab.run(&kill)?.success()?;
            break;
        }
    }
    let end = story.finish()?;
    assert_eq!(end["event"], "cancelled", "{end}");
    let at_rest = stick.counters()?.bytes_written;
    lab.run(&["sleep", "6"])?.success()?;
    assert_eq!(
        stick.counters()?.bytes_written,
        at_rest,
        "it went on writing"
    );

    let arguments = format!("copy /home/tester/song.ogg --to {}", stick.device);
    let mut story = Story::start(&lab, &arguments)?;
    while let Some(event) = story.next()? {
        if event["event"] == "progress" {
            let (confirmed, total) = (event["confirmed"].as_u64(), event["total"].as_u64());
            assert!(confirmed <= Some(3_000_000), "{event}");
            assert!(total.is_none_or(|total| total == 3_000_000), "{event}");
        }
    }
    let end = story.end.context("an end")?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["bytes"], 3_000_000, "{end}");
    Ok(())
}

/// The computer stays awake during a job, and only then.
#[test]
fn x03_the_computer_is_kept_awake_while_a_stick_is_written() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 20 * MB)?;
    let stick = plugged(&lab, "even:wbps=4e6", "awake")?;
    let held = || -> Result<bool> {
        let list = lab.run_root(&["systemd-inhibit", "--list", "--no-legend"])?;
        Ok(list.success()?.text().contains("Steady"))
    };
    assert!(!held()?);
    let arguments = format!(
        "copy /home/tester/film.mp4 --no-check --to {}",
        stick.device
    );
    let mut story = Story::start(&lab, &arguments)?;
    let mut seen = false;
    while let Some(event) = story.next()? {
        if !seen && event["phase"] == "writing" {
            seen = held()?;
        }
    }
    assert!(seen, "nothing kept it awake");
    assert!(!held()?, "still kept awake after the end");
    Ok(())
}
