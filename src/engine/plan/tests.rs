//! Cases of people who do this job, against real folders and injected targets.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use crate::engine::target::Folder;

use super::{
    Choice, Choices, Existing, FileId, FileSystem, Gathered, Plan, ProblemKind, TargetFacts,
    gather, plan,
};

/// A file that is there, unlike any source.
const FILE: Existing = Existing::File {
    size: u64::MAX,
    modified: None,
};

fn facts(file_system: FileSystem) -> TargetFacts {
    TargetFacts::fresh(file_system, 1 << 40, 4096)
}

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

fn planned(gathered: &Gathered, file_system: FileSystem, choice: Choice) -> Plan {
    plan(
        gathered,
        &facts(file_system),
        &|_: &Path| None,
        &Choices::all(choice),
    )
}

/// Kinds and names of the problems, sorted.
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
    assert!(
        planned(&gathered, FileSystem::Other, Choice::Stop)
            .problems
            .is_empty()
    );
}

#[test]
fn f05_what_is_on_the_stick_is_never_overwritten() {
    let folder = tree(&["there", "new", "sub/file"]);
    let gathered = gathered(&folder);
    let existing = |path: &Path| match path.to_str() {
        Some("demo" | "demo/sub") => Some(Existing::Folder),
        Some("demo/there") => Some(FILE),
        _ => None,
    };
    let merged = plan(
        &gathered,
        &facts(FileSystem::Fat32),
        &existing,
        &Choices::all(Choice::Skip),
    );
    assert_eq!(
        problems(&merged),
        [("there".to_owned(), ProblemKind::NameClash)]
    );
    assert_eq!(targets(&merged), ["demo/new", "demo/sub/file"]);
    let file = |path: &Path| match path.to_str() {
        Some("demo") => Some(Existing::Folder),
        Some("demo/sub") => Some(FILE),
        _ => None,
    };
    let no_folder = plan(
        &gathered,
        &facts(FileSystem::Fat32),
        &file,
        &Choices::all(Choice::Skip),
    );
    assert_eq!(targets(&no_folder), ["demo/new", "demo/there"]);
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
fn long_names_are_measured_as_the_file_system_does() {
    let folder = tree(&[&"x".repeat(255), &"é".repeat(127)]);
    for file_system in [FileSystem::Fat32, FileSystem::ExFat, FileSystem::Other] {
        assert!(
            planned(&gathered(&folder), file_system, Choice::Stop)
                .problems
                .is_empty()
        );
    }
    let long = "é".repeat(128);
    assert_eq!(
        FileSystem::Ext4.name_fault(OsStr::new(&long)),
        Some(ProblemKind::NameTooLong)
    );
    assert_eq!(FileSystem::Fat32.name_fault(OsStr::new(&long)), None);
    let long = "x".repeat(256);
    assert_eq!(
        FileSystem::Fat32.name_fault(OsStr::new(&long)),
        Some(ProblemKind::NameTooLong)
    );
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
        &|_: &Path| None,
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
        &|_: &Path| None,
        &Choices::all(Choice::Stop),
    );
    assert!(coarse.space >= 111 * 32768);
}

#[test]
fn k02_links_in_folders_are_told_and_never_followed() {
    let folder = tree(&["ok.txt"]);
    let outside = tree(&["outside"]);
    let demo = folder.path().join("demo");
    symlink("ok.txt", demo.join("link")).unwrap();
    symlink("nowhere", demo.join("dangling")).unwrap();
    symlink("..", demo.join("up")).unwrap();
    symlink(outside.path(), demo.join("out")).unwrap();
    let plan = planned(&gathered(&folder), FileSystem::Fat32, Choice::Skip);
    let names: Vec<_> = problems(&plan).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["dangling", "link", "out", "up"]);
    assert!(
        plan.problems
            .iter()
            .all(|problem| problem.kind == ProblemKind::Link)
    );
    assert_eq!(targets(&plan), ["demo/ok.txt"]);
}

