//! The real program, clicked through.

mod common;

use anyhow::Result;
use common::{choose_song_in_chooser, idle_dirty, pulled, put_source, steady_cli};
use steady_lab::{Clicks, Lab, PlugOptions, Told};

const MIB: u64 = 1 << 20;

/// A stick that is fed the wrong way becomes slow, and the window never shows more than it has.
fn honest_on_backlog(lab: &Lab, size: u64) -> Result<Told> {
    let contents = put_source(lab, "film.mp4", size as usize)?;
    let stick = lab.plug(&PlugOptions {
        profile: "backlog".into(),
        ..PlugOptions::default()
    })?;
    let idle = idle_dirty(lab)?;
    let clicks = Clicks::new(lab, None);
    clicks.choose(&["/home/tester/film.mp4"])?;
    clicks.format_and_start("Film")?;
    let told = clicks.follow(&stick)?;
    told.ended_well()?;
    let verdict = told.truth.judge(size)?;
    println!("figure: {verdict:?}, in bytes of {size}");
    assert_eq!(verdict.ahead, 0, "shown, and not on the stick");
    // Two seconds of the stick's rate at most, which is under 32 MiB here.
    assert!(verdict.behind <= (32 * MIB).max(size / 50), "{verdict:?}");
    let written = stick.counters()?.bytes_written - told.formatted;
    println!(
        "figure: written in all / file = {:.4}",
        written as f64 / size as f64
    );
    assert!(written as f64 <= 1.02 * size as f64, "{written} for {size}");
    println!(
        "figure: Dirty+Writeback at most idle + {}",
        told.dirty.saturating_sub(idle)
    );
    assert!(told.dirty <= idle + 40 * MIB, "{} over {idle}", told.dirty);

    // “Safe to unplug” holds at that moment.
    let medium = pulled(lab, &stick)?;
    assert_eq!(medium.partition_type, 0x0c);
    assert_eq!(medium.start, 4 * MIB);
    assert_eq!(medium.file_system()?, "vfat FAT32");
    assert_eq!(medium.label()?, "FILM");
    medium.check()?;
    assert!(medium.read("film.mp4")?.as_deref() == Some(contents.as_slice()));
    Ok(told)
}

#[test]
fn a_clicked_copy_shows_only_what_the_stick_has() -> Result<()> {
    let lab = Lab::ready()?;
    honest_on_backlog(&lab, 60_000_000).map(drop)
}

/// The stick goes between choosing and starting: nothing is begun, and the window says so.
#[test]
fn a_stick_pulled_before_the_start_is_told() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "a.txt", 1_000)?;
    let stick = lab.plug(&PlugOptions::default())?;
    let clicks = Clicks::new(&lab, None);
    clicks.choose(&["/home/tester/a.txt"])?;
    lab.wait("radio button", "/./")?;
    lab.click("check box", "Format first")?;
    lab.click("button", "Continue")?;
    lab.wait("button", "Erase and Copy")?;
    lab.unplug(&stick)?;
    lab.click("button", "Erase and Copy")?;
    lab.wait("label", "/unplugged|no longer|is gone|No stick found/")?;
    let (_, lines, _) = steady_cli(&lab, &["list", "--json"])?;
    assert_eq!(lines[0]["sticks"].as_array().map(Vec::len), Some(0));
    Ok(())
}

/// In the middle of a job the stick dies: the last page says that it failed, and never more.
#[test]
fn a_stick_that_dies_ends_on_a_page_that_says_so() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 60_000_000)?;
    let stick = lab.plug(&PlugOptions {
        profile: "dies:at=30e6".into(),
        ..PlugOptions::default()
    })?;
    let clicks = Clicks::new(&lab, None);
    clicks.choose(&["/home/tester/film.mp4"])?;
    clicks.format_and_start("Film")?;
    let told = clicks.follow(&stick)?;
    assert_eq!(told.end, "Copying failed");
    lab.wait("label", "/1 (unfinished )?file/")?;
    Ok(())
}

