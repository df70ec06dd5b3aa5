//! Faults while the window is at work: it answers throughout, what it says is true, and the next
//! start finds nothing that bothers it.

mod common;

use std::time::Duration;

use anyhow::{Result, ensure};
use common::{copy_of, formatted_image, pulled, put_source};
use steady_lab::{Clicks, Lab, PlugOptions, Stick};
use steady_stick_model::Ailment;

const FILM: usize = 16_000_000;

/// A film is being copied in the window, and some of it is on the stick.
fn begun(lab: &Lab) -> Result<(Stick, Vec<u8>)> {
    let film = put_source(lab, "film.mp4", FILM)?;
    let stick = lab.plug(&PlugOptions {
        profile: "volatile:wbps=2e6,keep=0.5".into(),
        image: Some(copy_of(&formatted_image(lab, 600 << 20)?, "first")?),
        name: Some("first".into()),
        ..PlugOptions::default()
    })?;
    copy(lab)?;
    lab.wait("label", "/^[1-9].* on the stick$/")?;
    Ok((stick, film))
}

/// Has the film copied to the only stick there is.
fn copy(lab: &Lab) -> Result<()> {
    Clicks::new(lab, None).choose(&["/home/tester/film.mp4"])?;
    lab.wait("radio button", "/./")?;
    lab.click("button", "Copy")
}

/// What there is of the program and of sticks: processes, mounts, inhibitors.
fn left(lab: &Lab) -> Result<String> {
    let look = "pgrep -a -x steady; findmnt -rno SOURCE,TARGET | grep ^/dev/sd | grep -v /opt/steady; \
                systemd-inhibit --list --no-legend | grep Steady; true";
    Ok(lab.run_root(&["sh", "-c", look])?.success()?.text())
}

/// Waits until the program has ended.
fn ended(lab: &Lab) -> Result<()> {
    let wait =
        "for i in $(seq 6000); do pgrep -x steady >/dev/null || exit 0; sleep 0.1; done; exit 1";
    lab.run_root(&["sh", "-c", wait])?.success().map(drop)
}

/// The stick in again, and the film copied once more: that works, and all is as it should be.
fn next_works(lab: &Lab, stick: &Stick, film: &[u8]) -> Result<()> {
    let stick = lab.plug(&PlugOptions {
        image: Some(stick.image_path().to_path_buf()),
        name: Some("second".into()),
        ..PlugOptions::default()
    })?;
    let again = [
        "steady-cli",
        "copy",
        "/home/tester/film.mp4",
        "--to",
        &stick.device,
        "--repair",
        "--on-problem",
        "replace",
    ];
    lab.run(&again)?.success()?;
    let medium = pulled(lab, &stick)?;
    medium.check()?;
    // A repair gives back what belongs to no file, under a name of its own, as Steady has told.
    let mut listed = medium.list()?;
    listed.retain(|name| !name.starts_with("FSCK"));
    assert_eq!(listed, ["film.mp4"]);
    assert!(medium.read("film.mp4")?.as_deref() == Some(film));
    let left = left(lab)?;
    ensure!(left.is_empty(), "left: {left}");
    Ok(())
}

#[test]
fn long_w02_the_window_answers_while_the_stick_does_not() -> Result<()> {
    let lab = Lab::ready()?;
    // The program's log waits for somebody to read it.
    let _log = lab.events()?;
    let (stick, film) = begun(&lab)?;
    stick.befall(Ailment::Hangs(Duration::from_secs(15)))?;
    lab.wait("label", "/^The stick has not answered for /")?;
    lab.read("button", "Cancel")?;
    lab.wait("label", "Safe to unplug")?;
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert!(medium.read("film.mp4")? == Some(film));
    Ok(())
}

/// Closing asks; then the half file is taken away, and nothing is left behind.
#[test]
fn long_a_window_that_is_closed_in_the_middle_leaves_nothing() -> Result<()> {
    let lab = Lab::ready()?;
    let _log = lab.events()?;
    let (stick, film) = begun(&lab)?;
    lab.key("ctrl+q")?;
    lab.wait("heading", "Stop copying?")
        .or_else(|_| lab.wait("label", "Stop copying?"))?;
    lab.click("button", "Stop")?;
    ended(&lab)?;
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.list()?, Vec::<String>::new());
    next_works(&lab, &stick, &film)
}

/// Whatever has ended the program, the next start cleans up.
#[test]
fn long_a_window_that_is_killed_is_cleaned_up_after() -> Result<()> {
    let lab = Lab::ready()?;
    let _log = lab.events()?;
    let (stick, film) = begun(&lab)?;
    lab.run(&["pkill", "-KILL", "-x", "steady"])?.success()?;
    let medium = pulled(&lab, &stick)?;
    ensure!(
        medium.read("film.mp4")?.is_none(),
        "a half film has its name"
    );
    drop(medium);
    next_works(&lab, &stick, &film)
}

#[test]
fn long_w01_a_stick_pulled_in_the_middle_is_told_of_and_goes_on() -> Result<()> {
    let lab = Lab::ready()?;
    let _log = lab.events()?;
    let (stick, film) = begun(&lab)?;
    lab.unplug(&stick)?;
    lab.wait("label", "Copying failed")?;
    ensure!(
        lab.read("label", "Safe to unplug").is_err(),
        "it was pulled"
    );
    lab.run(&["pkill", "-x", "steady"])?.success()?;
    ended(&lab)?;
    next_works(&lab, &stick, &film)
}

/// The disk service ends in the middle and is started again when somebody needs it.
#[test]
fn long_the_disk_service_may_end_in_the_middle() -> Result<()> {
    let lab = Lab::ready()?;
    let _log = lab.events()?;
    let (stick, film) = begun(&lab)?;
    lab.run_root(&["pkill", "-KILL", "-x", "udisksd"])?
        .success()?;
    let end = lab.wait("label", "/^(Safe to unplug|Copied|Copying failed)$/")?;
    let medium = pulled(&lab, &stick)?;
    if end.name == "Safe to unplug" {
        medium.check()?;
        assert!(medium.read("film.mp4")?.as_deref() == Some(&film[..]));
    }
    drop(medium);
    lab.run(&["pkill", "-x", "steady"])?.success()?;
    ended(&lab)?;
    next_works(&lab, &stick, &film)
}
