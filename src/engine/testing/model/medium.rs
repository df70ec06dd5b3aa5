use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What lies on a FAT stick, sector by sector, as far as a pull is concerned: a file's slot in its
/// folder is one sector, and that its clusters are free is told by another.
#[derive(Debug, Clone, Default)]
pub(super) struct Medium {
    slots: BTreeMap<PathBuf, Slot>,
    free: BTreeSet<usize>,
    /// Written since the last flush, in order. Each sector may have kept any state it had.
    unflushed: Vec<Sector>,
}

/// What the slot of a name points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Absent,
    /// The kernel first makes a name, then tells what belongs to it.
    Empty,
    File(usize),
}

#[derive(Debug, Clone)]
enum Sector {
    Slot(PathBuf, Slot),
    Free(usize),
}

impl Medium {
    pub(super) fn set(&mut self, name: &Path, slot: Slot) {
        self.unflushed.push(Sector::Slot(name.to_path_buf(), slot));
    }

    pub(super) fn free(&mut self, id: usize) {
        self.unflushed.push(Sector::Free(id));
    }

    pub(super) fn flush(&mut self) {
        for sector in self.unflushed.drain(..) {
            match sector {
                Sector::Slot(name, slot) => drop(self.slots.insert(name, slot)),
                Sector::Free(id) => drop(self.free.insert(id)),
            }
        }
    }

    /// What a pull leaves: the slots that are there, and what is told to be free. `pick` chooses
    /// a number below the one it is given.
    pub(super) fn after_pull(
        &self,
        pick: &mut dyn FnMut(usize) -> usize,
    ) -> (BTreeMap<PathBuf, Slot>, BTreeSet<usize>) {
        let mut histories: BTreeMap<&PathBuf, Vec<Slot>> = BTreeMap::new();
        for (name, slot) in &self.slots {
            histories.insert(name, vec![*slot]);
        }
        let mut free = self.free.clone();
        for sector in &self.unflushed {
            match sector {
                Sector::Slot(name, slot) => {
                    let history = histories.entry(name).or_insert_with(|| vec![Slot::Absent]);
                    history.push(*slot);
                }
                Sector::Free(id) => {
                    if pick(2) == 1 {
                        free.insert(*id);
                    }
                }
            }
        }
        let slots = histories
            .into_iter()
            .map(|(name, history)| (name.clone(), history[pick(history.len())]))
            .filter(|(_, slot)| *slot != Slot::Absent)
            .collect();
        (slots, free)
    }
}
