//! One check from its first phase to its last event.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use super::CheckFound;
use super::bench::{Bench, Room};
use crate::engine::copy;
use crate::engine::device::{self, Device, StopReason};
use crate::engine::fill::{self, Misread, ReadBack};
use crate::engine::probe;
use crate::engine::speed_curve::{Cliff, SpeedCurve, cliff};
use crate::tasks::job::Story;
use crate::tasks::stop::Stop;
use crate::tasks::{About, AtEnd, Event, Failure, Kind, Known, KnownSpeed, Phase, Report, probing};

/// What there is to do.
pub(super) struct Work<B: Bench> {
    pub(super) stick: B,
    /// Bytes that the stick says it has.
    pub(super) claimed: u64,
    pub(super) erase: bool,
    pub(super) at_end: AtEnd,
}

pub(super) fn run<B: Bench>(work: &Work<B>, story: &Story) -> Event {
    let meter = story.meter();
    let mut check = Check {
        work,
        story,
        found: CheckFound {
            claimed: work.claimed,
            ..CheckFound::default()
        },
        report: Report {
            strategy: "bulk",
            ..Report::default()
        },
        probed: 0,
    };
    story.begin(Phase::Preparing);
    let authorized = work.stick.authorize();
    // How long a person looks for the password says nothing about the stick.
    let begun = Instant::now();
    let result = authorized.map_err(Stop::from).and_then(|()| check.run());
    let Check {
        found, mut report, ..
    } = check;
    report.seconds = begun.elapsed().as_secs_f64();
    report.bytes = meter.confirmed();
    report.peak_unconfirmed = meter.peak_unconfirmed();
    if report.write_seconds > 0.0 {
        report.bytes_per_second = report.bytes as f64 / report.write_seconds;
    }
    report.found = Some(found);
    match result {
        Ok(()) => Event::Done(report),
        Err(Stop::Cancelled) => Event::Cancelled(report),
        Err(Stop::Failed(failure)) => Event::Failed(failure, report),
    }
}

struct Check<'a, B: Bench> {
    work: &'a Work<B>,
    story: &'a Story,
    found: CheckFound,
    report: Report,
    /// Bytes that the stick had to take for the probe.
    probed: u64,
}

