mod naming;
mod placed;

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::vec;

use placed::{Placed, What};

use super::children::Children;
use super::folder_names::{FolderNames, There};
use super::order::natural_key;
use super::space::Space;
use super::{
    Choice, Choices, FileId, Gathered, Item, ItemKind, Plan, PlannedFile, Present, Problem,
    ProblemKind, Renamed, Replaces, Root, TargetFacts,
};
use crate::engine::copy::parts;

/// Judges what was gathered by the rules of the target. Pure, save for what `present` does.
///
/// `choices` are followed for every problem that offers them. A folder that is on the stick
/// already is merged with, and keeps its spelling; two sources never are. A new name that a
/// choice asks for is the first free one, on the stick and among the sources; names that stay as
/// they are come first.
pub fn plan(
    gathered: &Gathered,
    facts: &TargetFacts,
    present: &impl Present,
    choices: &Choices,
) -> Plan {
    let mut planner = Planner {
        gathered,
        facts,
        present,
        choices,
        roots: gathered
            .roots
            .iter()
            .map(|root| (root.item, root))
            .collect(),
        into_themselves: into_themselves(gathered, facts.root),
        space: Space::new(facts),
        plan: Plan::default(),
    };
    planner.walk();
    planner.finish()
}

struct Planner<'a, P> {
    gathered: &'a Gathered,
    facts: &'a TargetFacts,
    present: &'a P,
    choices: &'a Choices,
    roots: HashMap<usize, &'a Root>,
    /// Sources that hold the target folder.
    into_themselves: HashSet<usize>,
    space: Space,
    plan: Plan,
}

/// A folder on the way through the tree.
struct Frame {
    target: PathBuf,
    placed: vec::IntoIter<Placed>,
}

impl<'a, P: Present> Planner<'a, P> {
    /// Through the tree, a folder's files after those of the folders before them. No recursion:
    /// trees can be deep.
    fn walk(&mut self) {
        let children = Children::of(self.gathered);
        let there = There::Yes(self.present.list(Path::new("")));
        let sources = children.of_folder(None);
        let mut frames = vec![self.enter(sources, None, PathBuf::new(), there)];
        while let Some(frame) = frames.last_mut() {
            let Some(placed) = frame.placed.next() else {
                frames.pop();
                continue;
            };
            let target = frame.target.join(&placed.name);
            if placed.is_renamed {
                self.plan.renamed.push(Renamed {
                    source: placed.source.clone(),
                    target: target.clone(),
                });
            }
            match placed.what {
                What::File {
                    item,
                    replaces,
                    old,
                } => self.add_file(item, placed.source, target, replaces, old),
                What::Folder { item, there } => {
                    self.plan.folders.push(target.clone());
                    let held = children.of_folder(Some(item));
                    frames.push(self.enter(held, Some(&placed.source), target, there));
                }
            }
        }
    }

    fn add_file(
        &mut self,
        item: usize,
        source: PathBuf,
        target: PathBuf,
        replaces: Replaces,
        old: Option<u64>,
    ) {
        let ItemKind::File { size, modified } = self.gathered.items[item].kind else {
            return;
        };
        match replaces {
            Replaces::IfDifferent(_) => self.space.add_equal_file(),
            Replaces::Old(_) | Replaces::Nothing => self.space.add_file(size, old),
        }
        self.plan.bytes = self.plan.bytes.saturating_add(size);
        self.plan.files.push(PlannedFile {
            source,
            target,
            size,
            modified,
            replaces,
        });
    }

    /// Gives names to what a folder holds. `folder` is where it is read; `None` stands for the
    /// target folder, which holds the sources.
    fn enter(
        &mut self,
        held: &[usize],
        folder: Option<&Path>,
        target: PathBuf,
        there: There,
    ) -> Frame {
        let items = &self.gathered.items;
        let mut held = held.to_vec();
        held.sort_by_cached_key(|item| (natural_key(&items[*item].name), &items[*item].name));

        let mut names = FolderNames::new(self.facts.file_system, self.present, &target, there);
        let mut placed = Vec::with_capacity(held.len());
        let mut others = Vec::new();
        for item in held {
            let source = match folder {
                Some(folder) => folder.join(&items[item].name),
                None => self.root(item).source.clone(),
            };
            if let Some(wanted) = self.judge(item, source) {
                others.extend(self.place_as_it_is(wanted, &mut names, &mut placed));
            }
        }
        // Names that stay as they are have been taken; the others go round them.
        for wanted in others {
            self.place_renamed(wanted, &mut names, &mut placed);
        }
        if placed.iter().any(|placed| placed.is_renamed) {
            placed.sort_by_cached_key(|placed| (natural_key(&placed.name), placed.name.clone()));
        }
        self.leave_out_overflow(&names, &mut placed, folder.is_none());
        Frame {
            target,
            placed: placed.into_iter(),
        }
    }

