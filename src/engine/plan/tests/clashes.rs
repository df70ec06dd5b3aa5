use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{
    Choice, Choices, FileSystem, ProblemKind, Stick, TargetFacts, facts, gather, gathered, plan,
    planned, planned_onto, problems, renamed, targets, tree,
};
use crate::engine::plan::{Existing, Listing, Present, Replaces};
use crate::engine::target::Folder;

/// A stick with a file whose short name the kernel finds and no list holds.
struct Short(Stick);
impl Present for Short {
    fn existing(&self, path: &Path) -> Option<Existing> {
        let is_short = path == "demo/LONGNA~1.TXT";
        self.0.existing(if is_short {
            Path::new("demo/Long name.txt")
        } else {
            path
        })
    }
    fn list(&self, folder: &Path) -> Option<Listing> {
        self.0.list(folder)
    }
}

#[test]
fn f05_names_that_differ_only_by_case_are_never_one_file_unasked() {
    let folder = tree(&["README", "readme", "Foo/same", "foo/same", "foo/other"]);
    let gathered = gathered(&folder);
    let plan = planned(&gathered, FileSystem::Fat32, Choice::Skip);
    assert_eq!(
        problems(&plan),
        [
            ("foo".to_owned(), ProblemKind::NameClash),
            ("readme".to_owned(), ProblemKind::NameClash)
        ]
    );
    assert_eq!(targets(&plan), ["demo/Foo/same", "demo/README"]);
    let both = planned(&gathered, FileSystem::Fat32, Choice::KeepBoth);
    assert_eq!(
        targets(&both),
        [
            "demo/Foo/same",
            "demo/foo (2)/other",
            "demo/foo (2)/same",
            "demo/README",
            "demo/readme (2)"
        ]
    );
    assert_eq!(
        renamed(&both),
        [
            ("foo".to_owned(), "demo/foo (2)"),
            ("readme".to_owned(), "demo/readme (2)")
        ]
    );
    assert!(
        planned(&gathered, FileSystem::Fat32, Choice::Replace).must_stop(),
        "a source never replaces another"
    );
    assert!(
        planned(&gathered, FileSystem::Other, Choice::Stop)
            .problems
            .is_empty()
    );
}

#[test]
fn f05_what_is_on_the_stick_is_never_overwritten_unasked() {
    let folder = tree(&["there", "new", "sub/file"]);
    let gathered = gathered(&folder);
    let stick = Stick::new(FileSystem::Fat32)
        .with("demo", Existing::Folder)
        .with("demo/Sub", Existing::Folder)
        .with_file("demo/THERE");
    assert!(planned_onto(&gathered, &stick, Choice::Stop).must_stop());

    let skip = planned_onto(&gathered, &stick, Choice::Skip);
    let clash = [("there".to_owned(), ProblemKind::NameClash)];
    assert_eq!(problems(&skip), clash);
    assert_eq!(targets(&skip), ["demo/new", "demo/Sub/file"]);
    assert_eq!(skip.skipped, [folder.path().join("demo/there")]);

    let both = planned_onto(&gathered, &stick, Choice::KeepBoth);
    assert_eq!(
        targets(&both),
        ["demo/new", "demo/Sub/file", "demo/there (2)"]
    );
    assert!(
        both.files
            .iter()
            .all(|file| file.replaces == Replaces::Nothing)
    );

    let replace = planned_onto(&gathered, &stick, Choice::Replace);
    assert_eq!(problems(&replace), clash);
    assert_eq!(
        targets(&replace),
        ["demo/new", "demo/Sub/file", "demo/THERE"]
    );
    assert!(matches!(replace.files[2].replaces, Replaces::Old(_)));
    assert!(
        replace.renamed.is_empty(),
        "it keeps its spelling on the stick"
    );
}

#[test]
fn f05_only_a_file_gives_way_and_only_to_a_file() {
    let folder = tree(&["file", "folder/inside"]);
    let stick = Stick::new(FileSystem::ExFat)
        .with("demo", Existing::Folder)
        .with("demo/file", Existing::Folder)
        .with_file("demo/folder");
    let other = Stick::new(FileSystem::Ext4)
        .with("demo", Existing::Folder)
        .with("demo/file", Existing::Other)
        .with("demo/folder", Existing::Other);
    for stick in [stick, other] {
        let replace = planned_onto(&gathered(&folder), &stick, Choice::Replace);
        assert!(replace.must_stop() && replace.files.is_empty());
        assert!(replace.problems.iter().all(|p| p.choices == Choice::KEEP));
        let both = planned_onto(&gathered(&folder), &stick, Choice::KeepBoth);
        assert_eq!(targets(&both), ["demo/file (2)", "demo/folder (2)/inside"]);
    }
}

