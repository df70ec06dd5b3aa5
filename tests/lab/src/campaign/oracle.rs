//! What has to hold, whatever happened. Each finding is a sentence; none means that it held.

use std::fs;

use anyhow::{Context, Result};

use super::{Fault, Job, stage::Stage, story::Told};
use crate::{Medium, read_beginning};

mod copy;
mod guest;

pub(super) use guest::left_overs;

/// Holds what Steady said against what is on the stick, which has been pulled out.
pub(super) fn after_fault(stage: &Stage<'_>, told: &Told, read: u64) -> Vec<String> {
    let mut wrong = told.wrong.clone();
    let fault = stage.case.fault;
    let done = told.word() == "done";
    let mut never = |what: &str, is: bool| {
        if is {
            wrong.push(format!("{what}: {}", told.word()));
        }
    };
    never(
        "done, and not safe to unplug",
        done && !told.says("safe_to_unplug"),
    );
    let compares = !matches!(stage.case.job, Job::Format);
    never(
        "done, and nothing was compared",
        done && compares && !told.says("checked"),
    );
    let code = match told.word() {
        "done" => Some(0),
        "cancelled" => Some(130),
        _ => None,
    };
    let code_fits = match (told.code, code) {
        (None, _) => true,
        (Some(given), Some(due)) => given == due,
        (Some(given), None) => given != 0,
    };
    never("an exit code that does not fit", !code_fits);
    let ends_itself = !matches!(
        fault,
        Fault::Killed | Fault::LoggedOut | Fault::PowerCut | Fault::OutOfMemory
    );
    never("no last event", told.end.is_none() && ends_itself);
    if done && compares {
        let due = match stage.case.job {
            Job::Copy => stage.sources.values().map(|bytes| bytes.len() as u64).sum(),
            _ => stage.disk.len() as u64,
        };
        never(
            "called compared, and hardly read from the stick",
            read.saturating_sub(told.read_before) < due,
        );
    }
    let of_stick = match stage.case.job {
        Job::Copy => copy::judge(stage, told),
        Job::Write => of_image(stage, told),
        Job::Format => of_format(stage, told),
        Job::CheckStick => of_check(stage, told),
    };
    match of_stick {
        Ok(more) => wrong.extend(more),
        // Nothing can be read any more: who says "done" lies.
        Err(error) if done => wrong.push(format!("done, and {error:#}")),
        Err(error) if loses_file_system(fault) => drop(error),
        Err(error) => wrong.push(format!("the stick can't be read any more: {error:#}")),
    }
    wrong
}

/// Faults whose own doing is that old files are gone.
fn loses_file_system(fault: Fault) -> bool {
    matches!(fault, Fault::Formatted | Fault::Fake)
}

/// Old files that nobody meant to touch.
pub(super) fn lost(stage: &Stage<'_>, medium: &Medium, meant: &[&str]) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (path, bytes) in &stage.before {
        if !meant.contains(&path.as_str()) && medium.read(path)?.as_ref() != Some(bytes) {
            wrong.push(format!("the old {path} is lost"));
        }
    }
    Ok(wrong)
}

fn of_image(stage: &Stage<'_>, told: &Told) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let disk = &stage.disk;
    let image = stage.stick.image_path();
    let length = (fs::metadata(image)?.len() as usize).min(disk.len());
    let there = read_beginning(image, length)?;
    let is_whole = there == *disk;
    let looks_whole = there[..512] == disk[..512];
    if told.word() == "done" && !is_whole {
        wrong.push("done, and another image is there".into());
    }
    // Another program may write at any time.
    if looks_whole && !is_whole && stage.case.fault != Fault::WrittenByAnother {
        wrong.push("it looks like a stick to start from, and is not whole".into());
    }
    let untouched = told.end.is_some()
        && told.word() != "done"
        && told.count("partial") == 0
        && told.count("complete") == 0;
    let put_back = !format!("{:?}", told.end).contains("put back");
    if untouched && put_back && !loses_file_system(stage.case.fault) {
        let medium = Medium::of(image).context("told as untouched")?;
        wrong.extend(lost(stage, &medium, &[])?);
    }
    if told.word() != "done" && told.count("complete") > 0 && !is_whole {
        wrong.push("told as complete, and is not".into());
    }
    Ok(wrong)
}

