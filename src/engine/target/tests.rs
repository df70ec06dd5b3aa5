//! The whole way on a real folder.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use super::{Folder, ReadBack, Target};
use crate::engine::copy::{Options, StopReason, parts, write};
use crate::engine::plan::{Choices, FileId, Replaces, gather, plan};
use crate::engine::testing::Sources;
use crate::engine::verify::read_back;
use crate::engine::{Error, ErrorKind, Meter, Operation};

#[test]
fn files_arrive_and_read_back_equal() {
    let sizes = [
        0, 1, 511, 512, 513, 4095, 4096, 4097, 1_048_575, 1_048_576, 1_048_577, 9_000_001,
    ];
    let names = sizes.map(|size| format!("d{}/{size}", size % 2));
    let files: Vec<_> = names.iter().map(String::as_str).zip(sizes).collect();
    let sources = Sources::new(&files);
    let stick = tempfile::tempdir().unwrap();
    let folder = Folder::open(stick.path()).unwrap();
    let facts = folder.facts().unwrap();
    assert!(facts.free > 0 && facts.cluster >= 512);
    let gathered = gather(&[sources.root()]);
    let plan = plan(&gathered, &facts, &folder, &Choices::default());

    let meter = Meter::default();
    let written = write(&plan, &folder, &Options::default(), &meter).unwrap();
    assert_eq!(written.files.len(), sizes.len());
    assert!(!stick.path().join(parts::FOLDER).exists());
    for file in &plan.files {
        assert!(fs::read(stick.path().join(&file.target)).unwrap() == sources.read(&file.target));
        let time = |path: &Path| fs::metadata(path).unwrap().mtime();
        assert_eq!(time(&stick.path().join(&file.target)), time(&file.source));
    }
    let checked = read_back(&written.files, &folder, &meter).unwrap();
    assert_eq!(
        (checked.files, checked.mismatches.len()),
        (sizes.len() as u64, 0)
    );
    assert_eq!(meter.totals().checked, plan.bytes);

    let bad = &written
        .files
        .iter()
        .find(|file| file.size == 4097)
        .unwrap()
        .target;
    let mut bytes = sources.read(bad);
    bytes[4096] ^= 1;
    fs::write(stick.path().join(bad), bytes).unwrap();
    let shorter = &written
        .files
        .iter()
        .find(|file| file.size == 513)
        .unwrap()
        .target;
    fs::write(stick.path().join(shorter), b"x").unwrap();
    let checked = read_back(&written.files, &folder, &meter).unwrap();
    let mut told: Vec<_> = checked.mismatches.iter().map(|bad| &bad.target).collect();
    told.sort();
    let mut wanted = [bad, shorter];
    wanted.sort();
    assert_eq!(told, wanted);
    assert!(!checked.is_verified());
}

#[test]
fn a_name_is_never_taken_from_another_file() {
    let stick = tempfile::tempdir().unwrap();
    let folder = Folder::open(stick.path()).unwrap();
    fs::write(stick.path().join("mine"), "mine").unwrap();
    fs::write(stick.path().join("part"), "new").unwrap();
    let error = folder
        .rename(Path::new("part"), Path::new("mine"))
        .unwrap_err();
    assert_eq!(
        Error::new(Operation::Rename, Path::new("mine"), error).kind(),
        ErrorKind::NameClash
    );
    assert_eq!(fs::read(stick.path().join("mine")).unwrap(), b"mine");
    assert!(folder.make_folder(Path::new("mine")).is_err());
    assert!(folder.create(Path::new("mine"), 5).is_err());
    assert_eq!(fs::read(stick.path().join("mine")).unwrap(), b"mine");
}

