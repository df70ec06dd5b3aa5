//! One copy from its first phase to its last event.

use std::time::Instant;

use super::super::job::Story;
use super::super::known::Past;
use super::super::place::Ready;
use super::super::stop::Stop;
use super::super::{Choice, Event, Failure, Kind, Known, Phase};
use super::ending::Ending;
use super::{AtEnd, Prepared};
use crate::engine::copy::{Options, StopReason, WrittenFile, write};
use crate::engine::plan::Plan;
use crate::engine::target::Folder;
use crate::engine::verify::{Mismatch, read_back};

pub(super) fn run(prepared: Prepared, story: &Story) -> Event {
    let mut ending = Ending::begin();
    let result = copy(prepared, story, &mut ending);
    let nothing_arrived = ending.on_stick.complete.is_empty();
    let report = ending.report(story.meter());
    match result {
        // A copy of which not one file arrived is no success.
        Ok(()) => match report.failed_items.first().cloned() {
            Some(failure) if nothing_arrived => Event::Failed(failure, report),
            _ => Event::Done(report),
        },
        Err(Stop::Cancelled) => Event::Cancelled(report),
        Err(Stop::Failed(failure)) => Event::Failed(failure, report),
    }
}

fn copy(prepared: Prepared, story: &Story, ending: &mut Ending) -> Result<(), Stop> {
    let Prepared {
        request,
        gathered,
        mut plan,
        place,
    } = prepared;
    story.begin(Phase::Preparing);
    for problem in &plan.problems {
        story.tell(Event::Problem(problem.clone()));
    }
    ending.expect(&plan);
    may_start(&plan)?;
    story.set_total(plan.bytes, plan.files.len() as u64);

    if request.formats() {
        story.begin(Phase::Formatting);
    }
    let ready = place.make_ready()?;
    if request.formats() {
        // What was estimated before formatting is known now. A choice made for a file holds.
        plan = ready.plan(&gathered, &request.choices)?;
        ending.expect(&plan);
        may_start(&plan)?;
    }
    if story.meter().is_cancelled() {
        settle(ready, false, story, ending)?;
        return Err(Stop::Cancelled);
    }
    match write_and_check(&ready, &plan, request.check, story, ending) {
        Ok(()) if request.at_end == AtEnd::KeepMounted => {
            ready.keep();
            Ok(())
        }
        Ok(()) => {
            remember(&ready, &plan, story, ending);
            Ok(settle(
                ready,
                request.at_end == AtEnd::PowerOff,
                story,
                ending,
            )?)
        }
        Err(Stop::Cancelled) => {
            // It stays on, so that the copy can be tried again.
            settle(ready, false, story, ending)?;
            Err(Stop::Cancelled)
        }
        // Dropping `ready` unmounts the stick where it still answers; nothing is claimed of it.
        failed => failed,
    }
}

fn may_start(plan: &Plan) -> Result<(), Failure> {
    match plan
        .problems
        .iter()
        .find(|problem| problem.chosen == Choice::Stop)
    {
        None => Ok(()),
        Some(problem) => Err(Failure::from(problem)),
    }
}

/// Writes, and reads back what was written. The last checkpoint is behind it when this returns.
fn write_and_check(
    ready: &Ready,
    plan: &Plan,
    check: bool,
    story: &Story,
    ending: &mut Ending,
) -> Result<(), Stop> {
    let target = ready.open()?;
    let known = ready.drive().and_then(Known::of).unwrap_or_default();
    let strategy = known.strategy();
    story.set_ahead(known.ahead(plan.bytes, plan.files.len() as u64, check));
    story.begin(Phase::Writing);
    let begun = Instant::now();
    let options = Options {
        without_hash: !check,
        strategy,
        sound: ready.is_sound(),
        ..Options::default()
    };
    let written = write(plan, &target, &options, story.meter());
    ending.writing = begun.elapsed();
    let written = match written {
        Ok(written) => written,
        Err(stopped) => {
            let reason = ending.take_stopped(*stopped);
            return Err(reason.into());
        }
    };
    let files = ending.take_written(written);
    if check && !files.is_empty() {
        story.begin(Phase::Checking);
        let begun = Instant::now();
        let result = check_back(&files, &target, story, ending);
        ending.checking = begun.elapsed();
        result?;
    }
    Ok(())
}

fn check_back(
    files: &[WrittenFile],
    target: &Folder,
    story: &Story,
    ending: &mut Ending,
) -> Result<(), Stop> {
    let checked = read_back(files, target, story.meter()).map_err(Stop::from)?;
    ending.checked = checked.is_verified();
    let mismatches: Vec<_> = checked.mismatches.into_iter().map(Failure::from).collect();
    let first = mismatches.first().cloned();
    ending.disown(mismatches);
    match first {
        None => Ok(()),
        Some(mismatch) => Err(Stop::Failed(mismatch)),
    }
}

/// Keeps how it went for the next copy to this stick. One in which each file was written is
/// typical; the time to settle belongs to no byte.
fn remember(ready: &Ready, plan: &Plan, story: &Story, ending: &Ending) {
    if let Some(drive) = ready.drive()
        && ending.failed_items.is_empty()
        && ending.on_stick.kept.is_empty()
    {
        let past = Past {
            bytes: story.meter().confirmed(),
            files: plan.files.len() as u64,
            write_seconds: ending.writing.as_secs_f64(),
            check_seconds: ending.checking.as_secs_f64(),
        };
        Known::remember(drive, past, ending.strategy, &story.learnt());
    }
}

/// The end of a stick: only behind this may it be unplugged.
fn settle(
    ready: Ready,
    power_off: bool,
    story: &Story,
    ending: &mut Ending,
) -> Result<(), Failure> {
    story.begin(Phase::Finishing);
    ending.safe_to_unplug = ready.settle(power_off)?;
    Ok(())
}

impl From<StopReason> for Stop {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Cancelled => Self::Cancelled,
            StopReason::Target(error) => Self::Failed(error.into()),
        }
    }
}

impl From<Mismatch> for Failure {
    fn from(mismatch: Mismatch) -> Self {
        let detail = mismatch.error.map(|error| error.to_string());
        Self {
            detail: detail.unwrap_or_default(),
            ..Self::of_file(Kind::VerifyMismatch, mismatch.target)
        }
    }
}