#[test]
fn f05_a_new_name_is_the_first_that_is_free() {
    let folder = tree(&["a.txt", "A.txt", "a (2).txt", "A (4).TXT", "b?", "b_", "c:"]);
    let stick = Stick::new(FileSystem::Fat32)
        .with("demo", Existing::Folder)
        .with_file("demo/A (3).txt")
        .with_file("demo/c_");
    for lists in [true, false] {
        let stick = Stick {
            lists,
            ..stick.clone()
        };
        let choices = Choices {
            all: vec![Choice::Rename, Choice::KeepBoth],
            ..Choices::default()
        };
        let facts = facts(stick.file_system);
        let plan = plan(&gathered(&folder), &facts, &stick, &choices);
        assert_eq!(
            renamed(&plan),
            [
                ("a.txt".to_owned(), "demo/a (5).txt"),
                ("b?".to_owned(), "demo/b_ (2)"),
                ("c:".to_owned(), "demo/c_ (2)")
            ]
        );
        let kept = targets(&plan);
        for name in ["A.txt", "a (2).txt", "A (4).TXT", "b_"] {
            assert!(kept.contains(&format!("demo/{name}").as_str()), "{name}");
        }
    }
}

#[test]
fn f05_a_short_name_on_the_stick_belongs_to_another_file() {
    let folder = tree(&["LONGNA~1.TXT", "other~1.txt"]);
    let stick = Stick::new(FileSystem::Fat32)
        .with("demo", Existing::Folder)
        .with_file("demo/Long name.txt");
    let facts = facts(stick.file_system);
    let replace = Choices::all(Choice::Replace);
    let plan = plan(&gathered(&folder), &facts, &Short(stick), &replace);
    assert_eq!(
        problems(&plan),
        [("LONGNA~1.TXT".to_owned(), ProblemKind::NameClash)]
    );
    assert_eq!(targets(&plan), ["demo/other~1.txt"]);
    assert_eq!(plan.problems[0].choices, Choice::KEEP);
}

#[test]
fn f10_what_is_there_already_is_compared_before_it_is_written_again() {
    let folder = tree(&["done", "older", "shorter", "what?"]);
    let gathered = gathered(&folder);
    let time = |name: &str| {
        let found = fs::metadata(folder.path().join("demo").join(name)).unwrap();
        found.modified().unwrap()
    };
    let hour = Duration::from_hours(1);
    let stick = Stick::new(FileSystem::Fat32)
        .with("demo", Existing::Folder)
        .with_old("demo/done", 4, Some(time("done") + 2 * hour))
        .with_old("demo/older", 5, Some(time("older") - 100 * hour))
        .with_old("demo/shorter", 3, Some(time("shorter")))
        .with_old("demo/what_", 5, Some(time("what?")));
    let choices = Choices {
        all: vec![Choice::Rename, Choice::Skip],
        kinds: [(ProblemKind::AlreadyThere, Choice::Replace)].into(),
        ..Choices::default()
    };
    let facts = facts(stick.file_system);
    let plan = plan(&gathered, &facts, &stick, &choices);
    let kinds: Vec<_> = problems(&plan).into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(
        kinds,
        [
            ProblemKind::AlreadyThere,
            ProblemKind::NameClash,
            ProblemKind::NameClash,
            ProblemKind::NameForbidden,
            ProblemKind::AlreadyThere
        ]
    );
    // Going on after a copy that gave new names finds what it has copied.
    assert_eq!(targets(&plan), ["demo/done", "demo/what_"]);
    assert!(
        plan.files
            .iter()
            .all(|file| matches!(file.replaces, Replaces::IfDifferent(_)))
    );
    assert!(
        plan.space < 4096 * 4,
        "equal files take no room: {}",
        plan.space
    );
    // Without a time nothing is taken for the same.
    let timeless = Stick::new(FileSystem::Fat32)
        .with("demo", Existing::Folder)
        .with_old("demo/done", 4, None);
    assert_eq!(
        problems(&planned_onto(&gathered, &timeless, Choice::Rename)),
        [
            ("done".to_owned(), ProblemKind::NameClash),
            ("what?".to_owned(), ProblemKind::NameForbidden)
        ]
    );
}

#[test]
fn f05_two_sources_of_one_name_are_told() {
    let (one, two) = (tree(&["a"]), tree(&["b"]));
    let sources = [
        one.path().join("demo"),
        two.path().join("demo"),
        one.path().join("demo"),
    ];
    let plan = planned(&gather(&sources), FileSystem::Other, Choice::Skip);
    assert_eq!(
        problems(&plan),
        [("demo".to_owned(), ProblemKind::NameClash)]
    );
    assert_eq!(targets(&plan), ["demo/a"]);
    let both = planned(&gather(&sources), FileSystem::Other, Choice::KeepBoth);
    assert_eq!(targets(&both), ["demo/a", "demo (2)/b"]);
}

