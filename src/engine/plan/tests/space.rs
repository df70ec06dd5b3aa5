use std::fs::{self, File};
use std::path::Path;

use super::{
    Choice, Choices, FileSystem, ProblemKind, Stick, TargetFacts, facts, gathered, plan, planned,
    problems, targets, tree,
};
use crate::engine::plan::{Existing, Replaces};

#[test]
fn f01_a_file_over_4_gib_is_told_first_and_only_on_fat() {
    let folder = tree(&["small"]);
    let film = folder.path().join("demo/film");
    File::create(&film).unwrap().set_len(6 << 30).unwrap();
    let gathered = gathered(&folder);

    let stop = planned(&gathered, FileSystem::Fat32, Choice::Stop);
    assert!(stop.must_stop());
    let [problem] = stop.problems.as_slice() else {
        panic!("{:?}", stop.problems)
    };
    assert_eq!(
        (problem.kind, &problem.path),
        (ProblemKind::FileTooLarge, &film)
    );
    assert_eq!(
        (problem.size, problem.limit),
        (Some(6 << 30), Some(4_294_967_295))
    );
    assert_eq!(problem.choices, [Choice::Stop, Choice::Skip]);

    let skip = planned(&gathered, FileSystem::Fat32, Choice::Skip);
    assert!(!skip.must_stop());
    assert_eq!(targets(&skip), ["demo/small"]);
    assert_eq!(skip.skipped, [film]);

    let exfat = planned(&gathered, FileSystem::ExFat, Choice::Stop);
    assert!(exfat.problems.is_empty());
    assert_eq!(exfat.bytes, (6 << 30) + 5);
}

#[test]
fn f01_the_largest_file_fits_and_one_byte_more_does_not() {
    let folder = tree(&[]);
    fs::create_dir(folder.path().join("demo")).unwrap();
    let file = File::create(folder.path().join("demo/film")).unwrap();
    file.set_len(4_294_967_295).unwrap();
    assert!(
        planned(&gathered(&folder), FileSystem::Fat32, Choice::Stop)
            .problems
            .is_empty()
    );
    file.set_len(4_294_967_296).unwrap();
    assert!(planned(&gathered(&folder), FileSystem::Fat32, Choice::Stop).must_stop());
}

#[test]
fn s02_sparse_files_count_in_full() {
    let folder = tree(&["note"]);
    let disk = File::create(folder.path().join("demo/disk")).unwrap();
    disk.set_len(8 << 30).unwrap();
    let target = TargetFacts {
        free: 4 << 30,
        ..facts(FileSystem::ExFat)
    };
    let plan = plan(
        &gathered(&folder),
        &target,
        &Stick::new(FileSystem::Fat32),
        &Choices::all(Choice::Skip),
    );
    assert!(plan.must_stop(), "no choice makes it fit");
    let [problem] = plan.problems.as_slice() else {
        panic!("{:?}", plan.problems)
    };
    assert_eq!(problem.kind, ProblemKind::NotEnoughSpace);
    assert!(problem.size > Some(8 << 30) && problem.limit == Some(4 << 30));
}

#[test]
fn space_counts_clusters_of_files_folders_and_names() {
    let names: Vec<String> = (0..100).map(|n| format!("sub{}/{n}", n % 10)).collect();
    let folder = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let plan = planned(&gathered(&folder), FileSystem::Fat32, Choice::Stop);
    // 100 files, 11 folders; then what the names take.
    assert!(
        plan.space >= 111 * 4096 && plan.space <= 125 * 4096,
        "{}",
        plan.space
    );
    let target = TargetFacts {
        cluster: 32768,
        ..facts(FileSystem::Fat32)
    };
    let coarse = super::plan(
        &gathered(&folder),
        &target,
        &Stick::new(FileSystem::Fat32),
        &Choices::all(Choice::Stop),
    );
    assert!(coarse.space >= 111 * 32768);
}

