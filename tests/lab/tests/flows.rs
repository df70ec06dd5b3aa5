//! What people do in the window besides copying to the end: pulling, closing, formatting, checking.
//! After each, what the window says is what is on the stick.

mod common;

use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use common::{
    contents, copy_of, formatted_image, give_password, gone, image_arrives, pulled, put_disk,
    put_source,
};
use serde_json::Value;
use steady_lab::{Clicks, Lab, PlugOptions, Stick};

const MIB: u64 = 1 << 20;
const FILM: usize = 40_000_000;

fn slow_stick(lab: &Lab) -> Result<Stick> {
    lab.plug(&PlugOptions {
        profile: "even:wbps=1e6".into(),
        size: 600 * MIB,
        ..PlugOptions::default()
    })
}

/// What keeps the computer awake for Steady.
fn held(lab: &Lab) -> Result<usize> {
    let list = lab.run_root(&["systemd-inhibit", "--list", "--no-legend"])?;
    let list = list.success()?.text();
    Ok(list.lines().filter(|line| line.contains("Steady")).count())
}

/// A copy onto a slow stick, under way; the film's contents.
fn copy_under_way(lab: &Lab, clicks: &Clicks) -> Result<Vec<u8>> {
    let film = put_source(lab, "film.mp4", FILM)?;
    ensure!(held(lab)? == 0, "kept awake before the job");
    clicks.choose(&["/home/tester/film.mp4"])?;
    clicks.format_and_start("Film")?;
    lab.wait("label", "/^[1-9].* of 40.0 MB on the stick$/")?;
    ensure!(
        held(lab)? == 1,
        "{} keep it awake during the job",
        held(lab)?
    );
    Ok(film)
}

fn receipts(lab: &Lab) -> Result<Vec<Value>> {
    let told = lab.run(&["cat", "/home/tester/.local/share/steady/history.jsonl"])?;
    let told = told.success()?.text();
    told.lines()
        .map(|line| Ok(serde_json::from_str(line)?))
        .collect()
}

/// Pulled in the middle: told as such, nothing is kept awake any more, and no file has its real
/// name without being whole.
#[test]
fn long_a_stick_pulled_in_the_middle_is_told() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = slow_stick(&lab)?;
    let clicks = Clicks::new(&lab, None);
    copy_under_way(&lab, &clicks)?;
    let medium = pulled(&lab, &stick)?;
    lab.wait("label", "Copying failed")?;
    lab.read("label", "/unplugged|pulled/")?;
    ensure!(held(&lab)? == 0, "still kept awake after the end");
    let listed = medium.list()?;
    ensure!(!listed.contains(&"film.mp4".to_owned()), "{listed:?}");
    ensure!(lab.read("label", "Safe to unplug").is_err());
    ensure!(receipts(&lab)?[0]["ended"] == "failed");
    Ok(())
}

/// Closing asks. "Keep Copying" changes nothing; "Stop" ends the writing and then the program, and
/// nothing holds the stick after that.
#[test]
fn long_x04_closing_asks_and_really_stops() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = slow_stick(&lab)?;
    let clicks = Clicks::new(&lab, None);
    copy_under_way(&lab, &clicks)?;
    lab.key("ctrl+w")?;
    lab.wait("button", "Stop")?;
    lab.click("button", "Keep Copying")?;
    let before = stick.counters()?.bytes_written;
    let begun = Instant::now();
    while stick.counters()?.bytes_written == before {
        ensure!(begun.elapsed() < common::PATIENCE, "it has stopped");
        thread::sleep(Duration::from_millis(200));
    }
    lab.key("ctrl+w")?;
    lab.click("button", "Stop")?;
    gone(&lab, "steady")?;
    let users = format!("fuser {0} {0}1 || true", stick.device);
    let users = lab.run_root(&["sh", "-c", &users])?.success()?.text();
    ensure!(users.is_empty(), "held by {users}");
    ensure!(held(&lab)? == 0, "still kept awake after the end");
    ensure!(receipts(&lab)?[0]["ended"] == "stopped");
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.list()?, Vec::<String>::new());
    Ok(())
}

/// The end of a job is told by the desktop while another window is in front.
#[test]
fn long_the_end_is_told_while_another_window_is_in_front() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = slow_stick(&lab)?;
    let clicks = Clicks::new(&lab, None);
    copy_under_way(&lab, &clicks)?;
    lab.start(&["gnome-text-editor", "--standalone"])?;
    lab.wait("frame", "/Text Editor/")?;
    lab.wait("label", "Safe to unplug")?;
    lab.run(&["dunstctl", "close-all"])?.success()?;
    let told = lab.run(&["dunstctl", "history"])?.success()?.text();
    ensure!(told.contains("Safe to unplug"), "{told}");
    lab.unplug(&stick)
}

/// A stick is formatted: what the window says is on it, and nothing else.
#[test]
fn long_a_stick_is_formatted() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = lab.plug(&PlugOptions {
        image: Some(copy_of(&formatted_image(&lab, 600 * MIB)?, "again")?),
        ..PlugOptions::default()
    })?;
    let clicks = Clicks::new(&lab, None);
    clicks.open()?;
    lab.click("toggle button", "Main Menu")?;
    lab.click("menu item", "Format a Stick")?;
    lab.wait("heading", "Which stick should be formatted?")?;
    lab.click("radio button", "exFAT")?;
    lab.type_text("text", "Name", "Photos")?;
    lab.click("button", "Format…")?;
    lab.click("button", "Erase and Format")?;
    lab.wait("label", "Safe to unplug")?;
    lab.read("label", "/ is empty now and ready for use[.]$/")?;
    let medium = pulled(&lab, &stick)?;
    assert_eq!(medium.file_system()?, "exfat 1.0");
    assert_eq!(medium.label()?, "Photos");
    medium.check()
}