/// The stick names what it likes to: a link that stands where a folder is wanted, even if it was put
/// there after the plan was made, is never followed.
#[test]
fn nothing_is_written_listed_or_removed_behind_a_link() {
    let around = tempfile::tempdir().unwrap();
    let (home, stick) = (around.path().join("home"), around.path().join("stick"));
    fs::create_dir(&home).unwrap();
    fs::create_dir(&stick).unwrap();
    fs::write(home.join("letter"), "mine").unwrap();
    symlink(&home, stick.join("job")).unwrap();
    symlink(home.join("letter"), stick.join("letter")).unwrap();
    let folder = Folder::open(&stick).unwrap();

    let sources = Sources::new(&[("a", 5)]);
    let written = write(
        &sources.plan(),
        &folder,
        &Options::default(),
        &Meter::default(),
    );
    let complete = written.map(|written| written.on_stick.complete);
    assert!(complete.is_err() || complete.is_ok_and(|files| files.is_empty()));
    let [inside, other] = ["job/letter", "job/other"].map(Path::new);
    assert_eq!(folder.existing(inside), None);
    assert!(folder.create(other, 0).is_err() && folder.make_folder(other).is_err());
    fs::write(stick.join("new"), "theirs").unwrap();
    assert!(folder.rename(Path::new("new"), other).is_err());
    assert!(folder.replace(Path::new("new"), inside).is_err());
    assert!(folder.remove(inside).is_err() && folder.pin(inside).is_err());
    assert!(folder.list(Path::new("job"), &mut |_, _| ()).is_err());
    for link in ["letter", "job/letter"] {
        assert!(folder.open_read_back(Path::new(link)).is_err());
    }
    assert_eq!(fs::read(home.join("letter")).unwrap(), b"mine");
    assert_eq!(fs::read_dir(&home).unwrap().count(), 1);
}

#[test]
fn f10_dates_never_make_a_copy_fail() {
    let stick = tempfile::tempdir().unwrap();
    let folder = Folder::open(stick.path()).unwrap();
    for (name, seconds) in [("1970", 0), ("2200", 7_258_118_400), ("odd", 1_000_000_001)] {
        let file = folder.create(Path::new(name), 0).unwrap();
        folder.set_modified(&file, UNIX_EPOCH + Duration::from_secs(seconds));
        folder.close(vec![file]).unwrap();
    }
    let file = folder.create(Path::new("before"), 0).unwrap();
    folder.set_modified(&file, UNIX_EPOCH - Duration::from_secs(u64::from(u32::MAX)));
    folder.close(vec![file]).unwrap();
    let odd = fs::metadata(stick.path().join("odd")).unwrap();
    assert_eq!(odd.mtime(), 1_000_000_001);
}

#[test]
fn k07_the_next_start_clears_what_a_crash_has_left() {
    let stick = tempfile::tempdir().unwrap();
    let parts = stick.path().join(parts::FOLDER);
    fs::create_dir(&parts).unwrap();
    fs::write(parts.join("0.part"), "half").unwrap();
    fs::write(parts.join("7.part"), "half").unwrap();
    let sources = Sources::new(&[("a", 5)]);
    let folder = Folder::open(stick.path()).unwrap();
    write(
        &sources.plan(),
        &folder,
        &Options::default(),
        &Meter::default(),
    )
    .unwrap();
    assert!(!parts.exists());
    assert_eq!(fs::read(stick.path().join("job/a")).unwrap().len(), 5);
}

#[test]
fn two_jobs_do_not_share_temporary_names() {
    let stick = tempfile::tempdir().unwrap();
    let (one, two) = (
        Folder::open(stick.path()).unwrap(),
        Folder::open(stick.path()).unwrap(),
    );
    let parts = Path::new(parts::FOLDER);
    one.take_parts_folder(parts).unwrap();
    let error = two.take_parts_folder(parts).unwrap_err();
    assert_eq!(
        Error::new(Operation::MakeFolder, parts, error).kind(),
        ErrorKind::Busy
    );
    one.remove_folder(parts).unwrap();
    two.take_parts_folder(parts).unwrap();
}

#[test]
fn many_files_are_closed_together() {
    let stick = tempfile::tempdir().unwrap();
    let folder = Folder::open(stick.path()).unwrap();
    let create = |number: i32| folder.create(Path::new(&number.to_string()), 0).unwrap();
    folder.close((0..50).map(create).collect()).unwrap();
    folder.close(Vec::new()).unwrap();
    assert_eq!(fs::read_dir(stick.path()).unwrap().count(), 50);
}

#[test]
fn reserved_space_does_not_lengthen_a_file() {
    let stick = tempfile::tempdir().unwrap();
    let folder = Folder::open(stick.path()).unwrap();
    let file = folder.create(Path::new("a"), 8 << 20).unwrap();
    folder.write_at(&file, 0, &[1; 1000]).unwrap();
    folder.start_write_out(&file, 0, 1000).unwrap();
    folder.wait_write_out(&file, 0, 1000).unwrap();
    folder.close(vec![file]).unwrap();
    assert_eq!(fs::metadata(stick.path().join("a")).unwrap().len(), 1000);
    let mut reader = folder.open_read_back(Path::new("a")).unwrap();
    assert_eq!(reader.next().unwrap(), [1; 1000]);
    assert!(reader.next().unwrap().is_empty());
}

