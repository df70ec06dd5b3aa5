//! What holds of every plan, whatever there is.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::trees::{Job, Tree, job};
use super::{Choice, Choices, Plan, ProblemKind, Stick, plan};
use crate::engine::plan::{
    Existing, FileSystem, Gathered, ItemKind, Present, Replaces, TargetFacts,
};

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_plan_is_whole_legal_and_overwrites_nothing_unasked(job in job()) {
        let plan = plan_of(&job);
        prop_assert_eq!(&plan, &plan_of(&job), "the same again");
        nothing_is_lost(&job, &plan);
        targets_are_good(&job, &plan);
        nothing_is_overwritten_unasked(&job, &plan);
        its_own_targets_are_no_trouble(&job, &plan);
        problems_are_answered(&job, &plan);
        it_fits_as_told(&job, &plan);
    }
}

fn plan_of(job: &Job) -> Plan {
    plan(&job.gathered, &job.facts, &job.stick, &job.choices)
}

/// Of each item, where it is read.
fn sources(gathered: &Gathered) -> Vec<PathBuf> {
    let mut sources: Vec<PathBuf> = Vec::new();
    for (index, item) in gathered.items.iter().enumerate() {
        let root = || gathered.roots.iter().find(|root| root.item == index);
        sources.push(match item.parent {
            Some(parent) => sources[parent].join(&item.name),
            None => root().unwrap().source.clone(),
        });
    }
    sources
}

/// Every file is planned once, or it or a folder above it is left out and told.
fn nothing_is_lost(job: &Job, plan: &Plan) {
    let skipped: HashSet<&PathBuf> = plan.skipped.iter().collect();
    assert_eq!(skipped.len(), plan.skipped.len());
    let told = |path: &&PathBuf| {
        plan.problems.iter().any(|problem| {
            problem.path == **path && matches!(problem.chosen, Choice::Stop | Choice::Skip)
        })
    };
    assert!(plan.skipped.iter().all(|path| told(&path)));

    let mut planned: BTreeMap<&Path, usize> = BTreeMap::new();
    for file in &plan.files {
        *planned.entry(&file.source).or_default() += 1;
    }
    let (mut files, mut folders) = (0, 0);
    for (source, item) in sources(&job.gathered).iter().zip(&job.gathered.items) {
        let is_skipped = source
            .ancestors()
            .any(|path| skipped.contains(&path.to_path_buf()));
        match item.kind {
            ItemKind::File { .. } => {
                files += usize::from(!is_skipped);
                let times = planned.get(source.as_path()).copied();
                assert_eq!(times, (!is_skipped).then_some(1), "{source:?}");
            }
            ItemKind::Folder(_) => folders += usize::from(!is_skipped),
            ItemKind::LeftOut(_) => assert!(is_skipped, "{source:?}"),
        }
    }
    assert_eq!((files, folders), (plan.files.len(), plan.folders.len()));
    let bytes: u64 = plan.files.iter().map(|file| file.size).sum();
    assert_eq!(plan.bytes, bytes);
}

/// Names that the stick can hold, no two of them one, each folder before what it holds.
fn targets_are_good(job: &Job, plan: &Plan) {
    let mut taken = BTreeSet::new();
    let mut folders: BTreeSet<&Path> = [Path::new("")].into();
    let files = plan.files.iter().map(|file| &file.target);
    for target in plan.folders.iter().chain(files) {
        assert!(taken.insert(job.stick.key(target)), "{target:?} twice");
        let (folder, name) = (target.parent().unwrap(), target.file_name().unwrap());
        assert!(folders.contains(folder), "{target:?} without its folder");
        let fault = job.facts.name_fault(name, folder == Path::new(""));
        assert_eq!(fault, None, "{target:?}");
        if plan.folders.contains(target) {
            folders.insert(target);
        }
    }
    let renamed: BTreeSet<_> = plan
        .renamed
        .iter()
        .map(|r| (&r.source, &r.target))
        .collect();
    for file in &plan.files {
        let is_renamed = renamed.contains(&(&file.source, &file.target));
        let is_same = job.stick.key(Path::new(file.source.file_name().unwrap()))
            == job.stick.key(Path::new(file.target.file_name().unwrap()));
        assert_eq!(is_renamed, !is_same, "{file:?}");
    }
}

fn nothing_is_overwritten_unasked(job: &Job, plan: &Plan) {
    let chosen = |path: &Path, wanted: Choice| {
        let of_path = plan.problems.iter().filter(|problem| problem.path == path);
        of_path.into_iter().any(|problem| problem.chosen == wanted)
    };
    for folder in &plan.folders {
        let there = job.stick.existing(folder);
        assert!(matches!(there, None | Some(Existing::Folder)), "{folder:?}");
    }
    for file in &plan.files {
        let is_deleted = plan.delete_first.contains(&file.target);
        match job.stick.existing(&file.target) {
            None => assert!(file.replaces == Replaces::Nothing && !is_deleted),
            Some(Existing::File { size, .. }) => {
                assert!(chosen(&file.source, Choice::Replace), "{file:?}");
                assert_eq!(is_deleted, file.replaces == Replaces::Nothing);
                assert!(!matches!(file.replaces, Replaces::IfDifferent(_)) || size == file.size);
            }
            other => panic!("{file:?} over {other:?}"),
        }
    }
    assert!(plan.delete_first.is_empty() || chosen(Path::new(""), Choice::DeleteFirst));
}