#[test]
fn k02_a_link_that_was_picked_is_followed() {
    let folder = tree(&["ok.txt"]);
    let link = folder.path().join("picked");
    symlink("demo", &link).unwrap();
    let plan = planned(&gather(&[link]), FileSystem::Fat32, Choice::Stop);
    assert_eq!(targets(&plan), ["picked/ok.txt"]);
}

#[test]
fn k03_pipes_sockets_and_devices_are_told_and_never_opened() {
    let folder = tree(&["normal"]);
    let demo = folder.path().join("demo");
    // Opened, it would block for ever.
    mknodat(
        CWD,
        demo.join("pipe"),
        FileType::Fifo,
        Mode::from_raw_mode(0o600),
        0,
    )
    .unwrap();
    let _socket = UnixListener::bind(demo.join("socket")).unwrap();
    symlink("/dev/zero", demo.join("zero")).unwrap();
    let sources = [demo.clone(), demo.join("pipe"), PathBuf::from("/dev/zero")];
    let plan = planned(&gather(&sources), FileSystem::Fat32, Choice::Skip);
    let special = |name: &str| (name.to_owned(), ProblemKind::SpecialFile);
    assert_eq!(
        problems(&plan),
        [
            special("pipe"),
            special("pipe"),
            special("socket"),
            special("zero"),
            ("zero".to_owned(), ProblemKind::Link)
        ]
    );
    assert_eq!(targets(&plan), ["demo/normal"]);
}

#[test]
fn k04_a_folder_is_not_copied_into_itself() {
    let folder = tree(&["child/file", "file"]);
    let demo = folder.path().join("demo");
    let link = folder.path().join("link");
    symlink("demo", &link).unwrap();
    let id = |path: &Path| Some(FileId::from(&fs::metadata(path).unwrap()));
    for (source, root) in [
        (&demo, demo.join("child")),
        (&link, demo.join("child")),
        (&demo, demo.clone()),
    ] {
        let target = TargetFacts {
            root: id(&root),
            ..facts(FileSystem::Other)
        };
        let plan = plan(
            &gather(std::slice::from_ref(source)),
            &target,
            &|_: &Path| None,
            &Choices::default(),
        );
        assert!(plan.must_stop() && plan.files.is_empty());
        assert_eq!(
            plan.problems[0].kind,
            ProblemKind::IntoItself,
            "{source:?} into {root:?}"
        );
        assert_eq!(&plan.problems[0].path, source);
    }
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
fn nothing_to_copy_always_stops() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("demo/empty")).unwrap();
    for gathered in [gathered(&folder), gather(&[])] {
        let plan = planned(&gathered, FileSystem::Fat32, Choice::Skip);
        assert!(plan.must_stop());
        assert_eq!(
            problems(&plan),
            [(String::new(), ProblemKind::NothingToCopy)]
        );
    }
}

#[test]
fn sources_that_are_gone_or_cannot_be_read_are_told() {
    let folder = tree(&["here"]);
    let demo = folder.path().join("demo");
    symlink("loop", demo.join("loop")).unwrap();
    let sources = [demo.join("here"), demo.join("gone"), demo.join("loop")];
    let plan = planned(&gather(&sources), FileSystem::Fat32, Choice::Skip);
    assert_eq!(
        problems(&plan),
        [
            ("gone".to_owned(), ProblemKind::SourceGone),
            ("loop".to_owned(), ProblemKind::Unreadable)
        ]
    );
    assert_eq!(targets(&plan), ["here"]);
}

#[test]
fn only_what_was_skipped_is_left_out() {
    let folder = tree(&["only?"]);
    let gathered = gathered(&folder);
    let stop = planned(&gathered, FileSystem::Fat32, Choice::Stop);
    assert_eq!(
        problems(&stop),
        [("only?".to_owned(), ProblemKind::NameForbidden)]
    );
    let skip = planned(&gathered, FileSystem::Fat32, Choice::Skip);
    assert!(skip.must_stop(), "nothing is left");
    assert_eq!(skip.problems[1].kind, ProblemKind::NothingToCopy);
}
