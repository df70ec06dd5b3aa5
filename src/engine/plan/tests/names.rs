use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::{
    Choice, Choices, FileSystem, ProblemKind, Stick, TargetFacts, facts, gathered, plan, planned,
    problems, renamed, targets, tree,
};

#[test]
fn f03_forbidden_names_of_files_and_folders_are_told_and_the_rest_goes() {
    let folder = tree(&["a?b.txt", "x:y/ok.txt", "tab\tname", "fine.txt", "sub/fine"]);
    let gathered = gathered(&folder);
    for file_system in [FileSystem::Fat16, FileSystem::Fat32, FileSystem::ExFat] {
        let plan = planned(&gathered, file_system, Choice::Skip);
        let names: Vec<_> = problems(&plan).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["a?b.txt", "tab\tname", "x:y"]);
        assert!(
            plan.problems
                .iter()
                .all(|p| p.kind == ProblemKind::NameForbidden)
        );
        assert_eq!(targets(&plan), ["demo/fine.txt", "demo/sub/fine"]);
        assert_eq!(plan.folders, [Path::new("demo"), Path::new("demo/sub")]);
    }
    let plan = planned(&gathered, FileSystem::Other, Choice::Stop);
    assert_eq!((plan.problems.len(), plan.files.len()), (0, 5));
}

#[test]
fn f07_devices_names_for_windows_are_told() {
    let folder = tree(&["aux.c", "con", "console.txt"]);
    let plan = planned(&gathered(&folder), FileSystem::ExFat, Choice::Skip);
    assert_eq!(
        problems(&plan),
        [
            ("aux.c".to_owned(), ProblemKind::NameReserved),
            ("con".to_owned(), ProblemKind::NameReserved)
        ]
    );
    assert_eq!(targets(&plan), ["demo/console.txt"]);
}

#[test]
fn f08_bytes_that_are_no_text_are_told_and_both_spellings_stay() {
    let folder = tree(&["caf\u{e9}", "cafe\u{301}"]);
    fs::write(
        folder
            .path()
            .join("demo")
            .join(OsStr::from_bytes(b"caf\xe9.txt")),
        "x",
    )
    .unwrap();
    let gathered = gathered(&folder);
    let plan = planned(&gathered, FileSystem::Fat32, Choice::Skip);
    let [problem] = plan.problems.as_slice() else {
        panic!("{:?}", plan.problems)
    };
    assert_eq!(problem.kind, ProblemKind::NameNotUtf8);
    assert_eq!(targets(&plan), ["demo/cafe\u{301}", "demo/caf\u{e9}"]);
    assert!(
        planned(&gathered, FileSystem::Other, Choice::Stop)
            .problems
            .is_empty()
    );
}

#[test]
fn f03_renamed_files_and_folders_arrive_and_are_listed() {
    let folder = tree(&["a?b.txt", "x:y/ok.txt", "x:y/no?", "tab\tname"]);
    let gathered = gathered(&folder);
    for file_system in [
        FileSystem::Fat16,
        FileSystem::Fat32,
        FileSystem::ExFat,
        FileSystem::Ntfs,
    ] {
        let plan = planned(&gathered, file_system, Choice::Rename);
        assert!(!plan.must_stop() && plan.skipped.is_empty());
        assert_eq!(
            targets(&plan),
            [
                "demo/a_b.txt",
                "demo/tab_name",
                "demo/x_y/no_",
                "demo/x_y/ok.txt"
            ]
        );
        assert_eq!(
            renamed(&plan),
            [
                ("a?b.txt".to_owned(), "demo/a_b.txt"),
                ("tab\tname".to_owned(), "demo/tab_name"),
                ("x:y".to_owned(), "demo/x_y"),
                ("no?".to_owned(), "demo/x_y/no_")
            ]
        );
        for file in &plan.files {
            assert!(file.source.exists());
        }
    }
}

#[test]
fn f07_devices_names_can_be_kept_apart_from_their_marked_forms() {
    let folder = tree(&["aux.c", "_aux.c", "con", "nul.txt"]);
    let plan = planned(&gathered(&folder), FileSystem::ExFat, Choice::Rename);
    assert_eq!(
        targets(&plan),
        [
            "demo/_aux (2).c",
            "demo/_aux.c",
            "demo/_con",
            "demo/_nul.txt"
        ]
    );
}

#[test]
fn f07_the_folder_for_temporary_names_is_not_a_sources() {
    let folder = tempfile::tempdir().unwrap();
    let ours = folder.path().join(".Steady-Parts");
    fs::create_dir(&ours).unwrap();
    fs::write(ours.join("file"), "x").unwrap();
    let gathered = super::gather(&[ours]);
    for file_system in [FileSystem::Fat32, FileSystem::Ext4] {
        let plan = planned(&gathered, file_system, Choice::Rename);
        assert_eq!(plan.problems[0].kind, ProblemKind::NameReserved);
        assert_eq!(targets(&plan), ["_.Steady-Parts/file"]);
    }
}

#[test]
fn f08_a_mount_without_utf_8_is_named_as_the_cause() {
    let folder = tree(&["plain", "café", "cafe"]);
    let facts = TargetFacts {
        charset: Some("ascii".to_owned()),
        ..facts(FileSystem::Fat32)
    };
    let stick = Stick::new(FileSystem::Fat32);
    let plan_with = |choice| plan(&gathered(&folder), &facts, &stick, &Choices::all(choice));
    let skip = plan_with(Choice::Skip);
    assert_eq!(
        problems(&skip),
        [("café".to_owned(), ProblemKind::NameCharset)]
    );
    assert_eq!(skip.problems[0].detail.as_deref(), Some("ascii"));
    assert_eq!(targets(&skip), ["demo/cafe", "demo/plain"]);
    let rename = plan_with(Choice::Rename);
    assert_eq!(targets(&rename), ["demo/caf_", "demo/cafe", "demo/plain"]);
}
