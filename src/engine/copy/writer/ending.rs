//! The end of a job that does not come to its own end.

use super::super::outcome::State;
use super::super::{StopReason, parts};
use super::Writer;
use crate::engine::target::Target;
use crate::engine::{ErrorKind, Operation};

impl<T: Target> Writer<'_, T> {
    /// After a stop: the half file goes, and where the stick still works the whole ones stay.
    pub(super) fn clean_up(&mut self, reason: &StopReason) {
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
            let removed = begun.iter().try_for_each(|&index| self.remove_part(index));
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
        if self.target.checkpoint().is_ok() {
            self.held.clear();
        }
        let unnamed: Vec<usize> = [State::Begun, State::Whole]
            .into_iter()
            .flat_map(|state| self.outcome.indices(state))
            .collect();
        for group in unnamed.chunks(parts::MAX_HELD) {
            let removed: Vec<usize> = group
                .iter()
                .copied()
                .filter(|index| self.remove(&self.part(*index)).is_ok())
                .collect();
            if self.target.checkpoint().is_err() {
                return;
            }
            self.held.clear();
            for index in removed {
                self.outcome.set(index, State::Removed);
            }
        }
        self.remove_parts_folder();
        #[expect(
            clippy::let_underscore_must_use,
            reason = "only the empty folder's removal is left, of which nothing is told"
        )]
        let _ = self.target.checkpoint();
    }
}
