use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::outcome::{Outcome, State};
use super::pacing::Pacing;
use super::reader::{News, Reader};
use super::window::{Bounds, Piece, Window};
use super::{Options, StopReason, Stopped, Written, parts};
use crate::engine::plan::{Plan, PlannedFile};
use crate::engine::speed::Speed;
use crate::engine::strategy::{Break, Chooser, Pulse, Strategy};
use crate::engine::target::Target;
use crate::engine::{Error, ErrorKind, Meter, Operation};

/// Pieces of a file end at multiples of this, so that no page is written twice.
const GRAIN: u64 = 64 << 10;
/// Files that the reader may open ahead.
const FILES_AHEAD: usize = 16;
/// How long a source may take before the stick is looked after instead.
const PATIENCE: Duration = Duration::from_millis(250);
/// Confirmed files that are closed together.
const CLOSE_TOGETHER: usize = 32;

/// One job. All files share one queue of windows.
pub(super) struct Writer<'a, T: Target> {
    plan: &'a Plan,
    target: &'a T,
    meter: &'a Meter,
    reader: Reader,
    /// Files that the reader was asked for.
    wanted: usize,
    start: Duration,
    /// Time spent on checkpoints, which says nothing about a strategy.
    aside: Duration,
    speed: Speed,
    chooser: Chooser,
    /// The strategy has changed and what came before it is still on its way.
    switched: bool,
    pulse: Pulse,
    pacing: Pacing,
    filling: Window<T::File>,
    in_flight: VecDeque<Window<T::File>>,
    /// Whole files that are not closed yet.
    open: Vec<Rc<T::File>>,
    /// Whole files that have no name of their own yet.
    batch: VecDeque<usize>,
    /// Files under their own names that no checkpoint covers yet.
    named: Vec<usize>,
    outcome: Outcome<'a>,
}

impl<'a, T: Target> Writer<'a, T> {
    pub(super) fn new(plan: &'a Plan, target: &'a T, options: &Options, meter: &'a Meter) -> Self {
        Self {
            plan,
            target,
            meter,
            reader: Reader::start(),
            wanted: 0,
            start: target.now(),
            aside: Duration::ZERO,
            speed: Speed::default(),
            chooser: Chooser::new(options.strategy.unwrap_or_default()),
            switched: false,
            pulse: Pulse::default(),
            pacing: Pacing::default(),
            filling: Window::new(),
            in_flight: VecDeque::new(),
            open: Vec::new(),
            batch: VecDeque::new(),
            named: Vec::new(),
            outcome: Outcome::new(plan),
        }
    }

    pub(super) fn run(mut self) -> Result<Written, Box<Stopped>> {
        let result = self.write_all().and_then(|()| self.finish());
        let strategy = self.chooser.strategy();
        match result {
            Ok(()) => Ok(self.outcome.into_written(strategy)),
            Err(reason) => {
                self.clean_up(&reason);
                Err(Box::new(self.outcome.into_stopped(reason, strategy)))
            }
        }
    }

    fn write_all(&mut self) -> Result<(), StopReason> {
        self.speed.sample(Duration::ZERO, self.meter.confirmed());
        for folder in &self.plan.folders {
            let made = self.target.make_folder(folder);
            made.map_err(|error| self.stop(Operation::MakeFolder, folder, error))?;
        }
        let parts = Path::new(parts::FOLDER);
        let taken = self.target.take_parts_folder(parts);
        taken.map_err(|error| self.stop(Operation::MakeFolder, parts, error))?;

        for (index, planned) in self.plan.files.iter().enumerate() {
            self.meter.set_current(Some(&planned.target));
            self.want_files(index);
            self.write_file(index, planned)?;
            if self.batch.len() >= parts::MAX_BATCH {
                self.checkpoint()?;
            }
        }
        self.meter.set_current(None);
        Ok(())
    }

    /// Has the reader open small files ahead of their turn.
    fn want_files(&mut self, index: usize) {
        let until = (index + FILES_AHEAD).min(self.plan.files.len());
        for planned in &self.plan.files[self.wanted..until] {
            self.reader.want(planned);
        }
        self.wanted = until;
    }

