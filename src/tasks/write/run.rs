//! One stick's job, from its first phase to its last event.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use super::together::Member;
use crate::engine::device::{self, Device, Stopped, Written};
use crate::engine::probe;
use crate::engine::strategy::Strategy;
use crate::tasks::access::Access;
use crate::tasks::job::Story;
use crate::tasks::probing;
use crate::tasks::stop::Stop;
use crate::tasks::{AtEnd, Event, ImageLeft, Kind, Known, OnStick, Phase, Report};

/// What there is to do for one stick.
pub(super) struct Work<A: Access> {
    pub(super) stick: A,
    pub(super) member: Member,
    /// The file that the image comes from.
    pub(super) path: PathBuf,
    /// Bytes of that file, or of its entry.
    pub(super) packed: u64,
    /// Bytes that will be written, where that is known.
    pub(super) total: Option<u64>,
    pub(super) check: bool,
    pub(super) at_end: AtEnd,
}

pub(super) fn run<A: Access>(mut work: Work<A>, story: &Story) -> Event {
    let name = work.path.file_name().unwrap_or_default().to_owned();
    let mut report = Report {
        on_stick: OnStick {
            missing: vec![name.clone().into()],
            ..OnStick::default()
        },
        image_left: Some(ImageLeft::AsBefore),
        strategy: Strategy::Bulk.name(),
        ..Report::default()
    };
    let meter = story.meter();
    story.begin(Phase::Preparing);
    meter.set_current(Some(Path::new(&name)));
    let authorized = work
        .member
        .authorize(|| story.asking(|| work.stick.authorize()));
    // How long a person looks for the password says nothing about the stick.
    let begun = Instant::now();
    report.dismissed = matches!(&authorized, Err(failure) if failure.kind == Kind::Dismissed);
    let authorized = authorized.map_err(Stop::from);
    let result = authorized.and_then(|()| write(&mut work, story, &mut report));
    report.seconds = begun.elapsed().as_secs_f64();
    report.bytes = meter.confirmed();
    report.peak_unconfirmed = meter.peak_unconfirmed();
    if report.write_seconds > 0.0 {
        report.bytes_per_second = report.bytes as f64 / report.write_seconds;
    }
    match result {
        Ok(()) => Event::Done(report),
        Err(Stop::Cancelled) => Event::Cancelled(report),
        Err(Stop::Failed(failure)) => Event::Failed(failure, report),
    }
}

fn write<A: Access>(work: &mut Work<A>, story: &Story, report: &mut Report) -> Result<(), Stop> {
    if let Some(total) = work.total {
        expect(total, story);
    }
    if story.meter().is_cancelled() {
        return Err(Stop::Cancelled);
    }
    let device = work.stick.open()?;
    match put(work, &device, story, report) {
        Ok(()) => {
            report.safe_to_unplug = work.stick.let_go(device, work.at_end)?;
            Ok(())
        }
        Err(Stop::Cancelled) => {
            // It stays on, so that the image can be written again.
            let flushed = device.flush().is_ok();
            let settled = work.stick.let_go(device, AtEnd::Unmount);
            report.safe_to_unplug = flushed && settled.unwrap_or(false);
            Err(Stop::Cancelled)
        }
        Err(failed) => {
            // Nothing is claimed of it; the system should see all the same what is there now.
            if let Err(error) = work.stick.let_go(device, AtEnd::KeepMounted) {
                tracing::info!(?error, "the stick is not looked at again");
            }
            Err(failed)
        }
    }
}

/// The image is on the stick, durable and checked, when this returns.
fn put<A: Access>(
    work: &mut Work<A>,
    device: &Arc<A::Device>,
    story: &Story,
    report: &mut Report,
) -> Result<(), Stop> {
    let meter = story.meter();
    if !work.stick.is_genuine() {
        story.begin(Phase::Probing);
        let capacity = probe::quick(&**device, meter).map_err(|stopped| {
            if !stopped.intact {
                // Nothing of the image is there, and not all that was.
                report.image_left = None;
            }
            probing::stopped(stopped)
        })?;
        if capacity.is_fake() {
            return Err(Stop::Failed(probing::fake(capacity)));
        }
        work.stick.remember_genuine(true);
    }
    let lane = work.member.join(meter).ok_or(Stop::Cancelled)?;
    if work.total.is_none() {
        story.set_source(lane.used(), work.packed);
    }
    let known = work.stick.drive().and_then(Known::of).unwrap_or_default();
    story.set_ahead(known.ahead(work.total.unwrap_or(0), 1, work.check));
    story.begin(Phase::Writing);
    let begun = Instant::now();
    let written = device::write(lane, &**device, known.strategy(), meter);
    report.write_seconds = begun.elapsed().as_secs_f64();
    let path = work.path.clone();
    let stopped = |report: &mut Report, stopped: Box<Stopped>| {
        leave(report, stopped.on_stick);
        Stop::of(stopped.reason, &path)
    };
    let written: Written = written.map_err(|why| stopped(report, why))?;
    report.strategy = written.strategy.name();
    leave(report, ImageLeft::Incomplete);
    expect(written.mapped, story);

    let image = work.member.image();
    let mut checked = None;
    if work.check {
        story.begin(Phase::Checking);
        let begun = Instant::now();
        let result = device::read_back(&written, image, device, meter);
        report.check_seconds = begun.elapsed().as_secs_f64();
        let result = result.map_err(|reason| Stop::of(reason, &work.path));
        if matches!(&result, Err(Stop::Failed(failure)) if failure.kind == Kind::FakeCapacity) {
            work.stick.remember_genuine(false);
        }
        checked = Some(result?);
    }

    story.begin(Phase::Finishing);
    let begun = Instant::now();
    let completed = device::complete(&written, checked, &**device, meter);
    report.write_seconds += begun.elapsed().as_secs_f64();
    report.checked = completed.map_err(|why| stopped(report, why))?.verified;
    if let Some(drive) = work.stick.drive() {
        Known::remember_image(drive, &story.learnt(), meter.confirmed(), written.strategy);
    }
    meter.finish_items(1);
    let on_stick = &mut report.on_stick;
    on_stick.complete = std::mem::take(&mut on_stick.partial);
    report.image_left = None;
    Ok(())
}

/// What is to be written, of one image.
fn expect(bytes: u64, story: &Story) {
    story.set_total(bytes, 1);
    story.meter().expect(bytes, 1, 0);
}

/// What is on the stick now.
fn leave(report: &mut Report, left: ImageLeft) {
    let on_stick = &mut report.on_stick;
    if left != ImageLeft::AsBefore && on_stick.partial.is_empty() {
        on_stick.partial = std::mem::take(&mut on_stick.missing);
    }
    report.image_left = Some(left);
}