impl<B: Bench> Check<'_, B> {
    fn run(&mut self) -> Result<(), Stop> {
        self.stop_if_cancelled()?;
        let device = self.work.stick.open()?;
        let tried = self.probe(&device).and_then(|()| {
            if self.work.erase {
                self.erase(&device)
            } else {
                Ok(())
            }
        });
        if tried.is_ok() && !self.work.erase {
            self.work.stick.let_go(device, AtEnd::KeepMounted)?;
            return self.check_room();
        }
        let tried = tried.and_then(|()| {
            let flushed = device.flush();
            flushed.map_err(|error| {
                Stop::Failed(Failure::new(Kind::IoError, format!("flush: {error}")))
            })
        });
        self.story.begin(Phase::Finishing);
        let settled = self.work.stick.let_go(device, self.at_end(&tried));
        self.end(tried, settled)
    }

    /// It stays on where the check has not come to its end, so that it can be tried again.
    fn at_end(&self, result: &Result<(), Stop>) -> AtEnd {
        if is_over(result) {
            self.work.at_end
        } else {
            AtEnd::Unmount
        }
    }

    fn end(
        &mut self,
        result: Result<(), Stop>,
        settled: Result<bool, Failure>,
    ) -> Result<(), Stop> {
        match (result, settled) {
            (result, Ok(safe)) => {
                // Of a stick that failed nothing is claimed.
                let has_failed = matches!(result, Err(Stop::Failed(_))) && !is_over(&result);
                self.report.safe_to_unplug = safe && !has_failed;
                result
            }
            (Ok(()), Err(failure)) => Err(failure.into()),
            (result, Err(failure)) => {
                tracing::info!(?failure, "the stick is not brought to its end");
                result
            }
        }
    }

    fn probe(&mut self, device: &Arc<B::Device>) -> Result<(), Stop> {
        self.story.begin(Phase::Probing);
        let probed = probe::thorough(&**device, self.story.meter());
        let (capacity, written) = probed.map_err(probing::stopped)?;
        self.probed = written;
        self.found.claimed = capacity.claimed;
        self.found.real = Some(capacity.real);
        if capacity.is_fake() {
            self.work.stick.remember(false, None);
            return Err(Stop::Failed(probing::fake(capacity)));
        }
        self.work.stick.remember(true, None);
        Ok(())
    }

    /// All of the stick.
    fn erase(&mut self, device: &Arc<B::Device>) -> Result<(), Stop> {
        let meter = self.story.meter();
        let stop = |reason: StopReason| Stop::of(reason, Path::new(""));
        self.expect(device.size());
        self.story.begin(Phase::Writing);
        self.found.erased = true;
        let begun = Instant::now();
        let surface = device::write_surface(&**device, meter);
        self.report.write_seconds = begun.elapsed().as_secs_f64();
        let surface = surface.map_err(stop)?;
        self.take_written(&surface.curve);
        self.story.begin(Phase::Checking);
        let begun = Instant::now();
        let read = device::read_surface(&surface, &**device, meter);
        self.report.check_seconds = begun.elapsed().as_secs_f64();
        self.take_read(read.map_err(stop)?, |misread| About::Offset(misread.offset))
    }

    /// What is free on the stick.
    fn check_room(&mut self) -> Result<(), Stop> {
        let room = match self.work.stick.mount() {
            Ok(room) => room,
            Err(failure) if cannot_be_filled(failure.kind) => {
                let note = Failure {
                    kind: Kind::OnlySize,
                    ..failure
                };
                self.report.notes.push(note);
                self.story.begin(Phase::Finishing);
                let settled = self.work.stick.settle(self.work.at_end);
                return self.end(Ok(()), settled);
            }
            Err(failure) => return Err(failure.into()),
        };
        let target = room.open()?;
        let result = room.free(&target).map_err(Stop::from);
        let result = result.and_then(|free| self.fill(&target, free));
        // Whatever has happened, nothing of it stays.
        let cleaned = fill::clean_up(&target).map_err(Stop::from);
        self.found.left_over = cleaned.is_err();
        let result = result.and(cleaned.map(drop));
        drop(target);
        self.story.begin(Phase::Finishing);
        let settled = room.settle(self.at_end(&result));
        self.end(result, settled)
    }

    fn fill(&mut self, target: &<B::Room as Room>::Target, free: u64) -> Result<(), Stop> {
        let meter = self.story.meter();
        self.expect(free);
        self.story.begin(Phase::Writing);
        let begun = Instant::now();
        let filled = fill::fill(target, free, meter);
        self.report.write_seconds = begun.elapsed().as_secs_f64();
        let filled = filled.map_err(Stop::from)?;
        self.expect(filled.bytes);
        self.take_written(&filled.curve);
        self.story.begin(Phase::Checking);
        let begun = Instant::now();
        let read = fill::read_back(&filled, target, meter);
        self.report.check_seconds = begun.elapsed().as_secs_f64();
        let read = read.map_err(<Stop as From<copy::StopReason>>::from)?;
        self.take_read(read, |_| About::TestData)
    }

    /// How fast it was written. What a stick takes fast, the probe has taken a part of.
    fn take_written(&mut self, curve: &SpeedCurve) {
        self.found.write_curve.clone_from(curve);
        self.found.cliff = cliff(curve).map(|cliff| Cliff {
            at: cliff.at + self.probed,
            ..cliff
        });
    }

    fn take_read(
        &mut self,
        read: ReadBack,
        about: impl FnOnce(Misread) -> About,
    ) -> Result<(), Stop> {
        self.found.compared = self.story.meter().totals().checked;
        // What the kernel remembers says nothing about the stick.
        if read.past_cache {
            self.found.read_curve = read.curve;
        }
        if let Some(misread) = read.misread {
            self.work.stick.remember(false, None);
            let kind = if misread.is_of_other_place {
                Kind::FakeCapacity
            } else {
                Kind::VerifyMismatch
            };
            let detail = format!("read back: {misread:?}");
            return Err(Stop::Failed(
                Failure::new(kind, detail).about(about(misread)),
            ));
        }
        self.report.checked = read.past_cache && self.found.compared > 0;
        let found = &self.found;
        let cliff_at = found.cliff.map(|cliff| cliff.at);
        let speed = KnownSpeed::of(&found.write_curve, &found.read_curve, cliff_at);
        self.work.stick.remember(true, Some(speed));
        Ok(())
    }

    fn expect(&self, bytes: u64) {
        let known = self.work.stick.drive().and_then(Known::of);
        let ahead = known.unwrap_or_default().ahead(bytes, 0, true);
        self.story.set_ahead(ahead);
        self.story.set_total(bytes, 0);
        self.story.meter().expect(bytes, 0, 0);
    }

    fn stop_if_cancelled(&self) -> Result<(), Stop> {
        if self.story.meter().is_cancelled() {
            return Err(Stop::Cancelled);
        }
        Ok(())
    }
}

/// Whether everything was found out, good or bad.
fn is_over(result: &Result<(), Stop>) -> bool {
    match result {
        Ok(()) => true,
        Err(Stop::Cancelled) => false,
        Err(Stop::Failed(failure)) => failure.kind == Kind::FakeCapacity,
    }
}

/// What stands in the way is the file system, not the stick.
fn cannot_be_filled(kind: Kind) -> bool {
    matches!(
        kind,
        Kind::NoFileSystem
            | Kind::NoDriver
            | Kind::DamagedFileSystem
            | Kind::BeyondRepair
            | Kind::MountedReadOnly
            | Kind::NotAuthorized
    )
}
