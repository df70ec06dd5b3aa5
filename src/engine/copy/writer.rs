use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use super::fault::fault;
use super::flow::Flow;
use super::outcome::{Outcome, State};
use super::pacing::Pacing;
use super::reader::{News, Reader};
use super::{Options, StopReason, Stopped, Written, parts};
use crate::engine::plan::{Plan, PlannedFile};
use crate::engine::target::Target;
use crate::engine::{Error, ErrorKind, Meter, Operation};

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
    flow: Flow<'a, T>,
    pacing: Pacing,
    /// The folder for temporary names is this job's.
    has_parts: bool,
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
            reader: Reader::start(!options.without_hash),
            wanted: 0,
            flow: Flow::new(target, meter, options.strategy.unwrap_or_default()),
            pacing: Pacing::default(),
            has_parts: false,
            open: Vec::new(),
            batch: VecDeque::new(),
            named: Vec::new(),
            outcome: Outcome::new(plan),
        }
    }

    pub(super) fn run(mut self) -> Result<Written, Box<Stopped>> {
        let result = self.write_all().and_then(|()| self.finish());
        let strategy = self.flow.strategy();
        match result {
            Ok(()) => Ok(self.outcome.into_written(strategy)),
            Err(reason) => {
                self.clean_up(&reason);
                Err(Box::new(self.outcome.into_stopped(reason, strategy)))
            }
        }
    }

    fn write_all(&mut self) -> Result<(), StopReason> {
        for folder in &self.plan.folders {
            let made = self.target.make_folder(folder);
            made.map_err(fault(self.target, Operation::MakeFolder, folder))?;
        }
        let parts = Path::new(parts::FOLDER);
        let taken = self.target.take_parts_folder(parts);
        taken.map_err(fault(self.target, Operation::MakeFolder, parts))?;
        self.has_parts = true;

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
        let file = created.map_err(fault(self.target, Operation::Create, &planned.target))?;
        let file = Rc::new(file);
        self.outcome.set(index, State::Begun);

        let mut offset = 0;
        let hash = loop {
            match self.next_news()? {
                News::Opened => {}
                News::Bytes(bytes) => {
                    self.hand_over(&planned.target, &file, offset, &bytes)?;
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
            self.flow.submit()?;
            self.flow.settle_oldest()?;
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
        removed.map_err(fault(self.target, Operation::Remove, target))?;
        self.outcome.set(index, State::Removed);
        Ok(())
    }

    /// Hands a file's next bytes to the kernel, as the windows have room for them.
    fn hand_over(
        &mut self,
        path: &'a Path,
        file: &Rc<T::File>,
        mut offset: u64,
        mut bytes: &[u8],
    ) -> Result<(), StopReason> {
        while !bytes.is_empty() {
            self.stop_if_cancelled()?;
            let length = self.flow.next_length(bytes.len() as u64)?;
            let (now, later) = bytes.split_at(length as usize);
            self.flow.write(path, file, offset, now)?;
            if self.pacing.is_due(self.flow.elapsed()) {
                self.checkpoint()?;
            }
            bytes = later;
            offset += length;
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
        closed.map_err(fault(self.target, Operation::Close, Path::new("")))
    }

    /// Makes all so far durable. Files that got their own names before it are complete with it;
    /// whole files get theirs after it.
    fn checkpoint(&mut self) -> Result<(), StopReason> {
        self.flow.drain()?;
        let confirmed = self.meter.confirmed();
        let begin = self.target.now();
        let made = self.target.checkpoint();
        made.map_err(fault(self.target, Operation::Checkpoint, Path::new("")))?;
        self.meter.durable_up_to(confirmed);
        self.complete_named();
        self.close_confirmed(0)?;
        self.name_batch()?;
        let cost = self.target.now().saturating_sub(begin);
        self.flow.rested(cost);
        self.pacing.made(self.flow.elapsed(), cost);
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
                Err(error) => match fault(self.target, Operation::Rename, name)(error) {
                    StopReason::Target(error) if is_about_name(&error) => {
                        self.batch.pop_front();
                        self.give_up(index, &part, error)?;
                    }
                    reason => return Err(reason),
                },
            }
        }
        Ok(())
    }

    /// The end of a job: data durable, names given, names durable.
    fn finish(&mut self) -> Result<(), StopReason> {
        self.checkpoint()?;
        self.remove_parts_folder();
        self.checkpoint()
    }

    /// Empty by now; should something be left in it, the next job clears it.
    fn remove_parts_folder(&self) {
        if self.has_parts {
            let _ = self.target.remove_folder(Path::new(parts::FOLDER));
        }
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
        self.flow.forget();
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
        self.remove_parts_folder();
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
}

/// Whether only this one file is concerned.
fn is_about_name(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NameClash | ErrorKind::NameForbidden
    )
}