    /// Hands one file over. A fault of its source is listed and the job goes on.
    fn write_file(&mut self, index: usize, planned: &'a PlannedFile) -> Result<(), StopReason> {
        if let News::Failed(error) = self.next_news()? {
            self.outcome.fail(index, State::Missing, error);
            return Ok(());
        }
        let part = parts::part(index);
        let created = self.target.create(&part, planned.size);
        let file = created.map_err(|error| self.stop(Operation::Create, &planned.target, error))?;
        let file = Rc::new(file);
        self.outcome.set(index, State::Begun);

        let mut offset = 0;
        let hash = loop {
            match self.next_news()? {
                News::Opened => {}
                News::Bytes(bytes) => {
                    self.hand_over(index, &file, offset, &bytes)?;
                    offset += bytes.len() as u64;
                }
                News::Whole(hash) => break hash,
                News::Failed(error) => return self.give_up(index, &part, error),
            }
        };
        if let Some(modified) = planned.modified {
            self.target.set_modified(&file, modified);
        }
        self.outcome.whole(index, hash);
        self.open.push(file);
        self.batch.push_back(index);
        self.close_confirmed(CLOSE_TOGETHER)
    }

    /// Waits for the source; while it is slow, what was handed over goes on to the stick.
    fn next_news(&mut self) -> Result<News, StopReason> {
        loop {
            self.stop_if_cancelled()?;
            if let Some(news) = self.reader.wait(PATIENCE) {
                return Ok(news);
            }
            self.submit()?;
            self.settle_oldest()?;
        }
    }

    /// The source has failed: its half file goes, the rest of the job goes on.
    fn give_up(&mut self, index: usize, part: &Path, error: Error) -> Result<(), StopReason> {
        self.remove_part(index, part)?;
        self.outcome.fail(index, State::Removed, error);
        Ok(())
    }

    fn remove_part(&mut self, index: usize, part: &Path) -> Result<(), StopReason> {
        let target = &self.plan.files[index].target;
        let removed = self.target.remove(part);
        removed.map_err(|error| self.stop(Operation::Remove, target, error))?;
        self.outcome.set(index, State::Removed);
        Ok(())
    }

    /// How many bytes go next: up to the end of the window and of the pulse, in whole grains.
    fn next_length(&mut self, left: u64) -> Result<u64, StopReason> {
        if std::mem::take(&mut self.switched) {
            self.take_break()?;
            self.switched = false;
            self.chooser.begin(self.measured());
        }
        loop {
            let window = self.filling.room(self.bounds());
            let pulse = match self.chooser.strategy() {
                Strategy::Stream => u64::MAX,
                Strategy::Pulse => self.pulse.room(),
            };
            let room = window.min(pulse);
            if left <= room {
                return Ok(left);
            }
            if room >= GRAIN {
                return Ok(room / GRAIN * GRAIN);
            }
            if pulse < GRAIN {
                self.take_break()?;
            } else {
                self.submit()?;
            }
        }
    }

    /// Hands a file's next bytes to the kernel, as the windows have room for them.
    fn hand_over(
        &mut self,
        index: usize,
        file: &Rc<T::File>,
        mut offset: u64,
        mut bytes: &[u8],
    ) -> Result<(), StopReason> {
        while !bytes.is_empty() {
            self.stop_if_cancelled()?;
            let length = self.next_length(bytes.len() as u64)?;
            let (now, later) = bytes.split_at(length as usize);
            self.make_room(length)?;
            let written = self.target.write_at(file, offset, now);
            written.map_err(|error| self.stop_file(Operation::Write, index, error))?;
            self.meter.accept(length);
            self.pulse.accept(length);
            let file = Rc::clone(file);
            self.filling.add(Piece {
                file,
                index,
                offset,
                length,
            });
            if self.filling.room(self.bounds()) == 0 {
                self.submit()?;
            }
            if self.pacing.is_due(self.elapsed()) {
                self.checkpoint()?;
            }
            bytes = later;
            offset += length;
        }
        Ok(())
    }

    fn bounds(&self) -> Bounds {
        Bounds::of_rate(self.speed.bytes_per_second())
    }

