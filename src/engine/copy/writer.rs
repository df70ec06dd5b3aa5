mod comparing;
mod ending;
mod naming;

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use rustix::io::Errno;

use super::fault::fault;
use super::flow::Flow;
use super::left_overs::LeftOvers;
use super::outcome::{Outcome, State};
use super::pacing::Pacing;
use super::reader::{News, Reader};
use super::source::Disk;
use super::stuck::Stuck;
use super::{Options, StopReason, Stopped, Written, parts};
use crate::engine::plan::{Plan, PlannedFile, Replaces};
use crate::engine::target::Target;
use crate::engine::{Error, Meter, Operation};

/// Files that the reader may open ahead.
const FILES_AHEAD: usize = 16;
/// How long a source may take before the stick, and who cancels, are looked after instead.
const PATIENCE: Duration = Duration::from_millis(250);
/// Confirmed files that are closed together.
const CLOSE_TOGETHER: usize = 32;

/// One job. All files share one queue of windows.
pub(super) struct Writer<'a, T: Target> {
    plan: &'a Plan,
    target: &'a T,
    meter: &'a Meter,
    options: &'a Options,
    disk: Arc<dyn Disk>,
    reader: Reader,
    stuck: Stuck,
    /// Files that the reader was asked for.
    wanted: usize,
    flow: Flow<'a, T>,
    pacing: Pacing,
    /// The folder for temporary names is this job's.
    has_parts: bool,
    /// A file was made.
    has_begun: bool,
    /// The number in the temporary name of the first file.
    first_part: usize,
    /// Whole files that are not closed yet.
    open: Vec<Rc<T::File>>,
    /// Whole files that have no name of their own yet.
    batch: Vec<usize>,
    /// Files of the batch that have one to replace.
    replacing: usize,
    /// Files under their own names that no checkpoint covers yet.
    named: Vec<usize>,
    /// Files that lost their names since the last checkpoint.
    held: Vec<T::Pin>,
    outcome: Outcome<'a>,
}

impl<'a, T: Target> Writer<'a, T> {
    pub(super) fn new(
        plan: &'a Plan,
        target: &'a T,
        options: &'a Options,
        meter: &'a Meter,
        disk: Arc<dyn Disk>,
    ) -> Self {
        Self {
            plan,
            target,
            meter,
            options,
            reader: Reader::start(!options.without_hash, Arc::clone(&disk)),
            disk,
            stuck: Stuck::default(),
            wanted: 0,
            flow: Flow::new(target, meter, options.strategy.unwrap_or_default()),
            pacing: Pacing::default(),
            has_parts: false,
            has_begun: false,
            first_part: 0,
            open: Vec::new(),
            batch: Vec::new(),
            replacing: 0,
            named: Vec::new(),
            held: Vec::new(),
            outcome: Outcome::new(plan),
        }
    }

    pub(super) fn run(mut self) -> Result<Written, Box<Stopped>> {
        let result = self.write_all().and_then(|()| self.finish());
        let strategy = self.flow.strategy();
        match result {
            Ok(()) => Ok(self.outcome.into_written(strategy)),
            Err(mut reason) => {
                if let StopReason::Target(error) = &mut reason {
                    error.had_written = self.has_begun;
                }
                self.clean_up(&reason);
                Err(Box::new(self.outcome.into_stopped(reason, strategy)))
            }
        }
    }

    fn write_all(&mut self) -> Result<(), StopReason> {
        let (files, folders) = (self.plan.files.len(), self.plan.folders.len());
        self.meter
            .expect(self.plan.bytes, files as u64, folders as u64);
        if !self.plan.delete_first.is_empty() {
            self.take_parts()?;
            self.delete_first()?;
        }
        for folder in &self.plan.folders {
            self.stop_if_cancelled()?;
            let made = self.target.make_folder(folder);
            made.map_err(fault(self.target, Operation::MakeFolder, folder))?;
            self.meter.finish_folder();
        }
        self.take_parts()?;
        for (index, planned) in self.plan.files.iter().enumerate() {
            self.meter.set_current(Some(&planned.target));
            self.want_files(index);
            self.write_file(index, planned)?;
            if self.is_batch_full() || self.pacing.is_due(self.flow.elapsed()) {
                self.checkpoint()?;
            }
        }
        self.meter.set_current(None);
        Ok(())
    }

