use std::{fs, path::Path};

use anyhow::Result;

use crate::{Clicks, Lab, PlugOptions, step};

/// Bytes of the film that is copied.
const SIZE: u64 = 60_000_000;

/// Clicks through a copy onto a new stick and leaves in `folder` a picture of each page and
/// `log.tsv`: what was shown, what the program held confirmed, what the stick had.
pub fn demo(lab: &Lab, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    step(
        "Showing a copy of 60 MB onto a stick with 16 MB/s",
        "2 minutes",
    );
    let film = folder.join("film.mp4");
    fs::write(&film, vec![0x5a; SIZE as usize])?;
    lab.put(&film, "/home/tester/film.mp4")?;
    fs::remove_file(film)?;
    let stick = lab.plug(&PlugOptions::default())?;
    let clicks = Clicks::new(lab, Some(folder));
    clicks.choose(&["/home/tester/film.mp4"])?;
    clicks.format_and_start("Film")?;
    let told = clicks.follow(&stick)?;
    told.ended_well()?;
    let verdict = told.truth.judge(SIZE)?;
    fs::write(folder.join("log.tsv"), told.table(SIZE)?)?;
    println!(
        "{} times something new was shown: never ahead of the stick by more than {} bytes, never \
         behind by more than {:.1} MB. Pictures and log.tsv are in {}.",
        verdict.samples,
        verdict.ahead,
        verdict.behind as f64 / 1e6,
        folder.display()
    );
    lab.unplug(&stick)
}