/// What a plan makes could be copied as it is to another such stick.
fn its_own_targets_are_no_trouble(job: &Job, plan: &Plan) {
    let mut tree = Tree::default();
    let mut folders = BTreeMap::new();
    let parent = |folders: &BTreeMap<PathBuf, usize>, target: &Path| {
        folders.get(target.parent().unwrap()).copied()
    };
    for target in &plan.folders {
        let folder = tree.folder(parent(&folders, target), target.file_name().unwrap());
        folders.insert(target.clone(), folder);
    }
    for file in &plan.files {
        let name = file.target.file_name().unwrap();
        tree.file(parent(&folders, &file.target), name, file.size);
    }
    let facts = TargetFacts {
        free: u64::MAX,
        root_names: None,
        ..job.facts.clone()
    };
    let empty = Stick::new(job.facts.file_system);
    let again = super::plan(&tree.gathered, &facts, &empty, &Choices::default());
    let real = again.problems.iter();
    let mut real = real.filter(|problem| problem.kind != ProblemKind::NothingToCopy);
    assert_eq!(real.next(), None);
    assert!(again.renamed.is_empty());
}

/// The choice that was followed is one of those offered, and the first that was wished.
fn problems_are_answered(job: &Job, plan: &Plan) {
    let mut asked = HashSet::new();
    for problem in &plan.problems {
        assert!(problem.choices.contains(&problem.chosen), "{problem:?}");
        assert!(
            asked.insert((problem.kind, &problem.path)),
            "{problem:?} twice"
        );
        let wished = job.choices.kinds.get(&problem.kind);
        let mut wished = wished.into_iter().chain(&job.choices.all);
        let first = wished.find(|choice| problem.choices.contains(choice));
        assert_eq!(problem.chosen, first.copied().unwrap_or(Choice::Stop));
    }
}

/// Copies it in whole clusters, and counts.
fn it_fits_as_told(job: &Job, plan: &Plan) {
    if !job.facts.file_system.is_fat() && job.facts.file_system != FileSystem::ExFat {
        return;
    }
    let mut disk = Disk {
        job,
        folders: BTreeMap::new(),
        used: 0,
        peak: 0,
    };
    for old in &plan.delete_first {
        let Some(Existing::File { size, .. }) = job.stick.existing(old) else {
            panic!("{old:?} is no file")
        };
        disk.used -= disk.clusters(size);
    }
    let is_new = |path: &Path| job.stick.existing(path).is_none();
    let new_folders: Vec<_> = plan.folders.iter().filter(|path| is_new(path)).collect();
    for folder in &new_folders {
        disk.make_folder(folder);
    }
    disk.make_folder(Path::new(".steady-parts"));
    for (index, file) in plan.files.iter().enumerate() {
        if !matches!(file.replaces, Replaces::IfDifferent(_)) {
            disk.used += disk.clusters(file.size);
        }
        disk.name(Path::new(&format!(".steady-parts/{index}.part")));
    }
    // No old file gives way before the last is named.
    for file in plan.files.iter().filter(|file| is_new(&file.target)) {
        disk.name(&file.target);
    }
    let told = (plan.space / job.facts.cluster).cast_signed();
    assert!(disk.peak <= told, "{told} told, {} needed", disk.peak);
    // Folders that are there are counted as full, old files as many as their temporary names.
    let slack = (2 + plan.folders.len() + plan.files.len() / 4) as u64;
    assert!(
        told <= disk.peak + slack.cast_signed(),
        "{told} told, {} needed",
        disk.peak
    );
    assert!(plan.must_stop() || plan.space <= job.facts.free);
}

/// A stick that counts its clusters.
struct Disk<'a> {
    job: &'a Job,
    /// Bytes of the new names in each folder, and the clusters that they have.
    folders: BTreeMap<PathBuf, (u64, i64)>,
    used: i64,
    peak: i64,
}

impl Disk<'_> {
    fn clusters(&self, bytes: u64) -> i64 {
        bytes.div_ceil(self.job.facts.cluster).cast_signed()
    }

    fn make_folder(&mut self, path: &Path) {
        self.name(path);
        let bytes = self.job.facts.file_system.empty_folder();
        self.folders.insert(path.to_path_buf(), (bytes, 1));
        self.used += 1;
    }

    /// A folder that is there already is full to the brim.
    fn name(&mut self, path: &Path) {
        let folder = path.parent().unwrap();
        let (bytes, had) = self.folders.get(folder).copied().unwrap_or_default();
        let size = self
            .job
            .facts
            .file_system
            .entry_size(path.file_name().unwrap());
        let now = self.clusters(bytes + size).max(had);
        self.folders.insert(folder.into(), (bytes + size, now));
        self.used += now - had;
        self.peak = self.peak.max(self.used);
    }
}
