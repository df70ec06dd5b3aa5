//! Copying with the command line onto real file systems on emulated sticks.

mod common;

use anyhow::Result;
use common::{Story, copy_of, formatted_image, idle_dirty, pulled, put_source};
use serde_json::Value;
use steady_lab::{Lab, PlugOptions, Truth};

const MB: u64 = 1_000_000;
const MIB: u64 = 1 << 20;

fn number(event: &Value, name: &str) -> u64 {
    event[name].as_u64().unwrap_or_default()
}

/// Honest and gentle: what is shown is on the stick and hardly behind it, the window is bounded,
/// hardly more is written than the file, and the stick is what people expect.
#[test]
fn a_copy_with_format_is_told_as_it_is() -> Result<()> {
    let lab = Lab::ready()?;
    let size = 60 * MB;
    let contents = put_source(&lab, "film.mp4", size as usize)?;
    let stick = lab.plug(&PlugOptions::default())?;
    let idle = idle_dirty(&lab)?;

    let arguments = format!(
        "copy /home/tester/film.mp4 --to {} --format fat32 --label Music --yes",
        stick.device
    );
    let mut story = Story::start(&lab, &arguments)?;
    let mut truth = Truth::watch(&stick)?;
    let (mut formatted, mut dirty) = (0, 0);
    while let Some((at, event)) = story.next_stamped()? {
        if event["event"] == "phase" && event["phase"] == "writing" {
            formatted = stick.counters()?.bytes_written;
        }
        if event["event"] != "progress" || formatted == 0 {
            continue;
        }
        let confirmed = number(&event, "confirmed");
        assert!(number(&event, "durable") <= confirmed, "{event}");
        assert!(confirmed <= number(&event, "accepted"), "{event}");
        truth.shown(at, confirmed);
        if event["phase"] == "writing" {
            dirty = dirty.max(lab.dirty_bytes()?);
        }
    }
    let end = story.end.clone().unwrap_or_default();
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    assert_eq!(end["checked"], true, "{end}");
    assert_eq!(end["on_stick"]["complete_items"][0], "film.mp4");
    assert!(number(&end, "peak_unconfirmed") <= 32 * MIB, "{end}");
    assert!(
        dirty <= idle + 40 * MIB,
        "{dirty} dirty bytes, {idle} before"
    );
    let written = stick.counters()?.bytes_written - formatted;
    let verdict = truth.judge(size)?;
    println!("figure: {verdict:?}, in bytes of {size}");
    println!(
        "figure: written in all / file = {:.4}",
        written as f64 / size as f64
    );
    println!(
        "figure: at most {} bytes unconfirmed, Dirty+Writeback at most idle + {}",
        end["peak_unconfirmed"],
        dirty.saturating_sub(idle)
    );
    assert_eq!(verdict.ahead, 0, "shown, and not on the stick");
    assert!(verdict.behind <= 32 * MIB, "{verdict:?}");
    assert!(
        written as f64 <= 1.02 * size as f64,
        "{written} bytes for {size}"
    );

    let medium = pulled(&lab, &stick)?;
    assert_eq!(medium.partition_type, 0x0c);
    assert_eq!(medium.start, 4 * MIB);
    assert!(medium.only_one);
    assert_eq!(medium.file_system()?, "vfat FAT32");
    assert_eq!(medium.label()?, "MUSIC");
    medium.check()?;
    assert_eq!(medium.list()?, ["film.mp4"]);
    assert!(medium.read("film.mp4")?.as_deref() == Some(contents.as_slice()));
    Ok(())
}