    /// Has the folder for temporary names to itself, with as little in it as is safe. Made after
    /// the job's folders, so that it does not lie before them.
    fn take_parts(&mut self) -> Result<(), StopReason> {
        if self.has_parts {
            return Ok(());
        }
        let folder = Path::new(parts::FOLDER);
        let taken = self.target.take_parts_folder(folder);
        taken.map_err(fault(self.target, Operation::MakeFolder, folder))?;
        let meter = self.meter;
        let found = LeftOvers::find(self.target, self.options.sound, &|| meter.is_cancelled());
        let left = found.map_err(fault(self.target, Operation::Remove, folder))?;
        let left = left.ok_or(StopReason::Cancelled)?;
        for part in &left.loose {
            self.stop_if_cancelled()?;
            let removed = self.remove(part);
            removed.map_err(fault(self.target, Operation::Remove, part))?;
            self.make_room_to_hold()?;
        }
        self.first_part = left.first_number();
        self.outcome.leave(left.shared);
        self.has_parts = true;
        Ok(())
    }

    fn part(&self, index: usize) -> PathBuf {
        parts::part(self.first_part + index)
    }

    /// Has the reader open small files ahead of their turn.
    fn want_files(&mut self, index: usize) {
        let until = (index + FILES_AHEAD).min(self.plan.files.len());
        for planned in &self.plan.files[self.wanted.min(until)..until] {
            if !self.stuck.gives_up(&planned.source) {
                self.reader.want(planned);
            }
        }
        self.wanted = until;
    }

    /// Leaves the reader to whatever holds it up, and has another one go on with that file.
    fn read_on_from(&mut self, index: usize) {
        self.reader = Reader::start(!self.options.without_hash, Arc::clone(&self.disk));
        self.wanted = index;
        self.want_files(index);
    }

    /// Hands one file over. A fault of its source is listed and the job goes on.
    fn write_file(&mut self, index: usize, planned: &'a PlannedFile) -> Result<(), StopReason> {
        if self.stuck.gives_up(&planned.source) {
            let error = Error::new(Operation::OpenSource, &planned.source, Errno::NODEV);
            self.fail(index, State::Missing, error, 0);
            return Ok(());
        }
        if self.is_settled(index, planned)? {
            return Ok(());
        }
        if let News::Failed(error) = self.next_news(index)? {
            self.fail(index, State::Missing, error, 0);
            return Ok(());
        }
        let part = self.part(index);
        let created = self.target.create(&part, planned.size);
        let file = created.map_err(fault(self.target, Operation::Create, &planned.target))?;
        let file = Rc::new(file);
        self.has_begun = true;
        self.outcome.set(index, State::Begun);

        let mut offset = 0;
        let hash = loop {
            match self.next_news(index)? {
                News::Opened => {}
                News::Bytes(bytes) => {
                    self.hand_over(&planned.target, &file, offset, &bytes)?;
                    offset += bytes.len() as u64;
                }
                News::Whole(hash) => break hash,
                News::Failed(error) => return self.give_up(index, error, offset),
            }
        };
        if let Some(modified) = planned.modified {
            self.target.set_modified(&file, modified);
        }
        self.outcome.whole(index, hash);
        self.meter.finish_bytes();
        self.open.push(file);
        self.batch.push(index);
        self.replacing += usize::from(planned.replaces != Replaces::Nothing);
        self.close_confirmed(CLOSE_TOGETHER)
    }

    /// Waits for the source; while it is slow, what was handed over goes on to the stick. A
    /// source that tells nothing for too long has failed, and its thread is left behind.
    fn next_news(&mut self, index: usize) -> Result<News, StopReason> {
        let mut waited = Duration::ZERO;
        loop {
            self.stop_if_cancelled()?;
            if let Some(news) = self.reader.wait(PATIENCE) {
                return Ok(news);
            }
            waited += PATIENCE;
            if waited >= self.options.source_patience {
                let source = &self.plan.files[index].source;
                self.stuck.add(source);
                self.read_on_from(index + 1);
                let error = Error::new(Operation::ReadSource, source, Errno::TIMEDOUT);
                return Ok(News::Failed(error));
            }
            self.flow.submit()?;
            self.flow.settle_oldest()?;
        }
    }

    /// The source has failed: its half file goes, the rest of the job goes on.
    fn give_up(&mut self, index: usize, error: Error, taken: u64) -> Result<(), StopReason> {
        self.remove_part(index)?;
        self.fail(index, State::Removed, error, taken);
        self.make_room_to_hold()
    }

    /// A file has failed of which so many bytes were handed over.
    fn fail(&mut self, index: usize, state: State, error: Error, taken: u64) {
        self.meter.give_up(self.plan.files[index].size - taken);
        self.outcome.fail(index, state, error);
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

    fn stop_if_cancelled(&self) -> Result<(), StopReason> {
        if self.meter.is_cancelled() {
            Err(StopReason::Cancelled)
        } else {
            Ok(())
        }
    }
}