#[test]
fn old_files_are_deleted_first_only_where_that_makes_the_difference() {
    let folder = tree(&["film", "note", "song"]);
    let size = |name: &str, bytes: u64| {
        let file = File::options()
            .write(true)
            .open(folder.path().join("demo").join(name));
        file.unwrap().set_len(bytes).unwrap();
    };
    size("film", 3 << 30);
    size("song", 1 << 20);
    let gathered = gathered(&folder);
    let stick = Stick::new(FileSystem::Fat32)
        .with("demo", Existing::Folder)
        .with_old("demo/Film", 2 << 30, None)
        .with_old("demo/song", 1 << 20, None);
    let plan_with = |free: u64, choices: &[Choice]| {
        let facts = TargetFacts {
            free,
            ..facts(FileSystem::Fat32)
        };
        let choices = Choices {
            all: choices.to_vec(),
            ..Choices::default()
        };
        plan(&gathered, &facts, &stick, &choices)
    };
    let both = [Choice::Replace, Choice::DeleteFirst];

    let roomy = plan_with(4 << 30, &both);
    assert!(!roomy.must_stop() && roomy.delete_first.is_empty());
    assert!(matches!(roomy.files[0].replaces, Replaces::Old(_)));

    let tight = plan_with(2 << 30, &both);
    assert!(!tight.must_stop());
    assert_eq!(
        tight.delete_first,
        [Path::new("demo/Film")],
        "the song can stand"
    );
    assert_eq!(targets(&tight), ["demo/Film", "demo/note", "demo/song"]);
    let replaced: Vec<_> = tight
        .files
        .iter()
        .map(|file| matches!(file.replaces, Replaces::Old(_)))
        .collect();
    assert_eq!(replaced, [false, false, true]);
    assert!(tight.space <= 2 << 30);

    let asked = plan_with(2 << 30, &[Choice::Replace]);
    assert!(asked.must_stop() && asked.delete_first.is_empty());
    assert_eq!(asked.problems.last().unwrap().choices, Choice::MAKE_ROOM);

    let hopeless = plan_with(1 << 29, &both);
    assert!(hopeless.must_stop() && hopeless.delete_first.is_empty());
    assert_eq!(hopeless.problems.last().unwrap().choices, [Choice::Stop]);
}

#[test]
fn what_a_full_folder_cannot_take_is_told() {
    let names: Vec<String> = (0..600).map(|n| format!("{n:03}")).collect();
    let folder = tree(&names.iter().map(String::as_str).collect::<Vec<_>>());
    fs::create_dir(folder.path().join("demo/zzz")).unwrap();
    fs::write(folder.path().join("demo/zzz/last"), "x").unwrap();
    let sources: Vec<_> = fs::read_dir(folder.path().join("demo"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    let gathered = super::gather(&sources);
    let facts = TargetFacts {
        root_names: Some(512 * 32),
        ..facts(FileSystem::Fat16)
    };
    let stick = Stick::new(FileSystem::Fat16).with_file("there");
    let plan = plan(&gathered, &facts, &stick, &Choices::all(Choice::Skip));
    // Two slots for each name, for ours and the one there; one for the stick's.
    let room = (512 - 1 - 2 - 2) / 2;
    assert_eq!(plan.folders, [Path::new("zzz")], "folders come first");
    assert_eq!(
        plan.files.len(),
        room,
        "the rest of them and one in the folder"
    );
    assert_eq!(
        problems(&plan)[0],
        ("252".to_owned(), ProblemKind::FolderFull)
    );
    assert_eq!(plan.problems.len(), 600 - (room - 1));
}

#[test]
fn a_fat_folder_holds_65536_slots() {
    let long = "n".repeat(240);
    let mut tree = super::trees::Tree::default();
    let folder = tree.folder(None, "demo");
    for number in 0..3500 {
        tree.file(Some(folder), format!("{long}{number:04}"), 1);
    }
    // 20 slots each.
    let fits = (65_536 - 2) / 20;
    let plan = planned(&tree.gathered, FileSystem::Fat32, Choice::Skip);
    assert_eq!(plan.files.len(), fits);
    assert!(
        problems(&plan)
            .iter()
            .all(|(_, kind)| *kind == ProblemKind::FolderFull)
    );
    for file_system in [FileSystem::ExFat, FileSystem::Ext4] {
        let plan = planned(&tree.gathered, file_system, Choice::Skip);
        assert_eq!(plan.files.len(), 3500);
    }
}
