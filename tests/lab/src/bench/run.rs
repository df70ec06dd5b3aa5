use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Job, Place, Tool, foretold::Told, place::Watched, shown::Shows};

/// Runs in the computer that the stick is in.
const RUNNER: &str = include_str!("run.py");

/// One run of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Run {
    /// Until the stick may be pulled out.
    pub(super) seconds: f64,
    pub(super) cpu_seconds: f64,
    /// Bytes above what was dirty before.
    pub(super) peak_dirty: u64,
    /// What another program's small saves took meanwhile.
    pub(super) saves_ms: Vec<f64>,
    /// In percent of the job.
    pub(super) error_pct: Option<f64>,
    /// Of the stick, by themselves.
    pub(super) pauses: Option<u64>,
    /// The times left that were told.
    pub(super) told: Vec<Told>,
}

/// What the runner prints.
#[derive(Debug, Deserialize)]
struct Printed {
    code: i32,
    said: String,
    seconds: f64,
    tool_seconds: f64,
    cpu_seconds: f64,
    peak_dirty: u64,
    saves_ms: Vec<f64>,
}

/// Runs a tool on a fresh stick.
pub(super) fn run(place: &mut dyn Place, job: Job, tool: Tool, bytes: u64) -> Result<Run> {
    let device = place.fresh(!job.is_image())?;
    let name = job
        .source()
        .rsplit('/')
        .next()
        .unwrap_or_default()
        .to_owned();
    let target =
        (tool.shows() == Shows::Size && !job.is_image()).then(|| format!("{{folder}}/{name}"));
    let spec = json!({
        "device": device,
        "mount": !job.is_image(),
        "programs": tool.programs(job),
        "command": tool.command(job, &device, "{folder}", place.replugs()),
        "target": target,
        "events": place.events(),
    });
    let mut watched = place.watched(&["python3", "-c", RUNNER, &spec.to_string()])?;
    let printed = watched.output.clone().success()?.text();
    let printed: Printed = serde_json::from_str(&printed).with_context(|| printed.clone())?;
    ensure!(
        printed.code == 0,
        "exit code {}: {}",
        printed.code,
        printed.said
    );
    let error_pct = match job {
        // Small files are told from folders by nobody.
        Job::Small | Job::Mixed => None,
        _ => progress_error(&mut watched, tool.shows(), bytes)?,
    };
    Ok(Run {
        error_pct,
        pauses: watched.pauses,
        told: told(&watched, &printed, bytes),
        seconds: printed.seconds,
        cpu_seconds: printed.cpu_seconds,
        peak_dirty: printed.peak_dirty,
        saves_ms: printed.saves_ms,
    })
}

/// `None` where the stick cannot be asked, or nothing was shown.
fn progress_error(watched: &mut Watched, shows: Shows, bytes: u64) -> Result<Option<f64>> {
    let Some(truth) = &mut watched.truth else {
        return Ok(None);
    };
    let mut showed = false;
    for (at, line) in &watched.lines {
        if let Some(shown) = shows.bytes(line, bytes) {
            truth.shown(*at, shown.min(bytes));
            showed = true;
        }
    }
    if !showed {
        return Ok(None);
    }
    let verdict = truth.judge(bytes)?;
    let worst = verdict.ahead.max(verdict.behind);
    Ok(Some(worst as f64 / bytes as f64 * 100.0))
}

/// The times left that Steady's lines told, with what was true: the last line came when the tool
/// was about to end, the stick was free so much later as the runner says.
fn told(watched: &Watched, printed: &Printed, bytes: u64) -> Vec<Told> {
    let after = Duration::from_secs_f64((printed.seconds - printed.tool_seconds).max(0.0));
    let Some(end) = watched.lines.last().map(|(at, _)| *at + after) else {
        return Vec::new();
    };
    let of_line = |(at, line): &(std::time::Instant, String)| {
        let event: Value = serde_json::from_str(line).ok()?;
        let left = &event["seconds_left"];
        Some(Told {
            share: event["confirmed"].as_u64()? as f64 / bytes as f64,
            low: left[0].as_f64()?,
            high: left[1].as_f64()?,
            truth: end.saturating_duration_since(*at).as_secs_f64(),
        })
    };
    watched.lines.iter().filter_map(of_line).collect()
}
