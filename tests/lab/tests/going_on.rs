//! After a stick was pulled: nothing wrong under a real name, and the next start goes on.

mod common;

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use common::{Story, copy_of, formatted_image, pulled, put_folder, steady_cli};
use steady_lab::{Lab, Medium, PlugOptions};

const MIB: u64 = 1 << 20;
const FILES: usize = 300;
/// Files that get their names between two checkpoints; those may show defects.
const BATCH: usize = 256;

#[test]
fn k07_four_pulls_leave_nothing_wrong_and_the_copy_goes_on() -> Result<()> {
    pulls(4)
}

#[test]
fn long_k07_twenty_pulls_leave_nothing_wrong_and_the_copy_goes_on() -> Result<()> {
    pulls(20)
}

/// Pulls the stick so many times, spread over the whole job.
fn pulls(count: u64) -> Result<()> {
    let lab = Lab::ready()?;
    let files: Vec<_> = (0..FILES)
        .map(|number| {
            (
                format!("{}/{number:03}.bin", number % 3),
                500 + number * 250,
            )
        })
        .collect();
    let contents: BTreeMap<_, _> = put_folder(&lab, "photos", &files)?.into_iter().collect();
    let total: u64 = contents.values().map(|bytes| bytes.len() as u64).sum();
    let blank = formatted_image(&lab, 600 * MIB)?;
    let mut defects = 0;
    for pull in 0..count {
        let name = format!("pull{pull}");
        let stick = lab.plug(&PlugOptions {
            profile: format!("volatile:wbps=2e6,seed={pull}"),
            image: Some(copy_of(&blank, &name)?),
            name: Some(name.clone()),
            ..PlugOptions::default()
        })?;
        let copy = format!("copy /home/tester/photos --no-check --to {}", stick.device);
        let mut story = Story::start(&lab, &copy)?;
        let (mut done, due) = (0, total * pull / count);
        while let Some(event) = story.next()? {
            done = event["items_done"].as_u64().unwrap_or(done);
            // The last of them falls between the last byte and the end.
            let named = pull + 1 == count && done == 0;
            if event["confirmed"].as_u64().unwrap_or(0) >= due
                && event["phase"] == "writing"
                && !named
            {
                break;
            }
        }
        let medium = pulled(&lab, &stick)?;
        let end = story.finish()?;
        if end["event"] != "done" {
            assert_eq!(end["safe_to_unplug"], false, "{end}");
        }
        defects += wrong(&medium, &contents, done as usize)?;
        drop(medium);

        let stick = lab.plug(&PlugOptions {
            image: Some(stick.image_path().to_path_buf()),
            name: Some(format!("{name}again")),
            ..PlugOptions::default()
        })?;
        let again = ["copy", "/home/tester/photos", "--to", &stick.device];
        let (code, lines, said) = steady_cli(
            &lab,
            &[
                &again[..],
                &["--repair", "--on-problem", "replace", "--json"],
            ]
            .concat(),
        )?;
        ensure!(code == 0, "pull {pull}: exit {code}, {said}{lines:?}");
        let medium = pulled(&lab, &stick)?;
        medium.check()?;
        assert_eq!(wrong(&medium, &contents, FILES)?, 0, "pull {pull}");
        let left = medium.list()?;
        assert!(
            !left.iter().any(|path| path.contains(".steady")),
            "pull {pull} left {left:?}"
        );
    }
    println!("figure: {count} pulls of {FILES} files, {defects} files with defects, all mended");
    Ok(())
}

/// Counts the files with a defect. The first `done` must have none, and the others only within
/// one batch.
fn wrong(medium: &Medium, contents: &BTreeMap<String, Vec<u8>>, done: usize) -> Result<usize> {
    let (mut defects, mut last) = (0, 0);
    for (number, (path, bytes)) in contents.iter().enumerate() {
        let there = medium.read(path)?;
        if there.as_ref() == Some(bytes) {
            continue;
        }
        assert!(number >= done, "{path} was told as complete, {done} were");
        if there.is_some() {
            defects += 1;
            last = number;
        }
    }
    assert!(
        last < done + BATCH,
        "{last} is beyond the batch after {done}"
    );
    Ok(defects)
}