fn of_format(stage: &Stage<'_>, told: &Told) -> Result<Vec<String>> {
    if told.word() != "done" {
        return Ok(Vec::new());
    }
    let mut wrong = Vec::new();
    let medium = Medium::of(stage.stick.image_path())?;
    medium.check()?;
    // Somebody else may have been the last to format it.
    if medium.label()? != "NEW" && stage.case.fault != Fault::Formatted {
        wrong.push(format!("done, and its name is {}", medium.label()?));
    }
    let list = medium.list()?;
    if !list.is_empty() {
        wrong.push(format!("done, and not empty: {list:?}"));
    }
    Ok(wrong)
}

fn of_check(stage: &Stage<'_>, told: &Told) -> Result<Vec<String>> {
    // Test data that could not be put back, because nothing could be written any more.
    let in_probe = told.hit == Some(super::moment::Phase::Probing);
    let by_force = matches!(
        stage.case.fault,
        Fault::Pulled
            | Fault::WriteError
            | Fault::WriteErrors
            | Fault::TurnsReadOnly
            | Fault::FlushError
            | Fault::FlushErrors
            | Fault::Killed
            | Fault::LoggedOut
            | Fault::PowerCut
    );
    if in_probe && by_force {
        let says = format!("{:?}", told.end).contains("put back");
        let ends_itself = told.end.is_some();
        let intact = Medium::of(stage.stick.image_path())
            .and_then(|medium| lost(stage, &medium, &[]))
            .is_ok_and(|lost| lost.is_empty());
        return Ok(if !intact && ends_itself && !says {
            vec!["old files are lost while it was tried, and that is not told".into()]
        } else {
            Vec::new()
        });
    }
    if loses_file_system(stage.case.fault) {
        return Ok(Vec::new());
    }
    let medium = Medium::of(stage.stick.image_path())?;
    if told.word() == "done" {
        medium.check()?;
    }
    lost(stage, &medium, &[])
}

/// Holds the stick after the next run, which had no fault, against what it was to do.
pub(super) fn after_next(stage: &Stage<'_>, image: &std::path::Path) -> Result<Vec<String>> {
    if stage.case.job == Job::Write {
        let there = read_beginning(image, stage.disk.len())?;
        return Ok(if there == stage.disk {
            Vec::new()
        } else {
            vec!["after the next run another image is there".into()]
        });
    }
    let medium = Medium::of(image)?;
    let mut wrong = Vec::new();
    let checked = medium.check();
    // What a pull has left in a file system is not mended by looking how much room there is.
    if stage.case.job == Job::CheckStick {
        let mut wrong = lost(stage, &medium, &[])?;
        let list = medium.list()?;
        if checked.is_ok() && list.iter().any(|path| path.contains(".steady")) {
            wrong.push(format!("after the next run there is {list:?}"));
        }
        return Ok(wrong);
    }
    if let Err(error) = checked {
        wrong.push(format!("after the next run: {error:#}"));
    }
    let list = medium.list()?;
    match stage.case.job {
        Job::Copy => {
            for (path, bytes) in &stage.sources {
                if medium.read(path)?.as_ref() != Some(bytes) {
                    wrong.push(format!("after the next run {path} is not there"));
                }
            }
            if medium.read("keep.bin")?.as_ref() != stage.before.get("keep.bin") {
                wrong.push("after the next run keep.bin is lost".into());
            }
            if list.iter().any(|path| path.contains(".steady")) {
                wrong.push(format!("after the next run there is {list:?}"));
            }
        }
        Job::Format => {
            if !list.is_empty() || medium.label()? != "NEW" {
                wrong.push(format!("after the next run there is {list:?}"));
            }
        }
        Job::Write | Job::CheckStick => {}
    }
    Ok(wrong)
}
