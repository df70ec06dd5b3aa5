use std::{
    thread,
    time::{Duration, Instant},
};

use anyhow::Result;
use serde_json::Value;

use super::{
    Fault,
    draw::Draw,
    inject::inject,
    moment::{Moment, Phase},
    stage::Stage,
};

/// How long a job may take after a fault that is over, on a slow machine.
const BOUND: Duration = Duration::from_mins(4);
/// A program that runs and says nothing for so long does not answer.
const SILENCE: Duration = Duration::from_secs(30);

/// What Steady has said.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Its last event.
    pub(super) end: Option<Value>,
    /// Its exit code, where it was there to give one.
    pub(super) code: Option<i64>,
    /// The phase in which the fault happened; `None`: the job was over before.
    pub(super) hit: Option<Phase>,
    /// Bytes that the stick had been read when the comparing began.
    pub(super) read_before: u64,
    /// What is wrong with how it was said.
    pub(super) wrong: Vec<String>,
}

impl Told {
    /// The word of its last event.
    pub(super) fn word(&self) -> &str {
        let end = self.end.as_ref().and_then(|end| end["event"].as_str());
        end.unwrap_or("nothing")
    }

    /// A field of the last event.
    pub(super) fn says(&self, field: &str) -> bool {
        self.end.as_ref().is_some_and(|end| end[field] == true)
    }

    /// How many of that kind are on the stick, as it says.
    pub(super) fn count(&self, kind: &str) -> u64 {
        let end = self.end.as_ref();
        end.and_then(|end| end["on_stick"][kind].as_u64())
            .unwrap_or(0)
    }

    /// The paths of that kind.
    pub(super) fn items(&self, kind: &str) -> Vec<String> {
        let end = self.end.as_ref();
        let items = end.and_then(|end| end["on_stick"][format!("{kind}_items")].as_array());
        let text = |item: &Value| item.as_str().unwrap_or_default().to_owned();
        items.map_or_else(Vec::new, |items| items.iter().map(text).collect())
    }
}

/// Starts the job, lets the fault happen in its moment, and listens until the end.
pub(super) fn follow(stage: &Stage<'_>, moment: &Moment, draw: &mut Draw) -> Result<Told> {
    let fault = stage.case.fault;
    let events = stage.lab.events()?;
    stage.lab.start(&["sh", "-c", &command(stage)])?;
    let mut told = Told::default();
    let mut bound = Instant::now() + BOUND + Duration::from_mins(2);
    let mut heard = Instant::now();
    let mut phase = Phase::Preparing;
    while told.code.is_none() {
        let Some((at, line)) = events.next_within(Duration::from_secs(3)) else {
            if !is_running(stage)? {
                // What it has said last may still be on its way.
                while let Some((_, line)) = events.next_within(Duration::from_secs(2)) {
                    take(&mut told, &line);
                }
                break;
            }
            if Instant::now() > bound {
                told.wrong
                    .push(format!("no end, {phase:?} for {:?}", heard.elapsed()));
                let kill = ["pkill", "-KILL", "-x", "steady-cli"];
                stage.lab.run_root(&kill)?;
            }
            continue;
        };
        // A person at the prompt and a PC that sleeps are not to be counted.
        if phase >= Phase::Writing && at - heard > SILENCE + fault.lasts() {
            told.wrong
                .push(format!("silent for {:?} while {phase:?}", at - heard));
        }
        heard = at;
        let Some(event) = take(&mut told, &line) else {
            continue;
        };
        let now = Phase::of(&event).unwrap_or(phase);
        if now != phase && now == Phase::Checking {
            told.read_before = stage
                .stick
                .counters()
                .map_or(0, |counted| counted.bytes_read);
        }
        phase = now;
        if told.hit.is_none() && told.end.is_none() && moment.has_come(&event) {
            thread::sleep(moment.delay);
            // What has come meanwhile may be the end already.
            told.hit = Some(phase);
            inject(stage, draw)?;
            bound = Instant::now() + BOUND + fault.lasts();
            if matches!(fault, Fault::PowerCut | Fault::LoggedOut) {
                break;
            }
        }
    }
    Ok(told)
}

fn take(told: &mut Told, line: &str) -> Option<Value> {
    let event: Value = serde_json::from_str(line).ok()?;
    match event["event"].as_str() {
        Some("exit") => told.code = event["code"].as_i64(),
        Some("done" | "failed" | "cancelled") => {
            if told.end.is_some() {
                told.wrong.push("two last events".into());
            }
            told.end = Some(event.clone());
        }
        _ => {}
    }
    Some(event)
}

/// The shell's command: what Steady says goes to the lab, and its exit code after it.
fn command(stage: &Stage<'_>) -> String {
    let arguments = stage
        .case
        .job
        .arguments(&stage.stick.device, &stage.folder, stage.image);
    let limit = match stage.case.fault {
        Fault::OutOfMemory => {
            "systemd-run --user --scope --quiet -p MemoryMax=24M -p MemorySwapMax=0 "
        }
        _ => "",
    };
    format!(
        r#"{{ {limit}steady-cli {arguments} --json 2>/tmp/steady.log; echo "{{\"event\":\"exit\",\"code\":$?}}"; }} >/run/steady-lab/events"#
    )
}

fn is_running(stage: &Stage<'_>) -> Result<bool> {
    let look = ["pgrep", "-x", "steady-cli"];
    Ok(stage.lab.run_root(&look)?.code == 0)
}
