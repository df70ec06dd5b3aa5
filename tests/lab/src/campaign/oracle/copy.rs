use anyhow::Result;

use super::{loses_file_system, lost};
use crate::{
    Medium,
    campaign::{stage::Stage, story::Told},
};

/// Holds what a copy said against the stick.
pub(super) fn judge(stage: &Stage<'_>, told: &Told) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let medium = Medium::of(stage.stick.image_path())?;
    let done = told.word() == "done";
    if told.says("safe_to_unplug")
        && let Err(error) = medium.check()
    {
        wrong.push(format!("safe to unplug, and {error:#}"));
    }
    let changed = changed(stage);
    let (complete, partial) = (told.items("complete"), told.items("partial"));
    for path in &complete {
        let there = medium.read(path)?;
        let bytes = stage.sources.get(path);
        // A source that changes meanwhile is copied as it was, or as it has become.
        if there.is_none() || (there.as_ref() != bytes && !changed.contains(&path.as_str())) {
            wrong.push(format!("{path} is told as complete, and is not"));
        }
    }
    for (path, bytes) in &stage.sources {
        let there = medium.read(path)?;
        let old = stage.before.get(path);
        let is_new = there.as_ref() == Some(bytes) || changed.contains(&path.as_str());
        let is_old = there.as_ref() == old;
        if done && told.count("complete") as usize == stage.sources.len() && !is_new {
            wrong.push(format!("done, and {path} is not there"));
        }
        if !is_new && !is_old && !partial.contains(path) && !loses_file_system(stage.case.fault) {
            let length = there.as_ref().map(Vec::len);
            wrong.push(format!(
                "{path} is neither old nor new: {length:?} bytes of {}",
                bytes.len()
            ));
        }
        if old.is_some() && !is_new && !is_old && partial.contains(path) {
            wrong.push(format!("the old {path} is lost"));
        }
        if told.items("missing").contains(path) && there.is_some() && !is_old {
            wrong.push(format!("{path} is told as missing, and is there"));
        }
    }
    if !loses_file_system(stage.case.fault) || done {
        wrong.extend(lost(stage, &medium, &["old.bin", "small/007.bin"])?);
    }
    if let Some(end) = &told.end
        && done
        && end["failed_items"].as_array().is_some_and(Vec::is_empty)
        && (complete.len() != stage.sources.len())
    {
        wrong.push(format!(
            "done without failed items, {} of {} complete",
            complete.len(),
            stage.sources.len()
        ));
    }
    Ok(wrong)
}

/// Files that the fault changes while they are copied.
fn changed(stage: &Stage<'_>) -> Vec<&'static str> {
    use crate::campaign::Fault::{SourceGrown, SourceTruncated};
    match stage.case.fault {
        SourceGrown | SourceTruncated => vec!["film.bin", "small/020.bin"],
        _ => Vec::new(),
    }
}