#[test]
fn k04_a_folder_beside_itself_is_a_clash_that_replaces_nothing() {
    let folder = tree(&["a", "b/c"]);
    let target = Folder::open(&folder.path().join("demo")).unwrap();
    let facts = target.facts().unwrap();
    let other = tree(&["a"]);
    let sources = ["demo/a", "demo/b"].map(|name| folder.path().join(name));
    let gathered = gather(&sources);
    for (choice, folders, files) in [
        (Choice::Replace, &[][..], &[][..]),
        (Choice::KeepBoth, &["b (2)"], &["a (2)", "b (2)/c"]),
    ] {
        let plan = plan(&gathered, &facts, &target, &Choices::all(choice));
        assert_eq!(
            problems(&plan),
            [
                ("a".to_owned(), ProblemKind::NameClash),
                ("b".to_owned(), ProblemKind::NameClash)
            ]
        );
        assert_eq!(plan.must_stop(), choice == Choice::Replace);
        assert_eq!(
            plan.folders,
            folders.iter().map(PathBuf::from).collect::<Vec<_>>()
        );
        assert_eq!(targets(&plan), files);
    }
    let replace = Choices::all(Choice::Replace);
    let plan = plan(
        &gather(&[other.path().join("demo/a")]),
        &facts,
        &target,
        &replace,
    );
    assert_eq!(
        targets(&plan),
        ["a"],
        "another file of that name can be replaced"
    );
}

#[test]
fn k04_itself_is_known_where_the_folder_cannot_be_listed() {
    let folder = tree(&["a", "b/c"]);
    let target = Folder::open(&folder.path().join("demo")).unwrap();
    let facts = target.facts().unwrap();
    let gathered = gather(&["demo/a", "demo/b"].map(|name| folder.path().join(name)));
    let look_up = |path: &Path| target.existing(path);
    let plan = plan(&gathered, &facts, &look_up, &Choices::all(Choice::Replace));
    assert!(plan.must_stop() && plan.files.is_empty() && plan.folders.is_empty());
}

#[test]
fn k04_a_source_is_never_deleted_to_make_room() {
    let folder = tree(&["inner/file", "file"]);
    let demo = folder.path().join("demo");
    for (name, size) in [("file", 64 << 20), ("inner/file", 65 << 20)] {
        let file = fs::File::options().write(true).open(demo.join(name));
        file.unwrap().set_len(size).unwrap();
    }
    let target = Folder::open(&demo).unwrap();
    let facts = TargetFacts {
        free: 32 << 20,
        ..target.facts().unwrap()
    };
    let gathered = gather(&[demo.join("inner/file")]);
    let choices = Choices {
        all: vec![Choice::Replace, Choice::DeleteFirst],
        ..Choices::default()
    };
    let plan = plan(&gathered, &facts, &target, &choices);
    assert_eq!(targets(&plan), ["file"]);
    let space = plan.problems.last().unwrap();
    assert_eq!(
        (space.kind, space.choices),
        (ProblemKind::NotEnoughSpace, &[Choice::Stop][..])
    );
    assert!(plan.must_stop() && plan.delete_first.is_empty());
}

#[test]
fn f05_a_folder_kept_beside_others_is_merged_with_none() {
    let folder = tree(&["Foo/a", "foo/b"]);
    let stick = Stick::new(FileSystem::Fat32)
        .with("demo", Existing::Folder)
        .with("demo/FOO (2)", Existing::Folder);
    let plan = planned_onto(&gathered(&folder), &stick, Choice::KeepBoth);
    assert_eq!(targets(&plan), ["demo/Foo/a", "demo/foo (3)/b"]);
}

#[test]
fn p04_from_one_folder_of_a_stick_to_another_counts_in_full() {
    let files: Vec<String> = (0..9).map(|n| format!("{n}")).collect();
    let folder = tree(&files.iter().map(String::as_str).collect::<Vec<_>>());
    let stick = folder.path().join("other");
    fs::create_dir(&stick).unwrap();
    // Into a folder beside it, and out of a folder to the one above.
    for target in [&stick, &folder.path().to_path_buf()] {
        let target = Folder::open(target).unwrap();
        let sources = [folder.path().join("demo/1"), folder.path().join("demo/2")];
        let facts = target.facts().unwrap();
        let plan = plan(&gather(&sources), &facts, &target, &Choices::default());
        assert!(plan.problems.is_empty(), "{:?}", plan.problems);
        assert_eq!((targets(&plan), plan.bytes), (vec!["1", "2"], 2));
        assert!(plan.space >= 2 * facts.cluster);
    }
}