    /// Waits until that many more bytes, and one more piece, are within the bounds.
    fn make_room(&mut self, length: u64) -> Result<(), StopReason> {
        loop {
            let bounds = self.bounds();
            let pieces: usize = self
                .in_flight
                .iter()
                .map(|window| window.pieces.len())
                .sum();
            let fits = self.meter.unconfirmed() + length <= bounds.unconfirmed
                && pieces + self.filling.pieces.len() < bounds.pieces;
            if fits {
                return Ok(());
            }
            if self.in_flight.is_empty() {
                self.submit()?;
            }
            self.settle_oldest()?;
        }
    }

    /// Starts the write-out of the window that is being filled.
    fn submit(&mut self) -> Result<(), StopReason> {
        if self.filling.pieces.is_empty() {
            return Ok(());
        }
        let window = std::mem::replace(&mut self.filling, Window::new());
        for piece in &window.pieces {
            let started = self
                .target
                .start_write_out(&piece.file, piece.offset, piece.length);
            started.map_err(|error| self.stop_file(Operation::WriteOut, piece.index, error))?;
        }
        self.in_flight.push_back(window);
        Ok(())
    }

    /// Waits for the oldest window; what it held is confirmed then.
    fn settle_oldest(&mut self) -> Result<(), StopReason> {
        let Some(window) = self.in_flight.pop_front() else {
            return Ok(());
        };
        for piece in &window.pieces {
            let written = self
                .target
                .wait_write_out(&piece.file, piece.offset, piece.length);
            written.map_err(|error| self.stop_file(Operation::WriteOut, piece.index, error))?;
            self.target
                .drop_cache(&piece.file, piece.offset, piece.length);
            self.meter.confirm(piece.length);
        }
        let confirmed = self.meter.confirmed();
        self.speed.sample(self.elapsed(), confirmed);
        let before = self.chooser.strategy();
        self.switched |= self.chooser.observe(self.measured(), confirmed) != before;
        Ok(())
    }

    /// Waits until all that was handed over is confirmed.
    fn drain(&mut self) -> Result<(), StopReason> {
        self.submit()?;
        while !self.in_flight.is_empty() {
            self.settle_oldest()?;
        }
        Ok(())
    }

    /// Closes the whole files whose bytes are confirmed, once there are so many of them.
    fn close_confirmed(&mut self, at_least: usize) -> Result<(), StopReason> {
        let confirmed = |file: &Rc<T::File>| Rc::strong_count(file) == 1;
        let count = self.open.iter().filter(|file| confirmed(file)).count();
        if count == 0 || count < at_least {
            return Ok(());
        }
        let (confirmed, open): (Vec<_>, _) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(confirmed);
        self.open = open;
        let files = confirmed.into_iter().filter_map(Rc::into_inner).collect();
        let closed = self.target.close(files);
        closed.map_err(|error| self.stop(Operation::Close, Path::new(""), error))
    }

    /// Lets a stick breathe that gets slow when it is fed without a break.
    fn take_break(&mut self) -> Result<(), StopReason> {
        self.drain()?;
        let flush = match self.pulse.next_break() {
            Break::Pause(time) => {
                self.target.pause(time);
                None
            }
            Break::Flush => {
                let begin = self.target.now();
                let flushed = self.target.flush_device();
                flushed.map_err(|error| self.stop(Operation::Checkpoint, Path::new(""), error))?;
                Some(self.target.now().saturating_sub(begin))
            }
        };
        self.pulse.rested(flush);
        Ok(())
    }

    /// Makes all so far durable. Files that got their own names before it are complete with it;
    /// whole files get theirs after it.
    fn checkpoint(&mut self) -> Result<(), StopReason> {
        self.drain()?;
        let confirmed = self.meter.confirmed();
        let begin = self.target.now();
        let made = self.target.checkpoint();
        made.map_err(|error| self.stop(Operation::Checkpoint, Path::new(""), error))?;
        self.meter.durable_up_to(confirmed);
        self.complete_named();
        self.close_confirmed(0)?;
        self.name_batch()?;
        let cost = self.target.now().saturating_sub(begin);
        self.aside += cost;
        self.pacing.made(self.elapsed(), cost);
        self.pulse.rested(None);
        Ok(())
    }

