//! Events as JSON lines. Names and shapes are relied on by others: extend, never change.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::tasks::{About, Event, Failure, Kind, Problem, Renamed, Report, Wording};

/// Paths listed of each kind at the end; the counts hold all.
const MOST_ITEMS: usize = 1_000;

pub(super) fn event(event: &Event) -> Value {
    match event {
        Event::Problem(found) => problem(found),
        Event::Phase(phase) => json!({ "event": "phase", "phase": phase }),
        Event::Progress(progress) => {
            let mut line = serde_json::to_value(progress).unwrap_or_default();
            line["event"] = "progress".into();
            line
        }
        Event::Done(report) => end("done", None, report),
        Event::Failed(failure, report) => end("failed", Some(failure), report),
        Event::Cancelled(report) => end("cancelled", None, report),
    }
}

pub(super) fn problem(problem: &Problem) -> Value {
    json!({
        "event": "problem",
        "kind": Kind::from(problem.kind),
        "path": problem.path.to_string_lossy(),
        "detail": Wording::of_problem(problem).english(),
        "choices": problem.choices,
        "chosen": problem.chosen,
    })
}

/// A line of JSON that does nothing to a terminal: of the control characters only those below a blank
/// are escaped by themselves, and all that is not ASCII stands in strings.
pub(in crate::cli) fn plain(line: &Value) -> String {
    let mut text = String::new();
    for sign in line.to_string().chars() {
        if sign.is_control() {
            text += &format!("\\u{:04x}", u32::from(sign));
        } else {
            text.push(sign);
        }
    }
    text
}

/// What should be known before the start, though nothing forbids it.
pub(super) fn note(note: &Failure) -> Value {
    json!({
        "event": "problem",
        "kind": note.kind,
        "path": note.path.as_deref().map(text),
        "detail": Wording::of_failure(note).english(),
        "choices": [],
        "chosen": Value::Null,
    })
}

/// The last line of what was refused before it began.
pub(super) fn refused(failure: &Failure) -> Value {
    end("failed", Some(failure), &Report::default())
}

fn end(event: &str, failure: Option<&Failure>, report: &Report) -> Value {
    let mut line = json!({
        "event": event,
        "kind": failure.map(|failure| failure.kind),
        "detail": failure.map(|failure| Wording::of_failure(failure).english()),
        "cause": failure.map(|failure| &failure.detail).filter(|cause| !cause.is_empty()),
        "offset": failure.and_then(offset),
        "seconds": report.seconds,
        "write_seconds": report.write_seconds,
        "check_seconds": report.check_seconds,
        "bytes": report.bytes,
        "bytes_per_second": report.bytes_per_second,
        "checked": report.checked,
        "safe_to_unplug": report.safe_to_unplug,
        "on_stick": {
            "complete": report.on_stick.complete.len(),
            "missing": report.on_stick.missing.len(),
            "removed": report.on_stick.removed.len(),
            "partial": report.on_stick.partial.len(),
            "skipped": report.on_stick.skipped.len(),
            "kept": report.on_stick.kept.len(),
            "deleted": report.on_stick.deleted.len(),
            "left_over": report.on_stick.left_over.len(),
            "renamed": report.renamed.len(),
            "complete_items": items(&report.on_stick.complete),
            "missing_items": items(&report.on_stick.missing),
            "removed_items": items(&report.on_stick.removed),
            "partial_items": items(&report.on_stick.partial),
            "skipped_items": items(&report.on_stick.skipped),
            "kept_items": items(&report.on_stick.kept),
            "deleted_items": items(&report.on_stick.deleted),
            "left_over_items": items(&report.on_stick.left_over),
            "renamed_items": renamed(&report.renamed),
        },
        "notes": failures(&report.notes),
        "failed_items": failures(&report.failed_items),
        "peak_unconfirmed": report.peak_unconfirmed,
        "strategy": report.strategy,
    });
    if let Some(found) = &report.found {
        line["claimed"] = found.claimed.into();
        line["real"] = found.real.into();
        line["write_curve"] = json!(found.write_curve.points);
        line["read_curve"] = json!(found.read_curve.points);
        line["cliff_at"] = found.cliff.map(|cliff| cliff.at).into();
        line["erased"] = found.erased.into();
    }
    line
}