    fn root(&self, item: usize) -> &'a Root {
        self.roots
            .get(&item)
            .expect("what lies in no folder is a source")
    }

    /// Leaves out the last of those whose names have no room in the folder; folders come first.
    fn leave_out_overflow(
        &mut self,
        names: &FolderNames<'_, P>,
        placed: &mut Vec<Placed>,
        is_root: bool,
    ) {
        let file_system = self.facts.file_system;
        let (limit, first) = if is_root {
            // The parts' folder, and the stick's own name.
            let parts = file_system.entry_size(OsStr::new(parts::FOLDER)) + 32;
            let limit = self.facts.root_names.or(file_system.max_folder());
            (limit, parts)
        } else {
            (file_system.max_folder(), file_system.empty_folder())
        };
        let limit = limit.unwrap_or(u64::MAX);
        let mut used = names.used() + first;
        let mut fits = vec![true; placed.len()];
        for folders in [true, false] {
            let of_kind = placed.iter().zip(&mut fits);
            for (placed, fits) in of_kind.filter(|(p, _)| p.is_folder() == folders) {
                let size = placed.new_entry(file_system);
                *fits = used + size <= limit;
                if *fits {
                    used += size;
                }
            }
        }
        let mut fits = fits.into_iter();
        placed.retain_mut(|placed| {
            let fits = fits.next().unwrap_or(true);
            if !fits {
                let source = std::mem::take(&mut placed.source);
                self.ask(Problem::new(ProblemKind::FolderFull, source, self.choices));
            }
            fits
        });
        self.space.add_folder(names.is_new(), used - names.used());
    }

    /// Lists a problem; tells what was chosen.
    fn ask(&mut self, problem: Problem) -> Choice {
        let chosen = problem.chosen;
        if matches!(chosen, Choice::Stop | Choice::Skip) {
            self.plan.skipped.push(problem.path.clone());
        }
        self.plan.problems.push(problem);
        chosen
    }

    fn finish(mut self) -> Plan {
        if self.plan.files.is_empty() && !self.plan.must_stop() {
            let problem = Problem::new(ProblemKind::NothingToCopy, "", self.choices);
            self.plan.problems.push(problem);
        }
        self.space.add_parts_folder();
        self.plan.space = self.space.peak();
        if self.plan.space > self.facts.free {
            self.make_room();
        }
        self.plan
    }

    /// It does not fit: told, with a way out where that comes from old files that are replaced.
    fn make_room(&mut self) {
        let free = self.facts.free;
        // A source must not be deleted before it is read.
        let target = self.facts.root;
        let mut above = self.gathered.roots.iter().flat_map(|root| &root.above);
        let has_source = above.any(|folder| Some(*folder) == target);
        let old = self.space.enough_old_files(free).filter(|_| !has_source);
        let choices = match old {
            Some(_) => Choice::MAKE_ROOM,
            None => ProblemKind::NotEnoughSpace.choices(),
        };
        let problem = Problem::with_choices(ProblemKind::NotEnoughSpace, "", choices, self.choices);
        let problem = problem.with_sizes(self.plan.space, free);
        if let (Choice::DeleteFirst, Some(old)) = (problem.chosen, old) {
            self.plan.space = self.space.peak_without(&old);
            for index in old {
                let file = &mut self.plan.files[index];
                file.replaces = Replaces::Nothing;
                self.plan.delete_first.push(file.target.clone());
            }
        }
        self.plan.problems.push(problem);
    }
}

/// Sources that hold the target folder, however it was reached.
fn into_themselves(gathered: &Gathered, target: Option<FileId>) -> HashSet<usize> {
    let items = gathered.items.iter().enumerate();
    let is_target = |item: &Item| matches!(item.kind, ItemKind::Folder(id) if Some(id) == target);
    items
        .filter(|(_, item)| is_target(item))
        .map(|(mut index, mut item)| {
            while let Some(parent) = item.parent {
                (index, item) = (parent, &gathered.items[parent]);
            }
            index
        })
        .collect()
}
