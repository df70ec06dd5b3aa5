use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::{
    Choice, Choices, FileSystem, ProblemKind, TargetFacts, facts, gather, gathered, plan, planned,
    problems, targets, tree,
};
use crate::engine::plan::{FileId, Gathering, gather_with};

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

#[test]
fn gathering_tells_how_far_it_is_and_can_be_cancelled() {
    let folder = tree(&["a", "sub/bcd"]);
    let sources = [folder.path().join("demo")];
    let gathering = Gathering::default();
    assert!(gather_with(&sources, &gathering).is_some());
    assert_eq!((gathering.items(), gathering.bytes()), (4, 8));
    gathering.cancel();
    assert_eq!(gather_with(&sources, &gathering), None);
}

#[test]
fn what_lies_in_a_folder_that_is_left_out_is_no_problem() {
    let folder = tree(&["what?/aux.c", "fine"]);
    symlink("fine", folder.path().join("demo/what?/link")).unwrap();
    let plan = planned(&gathered(&folder), FileSystem::Fat32, Choice::Skip);
    assert_eq!(
        problems(&plan),
        [("what?".to_owned(), ProblemKind::NameForbidden)]
    );
    assert_eq!(plan.skipped, [folder.path().join("demo/what?")]);
}