/// The oracle of the promise that what is durable survives: the stick is pulled the moment that
/// something new is told as durable.
#[test]
fn what_is_told_as_durable_survives_a_pull() -> Result<()> {
    let lab = Lab::ready()?;
    let files = [("1.bin", 9 * MB), ("2.bin", 2 * MB), ("3.bin", 9 * MB)];
    let mut contents = Vec::new();
    for (name, size) in files {
        contents.push((name, put_source(&lab, name, size as usize)?));
    }
    let blank = formatted_image(&lab, 600 * MIB)?;
    let mut pulls = 0;
    loop {
        let name = format!("pull{pulls}");
        let stick = lab.plug(&PlugOptions {
            // Slow enough for checkpoints in the middle, and nothing unflushed survives.
            profile: format!("volatile:wbps=700e3,keep=0,seed={pulls}"),
            image: Some(copy_of(&blank, &name)?),
            name: Some(name),
            ..PlugOptions::default()
        })?;
        let mut story = Story::start(
            &lab,
            &format!(
                "copy /home/tester/1.bin /home/tester/2.bin /home/tester/3.bin --to {} --no-check",
                stick.device
            ),
        )?;
        let (mut told, mut durable) = (0, 0);
        while let Some(event) = story.next()? {
            if number(&event, "durable") > durable {
                durable = number(&event, "durable");
                told += 1;
            }
            if told > pulls {
                break;
            }
        }
        let medium = pulled(&lab, &stick)?;
        if let Some(end) = &story.end {
            assert_eq!(end["safe_to_unplug"], true, "{end}");
            medium.check()?;
            for (name, bytes) in &contents {
                assert!(
                    medium.read(name)?.as_ref() == Some(bytes),
                    "{name} differs at the end"
                );
            }
            assert!(
                pulls >= 2,
                "only {pulls} values of durable were told in the middle"
            );
            println!("figure: {pulls} pulls at a new durable value, one at the end");
            return Ok(());
        }
        pulls += 1;
        // The files arrive in the order of their names.
        let mut left = durable as usize;
        for (number, (name, bytes)) in contents.iter().enumerate() {
            let part = format!(".steady-parts/{number}.part");
            let named = medium.read(name)?;
            if let Some(named) = &named {
                assert!(named == bytes, "{name} has its own name and is not whole");
            }
            let there = named.or(medium.read(&part)?).unwrap_or_default();
            let promised = left.min(bytes.len());
            assert!(
                there.len() >= promised && there[..promised] == bytes[..promised],
                "pull {pulls}: {durable} bytes were told as durable, but {name} lost some of its {promised}"
            );
            left -= promised;
        }
        let end = story.finish()?;
        assert_eq!(end["event"], "failed", "{end}");
        assert_eq!(end["safe_to_unplug"], false, "{end}");
    }
}

/// Where a stick stays switched on, the last two sectors that unmounting FAT writes are flushed.
#[test]
fn a_stick_that_stays_on_is_safe_too() -> Result<()> {
    let lab = Lab::ready()?;
    let contents = put_source(&lab, "song.ogg", 3_000_001)?;
    let stick = lab.plug(&PlugOptions {
        profile: "volatile:keep=0".into(),
        image: Some(formatted_image(&lab, 600 * MIB)?),
        ..PlugOptions::default()
    })?;
    let arguments = format!(
        "copy /home/tester/song.ogg --to {} --no-power-off",
        stick.device
    );
    let end = Story::start(&lab, &arguments)?.finish()?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert!(medium.read("song.ogg")?.as_deref() == Some(contents.as_slice()));
    Ok(())
}

/// A stick that fails in the middle: never a success, and what is on it is told.
#[test]
fn a_stick_that_dies_in_the_middle_fails_the_job() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 30 * MB as usize)?;
    let stick = lab.plug(&PlugOptions {
        profile: "dies:at=12e6".into(),
        image: Some(formatted_image(&lab, 600 * MIB)?),
        ..PlugOptions::default()
    })?;
    let arguments = format!("copy /home/tester/film.mp4 --to {}", stick.device);
    let end = Story::start(&lab, &arguments)?.finish()?;
    assert_eq!(end["event"], "failed", "{end}");
    assert!(
        matches!(
            end["kind"].as_str(),
            Some("io_error" | "target_gone" | "write_protected")
        ),
        "{end}"
    );
    assert_eq!(end["safe_to_unplug"], false, "{end}");
    assert_eq!(end["on_stick"]["complete"], 0, "{end}");
    assert_eq!(
        end["on_stick"]["partial"].as_u64().unwrap_or(0)
            + end["on_stick"]["removed"].as_u64().unwrap_or(0),
        1,
        "{end}"
    );
    Ok(())
}

/// Cancelled from outside: the half file goes, the whole one stays, and both are told.
#[test]
fn a_cancelled_copy_leaves_only_whole_files() -> Result<()> {
    let lab = Lab::ready()?;
    let whole = put_source(&lab, "1.bin", 2 * MB as usize)?;
    put_source(&lab, "2.bin", 60 * MB as usize)?;
    let stick = lab.plug(&PlugOptions {
        profile: "even:wbps=3e6".into(),
        image: Some(formatted_image(&lab, 600 * MIB)?),
        ..PlugOptions::default()
    })?;
    let arguments = format!(
        "copy /home/tester/1.bin /home/tester/2.bin --to {}",
        stick.device
    );
    let mut story = Story::start(&lab, &arguments)?;
    while let Some(event) = story.next()? {
        if number(&event, "confirmed") > 6 * MB {
            lab.run(&["pkill", "--signal", "INT", "-x", "steady-cli"])?
                .success()?;
            break;
        }
    }
    let end = story.finish()?;
    assert_eq!(end["event"], "cancelled", "{end}");
    assert_eq!(end["on_stick"]["complete_items"][0], "1.bin", "{end}");
    assert_eq!(end["on_stick"]["removed_items"][0], "2.bin", "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.list()?, ["1.bin"]);
    assert!(medium.read("1.bin")?.as_deref() == Some(whole.as_slice()));
    Ok(())
}
