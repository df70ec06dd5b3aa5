use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::{
    Choices, Existing, Gathered, Item, ItemKind, Plan, PlannedFile, Problem, ProblemKind, Replaces,
    TargetFacts, order,
};
use crate::engine::copy::parts;

/// Judges what was gathered by the rules of the target. Pure, save for what `existing` does.
///
/// `existing` says what a path relative to the target is there now, letter case ignored where the
/// file system ignores it. `choices` are followed for every problem that offers them.
///
/// A folder that is on the stick already is merged with; a file never is.
pub fn plan(
    gathered: &Gathered,
    facts: &TargetFacts,
    existing: impl Fn(&Path) -> Option<Existing>,
    choices: &Choices,
) -> Plan {
    let mut planner = Planner {
        facts,
        choices,
        plan: Plan::default(),
        taken: HashSet::new(),
        left_out: HashSet::new(),
    };
    for (kind, source) in &gathered.left_out {
        planner.leave_out(Problem::new(*kind, source, choices));
    }
    planner.find_loops(gathered);

    let mut items: Vec<&Item> = gathered.items.iter().collect();
    items.sort_by(|a, b| order::natural(&a.target, &b.target));
    for item in items {
        planner.judge(item, &existing);
    }
    planner.finish()
}

struct Planner<'a> {
    facts: &'a TargetFacts,
    choices: &'a Choices,
    plan: Plan,
    /// Targets so far, folded where the file system ignores case.
    taken: HashSet<PathBuf>,
    /// Sources that will not be copied, nor what they hold.
    left_out: HashSet<PathBuf>,
}

impl Planner<'_> {
    fn find_loops(&mut self, gathered: &Gathered) {
        let Some(target) = self.facts.root else {
            return;
        };
        for root in &gathered.roots {
            if root.above.contains(&target) {
                self.leave_out(Problem::new(
                    ProblemKind::SourceOnStick,
                    &root.source,
                    self.choices,
                ));
            }
        }
        for item in &gathered.items {
            if item.kind == ItemKind::Folder(target) {
                let root = gathered
                    .roots
                    .iter()
                    .find(|root| item.source.starts_with(&root.source));
                let whole = root.map_or(&item.source, |root| &root.source);
                self.leave_out(Problem::new(ProblemKind::IntoItself, whole, self.choices));
            }
        }
    }

    fn judge(&mut self, item: &Item, existing: &impl Fn(&Path) -> Option<Existing>) {
        if self.is_left_out(&item.source) {
            return;
        }
        if let Some(problem) = self.problem_of(item, existing) {
            self.leave_out(problem);
            return;
        }
        self.taken.insert(self.folded(&item.target));
        match &item.kind {
            ItemKind::Folder(_) => self.plan.folders.push(item.target.clone()),
            ItemKind::File { size, modified } => {
                self.plan.bytes = self.plan.bytes.saturating_add(*size);
                self.plan.files.push(PlannedFile {
                    source: item.source.clone(),
                    target: item.target.clone(),
                    size: *size,
                    modified: *modified,
                    replaces: Replaces::Nothing,
                });
            }
        }
    }

    fn problem_of(
        &self,
        item: &Item,
        existing: &impl Fn(&Path) -> Option<Existing>,
    ) -> Option<Problem> {
        let problem = |kind| Problem::new(kind, &item.source, self.choices);
        let name = item.target.file_name().unwrap_or_default();
        if let Some(fault) = self.facts.file_system.name_fault(name) {
            return Some(problem(fault));
        }
        // A folder of that name on the stick is cleared of half files by each start.
        if item.target.as_os_str().eq_ignore_ascii_case(parts::FOLDER) {
            return Some(problem(ProblemKind::NameReserved));
        }
        let clashes = match existing(&item.target) {
            Some(Existing::Folder) => !matches!(item.kind, ItemKind::Folder(_)),
            Some(Existing::File { .. } | Existing::Other) => true,
            None => false,
        };
        if clashes || self.taken.contains(&self.folded(&item.target)) {
            return Some(problem(ProblemKind::NameClash));
        }
        match (&item.kind, self.facts.file_system.max_file_size()) {
            (ItemKind::File { size, .. }, Some(limit)) if *size > limit => {
                Some(problem(ProblemKind::FileTooLarge).with_sizes(*size, limit))
            }
            _ => None,
        }
    }

    fn finish(mut self) -> Plan {
        if self.plan.files.is_empty() && !self.plan.must_stop() {
            self.plan
                .problems
                .push(Problem::new(ProblemKind::NothingToCopy, "", self.choices));
        }
        self.plan.space = self.space();
        if self.plan.space > self.facts.free {
            let problem = Problem::new(ProblemKind::NotEnoughSpace, "", self.choices);
            self.plan
                .problems
                .push(problem.with_sizes(self.plan.space, self.facts.free));
        }
        self.plan
    }

    /// Clusters of files and folders, the one for temporary names included.
    fn space(&self) -> u64 {
        let clusters = |bytes: u64| bytes.div_ceil(self.facts.cluster.max(1));
        let entry = |path: &Path| {
            self.facts
                .file_system
                .entry_size(path.file_name().unwrap_or_default())
        };
        let part = self
            .facts
            .file_system
            .entry_size(OsStr::new("00000000.part"));
        let batch = self.plan.files.len().min(parts::MAX_BATCH) as u64;

        let data = self.plan.files.iter().map(|file| clusters(file.size));
        let data = data.fold(0, u64::saturating_add);
        // Each folder's last cluster is half-filled: one for each, and one where they go.
        let folders = self.plan.folders.len() as u64 + 2;
        let entries: u64 = self
            .plan
            .files
            .iter()
            .map(|file| entry(&file.target))
            .sum::<u64>()
            + self
                .plan
                .folders
                .iter()
                .map(|folder| entry(folder) + 64)
                .sum::<u64>()
            + batch * part;
        data.saturating_add(folders + clusters(entries))
            .saturating_mul(self.facts.cluster.max(1))
    }

    fn leave_out(&mut self, problem: Problem) {
        if self.left_out.insert(problem.path.clone()) {
            self.plan.skipped.push(problem.path.clone());
        }
        self.plan.problems.push(problem);
    }

    /// Whether it, or a folder above it, is left out by a choice or cannot be copied.
    fn is_left_out(&self, source: &Path) -> bool {
        source.ancestors().any(|path| self.left_out.contains(path))
    }

    fn folded(&self, target: &Path) -> PathBuf {
        match target.to_str() {
            Some(text) if self.facts.file_system.ignores_case() => text.to_lowercase().into(),
            _ => target.to_path_buf(),
        }
    }
}
