//! How things get their names.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::Planner;
use super::placed::{Placed, What};
use crate::engine::plan::alike::is_one_time;
use crate::engine::plan::folder_names::{FolderNames, Holder, There};
use crate::engine::plan::{
    Choice, Existing, Item, ItemKind, Present, Problem, ProblemKind, Replaces,
};

/// What shall be copied and looks for its name.
pub(super) struct Wanted {
    item: usize,
    source: PathBuf,
    name: OsString,
    stage: Stage,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The name is its own.
    Own,
    /// The file system cannot hold its own name; this is the one that it can.
    Legal,
    /// Its name is taken: one with a number.
    Numbered {
        /// A person was asked whether it is the same as a file on the stick.
        was_asked: bool,
    },
}

/// What a name stands in the way of.
struct Clash {
    kind: ProblemKind,
    choices: &'static [Choice],
    /// What comes of replacing, where that can be chosen.
    replaced: Option<(OsString, What)>,
}

impl<P: Present> Planner<'_, P> {
    /// Finds what is wrong with an item whatever else is there. `None` where it is left out.
    pub(super) fn judge(&mut self, item: usize, source: PathBuf) -> Option<Wanted> {
        let Item { name, kind, parent } = &self.gathered.items[item];
        let is_root = parent.is_none();
        let left_out = match kind {
            ItemKind::LeftOut(kind) => Some(*kind),
            _ => (self.into_themselves.contains(&item)).then_some(ProblemKind::IntoItself),
        };
        if let Some(kind) = left_out {
            self.ask(Problem::new(kind, source, self.choices));
            return None;
        }
        let facts = self.facts;
        if let (ItemKind::File { size, .. }, Some(limit)) =
            (kind, facts.file_system.max_file_size(facts.cluster))
            && *size > limit
        {
            let problem = Problem::new(ProblemKind::FileTooLarge, source, self.choices);
            self.ask(problem.with_sizes(*size, limit));
            return None;
        }
        let (name, stage) = match facts.name_fault(name, is_root) {
            None => (name.clone(), Stage::Own),
            Some(fault) => {
                let mut problem = Problem::new(fault, &source, self.choices);
                if fault == ProblemKind::NameCharset {
                    problem.detail.clone_from(&facts.charset);
                }
                if self.ask(problem) != Choice::Rename {
                    return None;
                }
                (facts.legal_name(name, is_root), Stage::Legal)
            }
        };
        Some(Wanted {
            item,
            source,
            name,
            stage,
        })
    }

    /// Takes its own name, or gives back what has to get another.
    pub(super) fn place_as_it_is(
        &mut self,
        wanted: Wanted,
        names: &mut FolderNames<'_, P>,
        placed: &mut Vec<Placed>,
    ) -> Option<Wanted> {
        if wanted.stage != Stage::Own {
            return Some(wanted);
        }
        let clash = match self.try_name(&wanted, &wanted.name, names) {
            Ok((name, what)) => {
                placed.push(wanted.placed(name, what, names));
                return None;
            }
            Err(clash) => clash,
        };
        let was_asked = clash.kind == ProblemKind::AlreadyThere;
        match (self.ask_about(&clash, &wanted.source), clash.replaced) {
            (Choice::Replace, Some((name, what))) => {
                placed.push(wanted.placed(name, what, names));
                None
            }
            (Choice::KeepBoth, _) => Some(Wanted {
                stage: Stage::Numbered { was_asked },
                ..wanted
            }),
            _ => None,
        }
    }

    /// Takes the first new name that is free. Only a file on the stick that looks the same is
    /// asked about: it may be this one, of a copy that was interrupted.
    pub(super) fn place_renamed(
        &mut self,
        mut wanted: Wanted,
        names: &mut FolderNames<'_, P>,
        placed: &mut Vec<Placed>,
    ) {
        let is_folder = matches!(self.gathered.items[wanted.item].kind, ItemKind::Folder(_));
        loop {
            let name = match wanted.stage {
                Stage::Own | Stage::Legal => wanted.name.clone(),
                Stage::Numbered { .. } => names.numbered(&wanted.name, is_folder),
            };
            let clash = match self.try_name(&wanted, &name, names) {
                Ok((name, what)) => {
                    placed.push(wanted.placed(name, what, names));
                    return;
                }
                Err(clash) => clash,
            };
            let mut was_asked = wanted.stage == Stage::Numbered { was_asked: true };
            if clash.kind == ProblemKind::AlreadyThere && !was_asked {
                match (self.ask_about(&clash, &wanted.source), clash.replaced) {
                    (Choice::Replace, Some((name, what))) => {
                        placed.push(wanted.placed(name, what, names));
                        return;
                    }
                    (Choice::KeepBoth, _) => was_asked = true,
                    _ => return,
                }
            }
            wanted.stage = Stage::Numbered { was_asked };
        }
    }

    /// What becomes of an item under a name, with the spelling that it gets.
    fn try_name(
        &self,
        wanted: &Wanted,
        name: &OsStr,
        names: &FolderNames<'_, P>,
    ) -> Result<(OsString, What), Clash> {
        let Wanted { item, stage, .. } = *wanted;
        let is_numbered = matches!(stage, Stage::Numbered { .. });
        let clash = Clash {
            kind: ProblemKind::NameClash,
            choices: Choice::KEEP,
            replaced: None,
        };
        let file = |replaces, old| What::File {
            item,
            replaces,
            old,
        };
        match (names.holder(name), &self.gathered.items[item].kind) {
            (Holder::Nobody, ItemKind::Folder(_)) => {
                let there = There::No;
                Ok((name.to_os_string(), What::Folder { item, there }))
            }
            (Holder::Nobody, _) => Ok((name.to_os_string(), file(Replaces::Nothing, None))),
            (Holder::Folder(spelled), ItemKind::Folder(id)) if !is_numbered => {
                let listing = self.present.list(&names.path(&spelled));
                let is_same = listing.as_ref().is_some_and(|listing| listing.id == *id);
                if is_same || self.lies_in_target(item) {
                    return Err(clash);
                }
                let there = There::Yes(listing);
                Ok((spelled, What::Folder { item, there }))
            }
            (
                Holder::File {
                    name: spelled,
                    size: old,
                    modified: old_time,
                },
                ItemKind::File { size, modified },
            ) if !self.lies_in_target(item) => {
                let is_one_time = modified
                    .zip(old_time)
                    .is_some_and(|(new, old)| is_one_time(self.facts.file_system, new, old));
                let seen = Existing::File {
                    size: old,
                    modified: old_time,
                };
                let (kind, replaces) = if *size == old && is_one_time {
                    (ProblemKind::AlreadyThere, Replaces::IfDifferent(seen))
                } else {
                    (ProblemKind::NameClash, Replaces::Old(seen))
                };
                Err(Clash {
                    kind,
                    choices: kind.choices(),
                    replaced: Some((spelled, file(replaces, Some(old)))),
                })
            }
            _ => Err(clash),
        }
    }

    /// Whether it is a source in the target folder: then what has its name there is itself.
    fn lies_in_target(&self, item: usize) -> bool {
        let above = self.roots.get(&item).and_then(|root| root.above.first());
        above.is_some() && above == self.facts.root.as_ref()
    }

    fn ask_about(&mut self, clash: &Clash, source: &Path) -> Choice {
        self.ask(Problem::with_choices(
            clash.kind,
            source,
            clash.choices,
            self.choices,
        ))
    }
}

impl Wanted {
    fn placed<P: Present>(
        self,
        name: OsString,
        what: What,
        names: &mut FolderNames<'_, P>,
    ) -> Placed {
        names.plan(&name);
        Placed {
            source: self.source,
            name,
            is_renamed: self.stage != Stage::Own,
            what,
        }
    }
}