/// A stick that claims more than it has is found out in the window, with its curve.
#[test]
fn long_a_stick_is_checked() -> Result<()> {
    let lab = Lab::ready()?;
    for (profile, end) in [
        ("even", "No faults found"),
        ("fake:claims=256M,has=64M", "Smaller than it claims"),
    ] {
        let stick = lab.plug(&PlugOptions {
            profile: profile.into(),
            size: 256 * MIB,
            ..PlugOptions::default()
        })?;
        let clicks = Clicks::new(&lab, None);
        clicks.open()?;
        lab.click("toggle button", "Main Menu")?;
        lab.click("menu item", "Check a Stick")?;
        lab.wait("heading", "Which stick should be checked?")?;
        lab.click("check box", "Check all of the stick")?;
        lab.click("button", "Check")?;
        lab.click("button", "Erase and Check")?;
        give_password(&lab)?;
        lab.wait("label", end)?;
        ensure!(held(&lab)? == 0, "still kept awake after the end");
        lab.run(&["pkill", "-x", "steady"])?.success()?;
        gone(&lab, "steady")?;
        lab.unplug(&stick)?;
    }
    Ok(())
}

/// "Open With" in a file manager: the desktop finds Steady by the kind of file and starts it.
#[test]
fn long_an_image_is_opened_with_steady() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 20)?;
    let stick = lab.plug(&PlugOptions {
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    let kind = "application/vnd.efi.img";
    let told = lab.run(&[
        "gio",
        "info",
        "-a",
        "standard::content-type",
        "/home/tester/disk.img",
    ])?;
    ensure!(told.success()?.text().contains(kind));
    lab.run(&["gio", "mime", kind, "io.github.steadyusb.Steady.desktop"])?
        .success()?;
    // In a scope, which goes on with the program that it has started.
    let open = ["gio", "open", "/home/tester/disk.img"];
    lab.start(&[&["systemd-run", "--user", "--scope", "--quiet"], &open[..]].concat())?;
    lab.wait("radio button", "Write as bootable image")?;
    lab.click("button", "Continue")?;
    lab.wait("heading", "Which stick?")?;
    let clicks = Clicks::new(&lab, None);
    clicks.erase_and_write()?;
    give_password(&lab)?;
    image_arrives(&lab, &stick, "disk.img", &disk)
}

/// The same program under a Wayland compositor, by what a screen reader can press there.
#[test]
fn long_a_copy_is_clicked_under_wayland() -> Result<()> {
    let lab = Lab::ready()?;
    let film = put_source(&lab, "film.mp4", 10_000_000)?;
    let stick = lab.plug(&PlugOptions {
        image: Some(copy_of(&formatted_image(&lab, 600 * MIB)?, "wayland")?),
        ..PlugOptions::default()
    })?;
    lab.start(&[
        "weston",
        "--backend=headless",
        "--socket=steady",
        "--idle-time=0",
    ])?;
    let socket =
        "for i in $(seq 300); do [ -S $XDG_RUNTIME_DIR/steady ] && exit; sleep 0.1; done; exit 1";
    lab.run(&["sh", "-c", socket])?
        .success()
        .context("the compositor does not come up")?;
    let clicks = Clicks::in_wayland(&lab, "steady");
    clicks.choose(&["/home/tester/film.mp4"])?;
    // The only stick there is chosen already.
    lab.wait("radio button", "/./")?;
    lab.click("button", "Copy")?;
    clicks.follow(&stick)?.ended_well()?;
    let elsewhere = lab.run(&["xdotool", "search", "--name", "^Steady$"])?;
    ensure!(elsewhere.code != 0, "its window is on the usual display");
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    ensure!(medium.read("film.mp4")? == Some(film), "another film");
    Ok(())
}

/// Through the accessibility bus, as a screen reader meets it: on every page each control and each
/// image has something to be called by.
#[test]
fn long_x08_everything_on_every_page_has_a_name() -> Result<()> {
    let lab = Lab::ready()?;
    let named = |page: &str| -> Result<()> {
        let nameless = lab.nameless()?;
        ensure!(nameless.is_empty(), "{page}: {nameless:#?}");
        Ok(())
    };
    let song = contents("song.ogg", 1_500_000);
    common::put_bytes(&lab, "song.ogg", &song)?;
    let stick = slow_stick(&lab)?;
    let clicks = Clicks::new(&lab, None);
    clicks.open()?;
    named("choose")?;
    for (key, dialog) in [
        ("F1", "Help"),
        ("ctrl+question", "Keyboard Shortcuts"),
        ("ctrl+comma", "Preferences"),
    ] {
        lab.key(key)?;
        lab.wait("dialog", dialog)?;
        named(dialog)?;
        lab.key("Escape")?;
    }
    for (item, role, name) in [
        ("History", "dialog", "History"),
        ("About Steady", "dialog", "/./"),
        (
            "Format a Stick",
            "heading",
            "Which stick should be formatted?",
        ),
        ("Check a Stick", "heading", "Which stick should be checked?"),
    ] {
        lab.click("toggle button", "Main Menu")?;
        lab.click("menu item", item)?;
        lab.wait(role, name)?;
        named(item)?;
        lab.key("Escape")?;
        lab.wait("button", "Choose Files…")?;
    }
    lab.run(&["pkill", "-x", "steady"])?.success()?;
    gone(&lab, "steady")?;
    clicks.choose(&["/home/tester/song.ogg"])?;
    named("stick")?;
    clicks.format_and_start("Song")?;
    lab.wait("label", "/ on the stick$/")?;
    named("writing")?;
    lab.wait("label", "Safe to unplug")?;
    named("end")?;
    lab.unplug(&stick)
}