    fn complete_named(&mut self) {
        for index in &self.named {
            self.outcome.set(*index, State::Complete);
        }
        self.meter.finish_items(self.named.len() as u64);
        self.named.clear();
    }

    /// Gives the whole files, which are durable, their own names in the plan's order.
    fn name_batch(&mut self) -> Result<(), StopReason> {
        while let Some(&index) = self.batch.front() {
            let (part, name) = (parts::part(index), &self.plan.files[index].target);
            match self.target.rename(&part, name) {
                Ok(()) => {
                    self.outcome.set(index, State::Named);
                    self.named.push(index);
                    self.batch.pop_front();
                }
                Err(error) => {
                    let error = self.error(Operation::Rename, name, error);
                    let own_fault = matches!(
                        error.kind(),
                        ErrorKind::NameClash | ErrorKind::NameForbidden
                    );
                    if !own_fault {
                        return Err(StopReason::Target(error));
                    }
                    self.batch.pop_front();
                    self.give_up(index, &part, error)?;
                }
            }
        }
        Ok(())
    }

    /// The end of a job: data durable, names given, names durable.
    fn finish(&mut self) -> Result<(), StopReason> {
        self.checkpoint()?;
        // Empty by now; should something be left in it, the next job clears it.
        let _ = self.target.remove_folder(Path::new(parts::FOLDER));
        self.checkpoint()
    }

    /// After a stop: the half file goes, and where the stick still works the whole ones stay.
    fn clean_up(&mut self, reason: &StopReason) {
        self.meter.set_current(None);
        if self.target.is_gone() {
            return;
        }
        let works = match reason {
            StopReason::Cancelled => true,
            // Nothing that was handed over before is lost by these.
            StopReason::Target(error) => {
                error.kind() == ErrorKind::NotEnoughSpace
                    && matches!(error.operation, Operation::Create | Operation::Write)
            }
        };
        let begun = self.outcome.indices(State::Begun);
        if works {
            let removed = begun
                .iter()
                .try_for_each(|&i| self.remove_part(i, &parts::part(i)));
            if removed.and_then(|()| self.finish()).is_ok() {
                return;
            }
        }
        self.abandon();
    }

    /// The stick has failed: whatever has no name of its own is removed, if it still can be.
    fn abandon(&mut self) {
        self.filling = Window::new();
        self.in_flight.clear();
        self.open.clear();
        self.batch.clear();
        // Tells what is left of the old errors, each of which is told once; only new ones count
        // for the removal.
        let _ = self.target.checkpoint();
        let unnamed: Vec<usize> = [State::Begun, State::Whole]
            .into_iter()
            .flat_map(|state| self.outcome.indices(state))
            .filter(|index| self.target.remove(&parts::part(*index)).is_ok())
            .collect();
        let _ = self.target.remove_folder(Path::new(parts::FOLDER));
        if self.target.checkpoint().is_ok() {
            for index in unnamed {
                self.outcome.set(index, State::Removed);
            }
        }
    }

    fn stop_if_cancelled(&self) -> Result<(), StopReason> {
        if self.meter.is_cancelled() {
            Err(StopReason::Cancelled)
        } else {
            Ok(())
        }
    }

    /// Time that says something about a strategy.
    fn measured(&self) -> Duration {
        self.elapsed().saturating_sub(self.aside)
    }

    fn elapsed(&self) -> Duration {
        self.target.now().saturating_sub(self.start)
    }

    fn error(&self, operation: Operation, path: &Path, cause: io::Error) -> Error {
        let mut error = Error::new(operation, path, cause);
        error.gone = self.target.is_gone();
        error
    }

    fn stop(&self, operation: Operation, path: &Path, cause: io::Error) -> StopReason {
        StopReason::Target(self.error(operation, path, cause))
    }

    fn stop_file(&self, operation: Operation, index: usize, cause: io::Error) -> StopReason {
        self.stop(operation, &self.plan.files[index].target, cause)
    }
}
