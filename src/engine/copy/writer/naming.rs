//! How files get, take over and lose their names: on FAT, in an order that a pull cannot break.
//!
//! A file is durable before it is named. What loses its name is held, so that its clusters go to
//! nobody else, until a checkpoint has made the loss durable. On vfat a file that takes over a
//! name takes over its slot too, 32 bytes of one sector, so a pull finds the old file or the new
//! one, whole. exFAT writes a new set of slots and then marks the old one unused: a
//! pull between them may find both sets, or none where the second sector was the first on the
//! stick; never a wrong file. A stick on which checkpoints fail for good is beyond all that: what
//! was just being named is told as partial then.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use rustix::io::Errno;

use super::super::fault::fault;
use super::super::outcome::State;
use super::super::{StopReason, parts};
use super::Writer;
use crate::engine::plan::{Existing, Replaces};
use crate::engine::target::Target;
use crate::engine::{Error, ErrorKind, Operation};

impl<T: Target> Writer<'_, T> {
    /// Makes all so far durable, gives the whole files their own names and makes those durable.
    pub(super) fn checkpoint(&mut self) -> Result<(), StopReason> {
        self.flow.drain()?;
        let begin = self.target.now();
        self.flush()?;
        self.close_confirmed(0)?;
        // Nothing is closed in between: on a mount with `flush` that would write out the new
        // slots before the kernel has told in them what they lead to.
        if self.name_batch()? {
            self.flush()?;
        }
        let cost = self.target.now().saturating_sub(begin);
        self.flow.rested(cost);
        self.pacing.made(self.flow.elapsed(), cost);
        Ok(())
    }

    /// The end of a job: data durable, names given, names durable.
    pub(super) fn finish(&mut self) -> Result<(), StopReason> {
        self.flow.drain()?;
        self.flush()?;
        self.close_confirmed(0)?;
        self.name_batch()?;
        self.remove_parts_folder();
        self.flush()
    }

    /// Whether the batch must get its names now.
    pub(super) fn is_batch_full(&self) -> bool {
        self.batch.len() >= parts::MAX_BATCH || self.held.len() + self.replacing >= parts::MAX_HELD
    }

    /// Makes what is confirmed durable. What has lost its name may then be forgotten.
    fn flush(&mut self) -> Result<(), StopReason> {
        let confirmed = self.meter.confirmed();
        let made = self.target.checkpoint();
        made.map_err(fault(self.target, Operation::Checkpoint, Path::new("")))?;
        self.meter.durable_up_to(confirmed);
        for index in &self.named {
            self.outcome.set(*index, State::Complete);
        }
        self.meter.finish_items(self.named.len() as u64);
        self.named.clear();
        self.held.clear();
        Ok(())
    }

    /// Gives the whole files, which are durable, their own names in the plan's order.
    fn name_batch(&mut self) -> Result<bool, StopReason> {
        let batch = std::mem::take(&mut self.batch);
        self.replacing = 0;
        for index in &batch {
            self.name(*index)?;
        }
        Ok(!batch.is_empty())
    }

    fn name(&mut self, index: usize) -> Result<(), StopReason> {
        let plan = self.plan;
        let (part, planned) = (self.part(index), &plan.files[index]);
        let named = match planned.replaces {
            Replaces::Nothing => self.target.rename(&part, &planned.target),
            Replaces::Old(seen) | Replaces::IfDifferent(seen) => {
                self.take_over(&part, &planned.target, seen)
            }
        };
        match named.map_err(fault(self.target, Operation::Rename, &planned.target)) {
            Ok(()) => {
                self.outcome.set(index, State::Named);
                self.named.push(index);
                Ok(())
            }
            Err(StopReason::Target(error)) if is_about_name(&error) => {
                self.remove_part(index)?;
                self.fail(index, State::Removed, error, planned.size);
                Ok(())
            }
            Err(reason) => Err(reason),
        }
    }

    /// Takes over the name of a file that is still what the plan saw.
    fn take_over(&mut self, part: &Path, name: &Path, seen: Existing) -> io::Result<()> {
        match self.target.pin(name) {
            Ok((old, now)) if now == seen => {
                self.target.replace(part, name)?;
                self.held.push(old);
                Ok(())
            }
            Ok(_) => Err(Errno::EXIST.into()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.target.rename(part, name),
            Err(error) => Err(error),
        }
    }

    /// Removes the old files that were chosen for it, before anything is written.
    pub(super) fn delete_first(&mut self) -> Result<(), StopReason> {
        let plan = self.plan;
        let replaced = plan.files.iter().filter_map(|file| match file.replaces {
            Replaces::Nothing => None,
            Replaces::Old(seen) | Replaces::IfDifferent(seen) => Some((&file.target, seen)),
        });
        let seen: HashMap<_, _> = replaced.collect();
        for old in &plan.delete_first {
            self.stop_if_cancelled()?;
            let deleted = self.delete(old, seen.get(old).copied());
            if deleted.map_err(fault(self.target, Operation::Remove, old))? {
                self.outcome.delete(old);
            }
            self.make_room_to_hold()?;
        }
        // Their space is needed.
        self.flush()
    }

    /// Whether it was there, a file, and what the plan saw, and is removed. Otherwise it stays,
    /// and the new file will find its name taken.
    fn delete(&mut self, old: &Path, seen: Option<Existing>) -> io::Result<bool> {
        match self.target.pin(old) {
            Ok((pin, now)) => {
                let is_file = matches!(now, Existing::File { .. });
                if !is_file || seen.is_some_and(|seen| seen != now) {
                    return Ok(false);
                }
                self.held.push(pin);
                self.target.remove(old).map(|()| true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Removes a file and holds it until that is durable.
    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        let (pin, _) = self.target.pin(path)?;
        self.held.push(pin);
        self.target.remove(path)
    }

    pub(super) fn remove_part(&mut self, index: usize) -> Result<(), StopReason> {
        let (part, target) = (self.part(index), &self.plan.files[index].target);
        let removed = self.remove(&part);
        removed.map_err(fault(self.target, Operation::Remove, target))?;
        self.outcome.set(index, State::Removed);
        Ok(())
    }

    /// A checkpoint, when too much is held.
    pub(super) fn make_room_to_hold(&mut self) -> Result<(), StopReason> {
        if self.held.len() < parts::MAX_HELD {
            return Ok(());
        }
        self.flow.drain()?;
        self.flush()
    }

    /// Empty by now, save for what may not be removed yet.
    pub(super) fn remove_parts_folder(&self) {
        if self.has_parts {
            #[expect(
                clippy::let_underscore_must_use,
                reason = "a folder that is left is empty, or its files are told"
            )]
            let _ = self.target.remove_folder(Path::new(parts::FOLDER));
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
