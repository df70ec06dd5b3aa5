//! Cases of people who do this job, against real folders and injected targets.

mod clashes;
mod names;
mod properties;
mod sources;
mod space;
mod stick;
mod trees;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Choice, Choices, FileSystem, Gathered, Plan, ProblemKind, TargetFacts, gather, plan};
use stick::Stick;

fn facts(file_system: FileSystem) -> TargetFacts {
    TargetFacts::fresh(file_system, 1 << 40, 4096)
}

/// A folder `demo` with these files.
fn tree(files: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in files {
        let path = folder.path().join("demo").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, name).unwrap();
    }
    folder
}

fn gathered(folder: &TempDir) -> Gathered {
    gather(&[folder.path().join("demo")])
}

/// For an empty stick.
fn planned(gathered: &Gathered, file_system: FileSystem, choice: Choice) -> Plan {
    planned_onto(gathered, &Stick::new(file_system), choice)
}

fn planned_onto(gathered: &Gathered, stick: &Stick, choice: Choice) -> Plan {
    let facts = facts(stick.file_system);
    plan(gathered, &facts, stick, &Choices::all(choice))
}

/// Kinds and names of the problems, sorted by name.
fn problems(plan: &Plan) -> Vec<(String, ProblemKind)> {
    let name = |path: &Path| {
        path.file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let mut problems: Vec<_> = plan
        .problems
        .iter()
        .map(|problem| (name(&problem.path), problem.kind))
        .collect();
    problems.sort_by(|a, b| a.0.cmp(&b.0));
    problems
}

fn targets(plan: &Plan) -> Vec<&str> {
    plan.files
        .iter()
        .map(|file| file.target.to_str().unwrap())
        .collect()
}

/// Names of sources and what became of them.
fn renamed(plan: &Plan) -> Vec<(String, &str)> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
    plan.renamed
        .iter()
        .map(|renamed| (name(&renamed.source), renamed.target.to_str().unwrap()))
        .collect()
}