/// Where on the stick it is, in bytes from its start.
fn offset(failure: &Failure) -> Option<u64> {
    match failure.about {
        Some(About::Offset(offset)) => Some(offset),
        _ => None,
    }
}

fn items(paths: &[PathBuf]) -> Vec<String> {
    paths
        .iter()
        .take(MOST_ITEMS)
        .map(|path| text(path))
        .collect()
}

/// Source and target of each.
fn renamed(renamed: &[Renamed]) -> Vec<[String; 2]> {
    let renamed = renamed.iter().take(MOST_ITEMS);
    renamed
        .map(|renamed| [text(&renamed.source), text(&renamed.target)])
        .collect()
}

fn failures(failures: &[Failure]) -> Vec<Value> {
    failures
        .iter()
        .map(|failure| {
            json!({
                "kind": failure.kind,
                "path": failure.path.as_deref().map(text),
                "detail": failure.detail,
            })
        })
        .collect()
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{CheckFound, OnStick, Phase, SpeedCurve};

    #[test]
    fn the_last_line_holds_every_fixed_name() {
        let report = Report {
            on_stick: OnStick {
                complete: vec!["a".into()],
                ..OnStick::default()
            },
            ..Report::default()
        };
        let failure = Failure::new(Kind::TargetGone, "gone");
        let line = event(&Event::Failed(failure, report));
        for name in [
            "kind",
            "seconds",
            "write_seconds",
            "check_seconds",
            "bytes",
            "bytes_per_second",
            "checked",
            "safe_to_unplug",
            "on_stick",
            "notes",
            "failed_items",
            "peak_unconfirmed",
            "strategy",
        ] {
            assert!(line.get(name).is_some(), "{name} is missing in {line}");
        }
        assert_eq!(line["event"], "failed");
        assert_eq!(line["kind"], "target_gone");
        assert_eq!(line["on_stick"]["complete"], 1);
        assert_eq!(line["on_stick"]["complete_items"][0], "a");
    }

    #[test]
    fn a_check_tells_what_it_has_found_and_no_other_job_does() {
        let report = Report {
            found: Some(CheckFound {
                claimed: 1 << 30,
                real: Some(1 << 28),
                write_curve: SpeedCurve {
                    points: vec![(0, 16e6), (5, 8e6)],
                },
                ..CheckFound::default()
            }),
            ..Report::default()
        };
        let line = event(&Event::Done(report));
        assert_eq!(line["claimed"], 1 << 30);
        assert_eq!(line["real"], 1 << 28);
        assert_eq!(line["write_curve"], json!([[0, 16e6], [5, 8e6]]));
        assert_eq!(line["read_curve"], json!([]));
        assert_eq!(
            (&line["cliff_at"], &line["erased"]),
            (&Value::Null, &json!(false))
        );
        let line = event(&Event::Done(Report::default()));
        assert!(line.get("claimed").is_none());
    }

    #[test]
    fn a_name_commands_no_terminal_and_comes_back_whole() {
        let name = json!({ "label": "\u{1b}[2J\u{9b}31m\u{7f}é\n" });
        let line = plain(&name);
        assert!(!line.chars().any(char::is_control), "{line:?}");
        assert_eq!(serde_json::from_str::<Value>(&line).expect("JSON"), name);
    }

    #[test]
    fn phases_go_by_their_fixed_names() {
        let line = event(&Event::Phase(Phase::Checking));
        assert_eq!(line, json!({ "event": "phase", "phase": "checking" }));
    }
}