/// A file and a folder are dropped on the window, and what is copied is what was dropped.
#[test]
fn files_and_folders_are_dropped_on_the_window() -> Result<()> {
    let lab = Lab::ready()?;
    let song = put_source(&lab, "song.ogg", 1_500_000)?;
    let folder =
        "mkdir 'My Trip' && head -c 2500 /dev/zero >'My Trip/1.jpg' && echo x >'My Trip/2.txt'";
    lab.run(&["sh", "-c", &format!("cd /home/tester && {folder}")])?
        .success()?;
    let stick = lab.plug(&PlugOptions {
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    let clicks = Clicks::new(&lab, None);
    clicks.open()?;
    lab.drag(&["/home/tester/song.ogg"], "frame", "Steady")?;
    lab.wait("list item", "song.ogg")?;
    lab.wait("label", "1.5 MB")?;
    lab.drag(&["/home/tester/My Trip"], "frame", "Steady")?;
    lab.wait("list item", "My Trip")?;
    lab.wait("label", "2 files, 2.5 kB")?;
    clicks.go_on()?;
    clicks.format_and_start("Trip")?;
    clicks.follow(&stick)?.ended_well()?;

    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    let mut listed = medium.list()?;
    listed.sort();
    assert_eq!(
        listed,
        ["My Trip/", "My Trip/1.jpg", "My Trip/2.txt", "song.ogg"]
    );
    assert!(medium.read("song.ogg")? == Some(song));
    assert_eq!(medium.read("My Trip/1.jpg")?, Some(vec![0; 2500]));
    Ok(())
}

/// The desktop's own file chooser, with a path written into it.
#[test]
fn a_file_is_chosen_in_the_systems_file_chooser() -> Result<()> {
    let lab = Lab::ready()?;
    choose_song_in_chooser(&lab, &Clicks::new(&lab, None))
}

/// Cancel is acknowledged, ends the job and says what is on the stick.
#[test]
fn cancel_stops_and_says_what_is_on_the_stick() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 60_000_000)?;
    let stick = lab.plug(&PlugOptions {
        profile: "even:wbps=2e6".into(),
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    let clicks = Clicks::new(&lab, None);
    clicks.choose(&["/home/tester/film.mp4"])?;
    clicks.format_and_start("Film")?;
    lab.wait("label", "/^[1-9].* on the stick$/")?;
    lab.click("button", "Cancel")?;
    lab.wait("label", "Stopped")?;
    lab.wait("label", "1 unfinished file was removed from the stick.")?;
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.list()?, Vec::<String>::new());
    Ok(())
}

/// Names that the stick can't store are asked about by kind; the second copy of the same folder
/// offers to go on, and says how long it takes, for the stick is known by then.
#[test]
fn problems_are_asked_by_kind_and_a_second_copy_goes_on() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 8_000_000)?;
    let folder =
        "mkdir demo; cd demo; mv ../film.mp4 .; echo 1 >'a?b.txt'; echo 2 >c:d; ln -s c:d link";
    lab.run(&["sh", "-c", folder])?.success()?;
    let stick = lab.plug(&PlugOptions {
        image: Some(common::formatted_image(&lab, 600 * MIB)?),
        name: Some("first".into()),
        serial: Some("STEADY0815".into()),
        ..PlugOptions::default()
    })?;
    let clicks = Clicks::new(&lab, None);
    clicks.choose(&["/home/tester/demo"])?;
    lab.wait("radio button", "/./")?;
    lab.click("button", "Copy")?;
    lab.wait("heading", "2 things to decide")?;
    lab.wait("label", "2 names have signs that this stick can’t store.")?;
    lab.wait("label", "/^“link” is a link/")?;
    lab.click("button", "Copy")?;
    lab.wait("label", "Safe to unplug")?;
    lab.wait("label", "“a?b.txt” is called “a_b.txt” on the stick.")?;
    lab.unplug(&stick)?;

    lab.click("button", "Copy More")?;
    lab.run(&["pkill", "-x", "steady"])?.success()?;
    let stick = lab.plug(&PlugOptions {
        image: Some(stick.image_path().to_path_buf()),
        name: Some("second".into()),
        serial: Some("STEADY0815".into()),
        ..PlugOptions::default()
    })?;
    clicks.choose(&["/home/tester/demo"])?;
    lab.wait("radio button", "/./")?;
    lab.wait("label", "/^Takes .* on this stick$/")?;
    lab.click("button", "Copy")?;
    lab.wait("label", "/^3 files seem to be on the stick already/")?;
    lab.click("button", "Copy")?;
    lab.wait("label", "Safe to unplug")?;
    lab.wait("label", "Already there")?;
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.read("demo/a_b.txt")?.as_deref(), Some(&b"1\n"[..]));
    Ok(())
}

/// The 2 GB stick's case at its full size, beside what `rsync` shows onto the same kind of stick.
#[test]
fn long_the_reported_case_beside_rsync() -> Result<()> {
    const SIZE: u64 = 429_265_824;
    let lab = Lab::ready()?;
    honest_on_backlog(&lab, SIZE)?;

    let blank = common::formatted_image(&lab, 2 << 30)?;
    let stick = lab.plug(&PlugOptions {
        profile: "backlog".into(),
        image: Some(blank),
        ..PlugOptions::default()
    })?;
    let partition = format!("{}1", stick.device);
    // The automounter may have been quicker.
    lab.run(&[
        "sh",
        "-c",
        &format!("udisksctl mount -b {partition} || true"),
    ])?;
    let found = lab
        .run(&["findmnt", "-no", "TARGET", &partition])?
        .success()?;
    let folder = found.text();
    let base = stick.counters()?.data_bytes_held;
    let command = format!(
        "rsync --info=progress2 --outbuf=L /home/tester/film.mp4 {folder}/ | stdbuf -oL tr '\\r' '\\n' >/run/steady-lab/events"
    );
    let events = lab.events()?;
    lab.start(&["sh", "-c", &command])?;
    loop {
        let (_, line) = events
            .next_within(common::PATIENCE)
            .expect("rsync should say something");
        if line.contains(" 100%") {
            break;
        }
    }
    let share = (stick.counters()?.data_bytes_held - base) as f64 / SIZE as f64;
    println!(
        "figure: rsync shows 100 % while the stick has {:.1} %",
        share * 100.0
    );
    assert!(share < 0.3, "the stick has {share} of the file already");
    Ok(())
}
