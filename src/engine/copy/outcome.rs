use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::{FailedItem, OnStick, StopReason, Stopped, Written, WrittenFile};
use crate::engine::Error;
use crate::engine::plan::Plan;
use crate::engine::strategy::Strategy;

/// How far a planned file has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Missing,
    /// Under its temporary name, not whole.
    Begun,
    /// Under its temporary name, handed over to its end.
    Whole,
    /// Durable, under its own name, which no checkpoint covers yet.
    Named,
    Complete,
    Removed,
}

/// A file that was there already and is equal to its source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    pub(super) hash: Option<blake3::Hash>,
    /// Whether it was read from the stick for certain.
    pub(super) past_cache: bool,
}

/// What has become of each planned file so far.
pub(super) struct Outcome<'a> {
    plan: &'a Plan,
    states: Vec<State>,
    hashes: Vec<Option<blake3::Hash>>,
    kept: HashMap<usize, Kept>,
    failed: Vec<FailedItem>,
    /// Old files that were removed first.
    deleted: Vec<&'a Path>,
    /// Of an earlier job.
    left_over: Vec<PathBuf>,
}

impl<'a> Outcome<'a> {
    pub(super) fn new(plan: &'a Plan) -> Self {
        let count = plan.files.len();
        Self {
            plan,
            states: vec![State::Missing; count],
            hashes: vec![None; count],
            kept: HashMap::new(),
            failed: vec![],
            deleted: vec![],
            left_over: vec![],
        }
    }

    pub(super) fn set(&mut self, index: usize, state: State) {
        self.states[index] = state;
    }

    pub(super) fn whole(&mut self, index: usize, hash: Option<blake3::Hash>) {
        self.states[index] = State::Whole;
        self.hashes[index] = hash;
    }

    /// It needs no name, only the next checkpoint.
    pub(super) fn keep(&mut self, index: usize, kept: Kept) {
        self.states[index] = State::Named;
        self.hashes[index] = kept.hash;
        self.kept.insert(index, kept);
    }

    /// An old file was removed to make room.
    pub(super) fn delete(&mut self, old: &'a Path) {
        self.deleted.push(old);
    }

    /// Temporary files of an earlier job stay.
    pub(super) fn leave(&mut self, left_over: Vec<PathBuf>) {
        self.left_over = left_over;
    }

    pub(super) fn fail(&mut self, index: usize, state: State, error: Error) {
        self.states[index] = state;
        let planned = &self.plan.files[index];
        let (source, target) = (planned.source.clone(), planned.target.clone());
        self.failed.push(FailedItem {
            source,
            target,
            error,
        });
    }

    /// The files that have come so far.
    pub(super) fn indices(&self, state: State) -> Vec<usize> {
        let indices = self.states.iter().enumerate();
        indices
            .filter(|(_, s)| **s == state)
            .map(|(index, _)| index)
            .collect()
    }

    pub(super) fn into_written(self, strategy: Strategy) -> Written {
        Written {
            files: self.files(),
            on_stick: self.on_stick(),
            failed: self.failed,
            strategy,
        }
    }

    pub(super) fn into_stopped(self, reason: StopReason, strategy: Strategy) -> Stopped {
        Stopped {
            reason,
            files: self.files(),
            on_stick: self.on_stick(),
            failed: self.failed,
            strategy,
        }
    }

    fn files(&self) -> Vec<WrittenFile> {
        let file = |index: usize| WrittenFile {
            target: self.plan.files[index].target.clone(),
            size: self.plan.files[index].size,
            hash: self.hashes[index],
            kept: self.kept.contains_key(&index),
            checked: self.kept.get(&index).is_some_and(|kept| kept.past_cache),
        };
        let complete = self.indices(State::Complete);
        complete.into_iter().map(file).collect()
    }

    fn on_stick(&self) -> OnStick {
        let mut on_stick = OnStick {
            skipped: self.plan.skipped.clone(),
            left_over: self.left_over.clone(),
            ..OnStick::default()
        };
        for (index, planned) in self.plan.files.iter().enumerate() {
            let state = self.states[index];
            if state == State::Complete && self.kept.contains_key(&index) {
                on_stick.kept.push(planned.target.clone());
            }
            let list = match state {
                State::Missing => &mut on_stick.missing,
                State::Begun | State::Whole | State::Named => &mut on_stick.partial,
                State::Complete => &mut on_stick.complete,
                State::Removed => &mut on_stick.removed,
            };
            list.push(planned.target.clone());
        }
        let arrived: HashSet<_> = on_stick.complete.iter().map(PathBuf::as_path).collect();
        let gone = self.deleted.iter().filter(|old| !arrived.contains(*old));
        on_stick.deleted = gone.map(|old| old.to_path_buf()).collect();
        on_stick
    }
}