#[test]
fn a_folder_that_is_there_is_not_gone() {
    let stick = tempfile::tempdir().unwrap();
    let folder = Folder::open(stick.path()).unwrap();
    assert!(!folder.is_gone());
    assert_eq!(
        folder.facts().unwrap().root,
        Some(FileId::from(&fs::metadata(stick.path()).unwrap()))
    );
    let error = Folder::open(&stick.path().join("nowhere")).unwrap_err();
    assert_eq!(error.operation, Operation::OpenTarget);
}

#[test]
fn a_job_that_comes_second_leaves_the_first_ones_files_alone() {
    let stick = tempfile::tempdir().unwrap();
    let (one, two) = (
        Folder::open(stick.path()).unwrap(),
        Folder::open(stick.path()).unwrap(),
    );
    one.take_parts_folder(Path::new(parts::FOLDER)).unwrap();
    let sources = Sources::new(&[("a", 5)]);
    let stopped = write(
        &sources.plan(),
        &two,
        &Options::default(),
        &Meter::default(),
    );
    let StopReason::Target(error) = stopped.unwrap_err().reason else {
        panic!("it is busy");
    };
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert!(stick.path().join(parts::FOLDER).exists());
}

#[test]
fn an_old_file_gives_way_and_can_be_held() {
    let stick = tempfile::tempdir().unwrap();
    let folder = Folder::open(stick.path()).unwrap();
    fs::create_dir(stick.path().join("job")).unwrap();
    fs::write(stick.path().join("job/a"), "old").unwrap();
    fs::write(stick.path().join("job/b"), "old").unwrap();
    let sources = Sources::new(&[("a", 5), ("b", 6)]);
    let mut plan = sources.plan();
    for file in &mut plan.files {
        file.replaces = Replaces::Old(folder.existing(&file.target).unwrap());
    }
    fs::write(stick.path().join("job/b"), "older").unwrap();
    let (held, _) = folder.pin(Path::new("job/a")).unwrap();
    let written = write(&plan, &folder, &Options::default(), &Meter::default()).unwrap();
    assert_eq!(written.on_stick.complete, [Path::new("job/a")]);
    assert_eq!(written.failed[0].error.kind(), ErrorKind::NameClash);
    assert_eq!(fs::read(stick.path().join("job/b")).unwrap(), b"older");
    assert!(fs::read(stick.path().join("job/a")).unwrap() == sources.read(Path::new("job/a")));
    let stat = rustix::fs::fstat(&held).unwrap();
    assert_eq!((stat.st_nlink, stat.st_size), (0, 3), "its space is kept");
}

#[test]
fn k07_a_left_over_that_looks_like_a_file_stays() {
    let stick = tempfile::tempdir().unwrap();
    let parts = stick.path().join(parts::FOLDER);
    fs::create_dir(&parts).unwrap();
    fs::create_dir(stick.path().join("films")).unwrap();
    fs::write(stick.path().join("films/film"), "film").unwrap();
    let film = fs::metadata(stick.path().join("films/film")).unwrap();
    for name in ["0.part", "1.part"] {
        fs::write(parts.join(name), "film").unwrap();
    }
    let twin = fs::File::open(parts.join("1.part")).unwrap();
    twin.set_modified(film.modified().unwrap()).unwrap();
    let other = fs::File::open(parts.join("0.part")).unwrap();
    other.set_modified(UNIX_EPOCH).unwrap();

    let sources = Sources::new(&[("a", 5), ("b", 6)]);
    let folder = Folder::open(stick.path()).unwrap();
    let copy = |options| write(&sources.plan(), &folder, &options, &Meter::default());
    let written = copy(Options::default()).unwrap();
    assert_eq!(written.on_stick.left_over, [parts::part(1)]);
    let left: Vec<_> = fs::read_dir(&parts)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["1.part"]);
    assert_eq!(fs::read(stick.path().join("job/b")).unwrap().len(), 6);
    copy(Options {
        sound: true,
        ..Options::default()
    })
    .unwrap();
    assert!(!parts.exists());
}
