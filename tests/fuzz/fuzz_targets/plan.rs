//! Any tree of names is planned for any stick: no file is lost without a word, none is overwritten
//! unasked, and every path is one that the stick can hold, below its top.
//!
//! Input: a line with the file system and the wishes, then a path a line; `=` in front of it says
//! that it is on the stick already.

#![no_main]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use libfuzzer_sys::fuzz_target;
use steady::engine::plan::{
    Choice, Choices, Existing, FileId, FileSystem, Gathered, Item, ItemKind, Plan, Replaces, Root,
    TargetFacts, plan,
};

const FILE_SYSTEMS: [FileSystem; 7] = [
    FileSystem::Fat16,
    FileSystem::Fat32,
    FileSystem::ExFat,
    FileSystem::Ntfs,
    FileSystem::Ext4,
    FileSystem::Btrfs,
    FileSystem::Other,
];
/// Sizes around what FAT and its clusters can hold.
const SIZES: [u64; 6] = [0, 1, 4096, 70_000, u32::MAX as u64, 1 << 33];

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    let head = lines.next().unwrap_or_default();
    let file_system = FILE_SYSTEMS[usize::from(head.first().copied().unwrap_or_default()) % 7];
    let mut facts = TargetFacts::fresh(file_system, 1 << 34, 4096);
    facts.charset = (file_system.is_windows() && head.contains(&b'a')).then(|| "ascii".into());
    let choices = Choices {
        all: head.iter().filter_map(choice).collect(),
        ..Choices::default()
    };
    let mut tree = Tree::default();
    let mut stick = Stick::default();
    stick.ignores_case = file_system.is_windows();
    for line in lines {
        match line.split_first() {
            Some((b'=', path)) => stick.put(path, file_system),
            _ => tree.put(line),
        }
    }
    let present = |path: &Path| stick.existing(path);
    let made = plan(&tree.gathered, &facts, &present, &choices);
    is_whole(&tree, &made);
    stays_on_the_stick(&stick, file_system, &made);
    overwrites_nothing_unasked(&stick, &made);
});

fn choice(sign: &u8) -> Option<Choice> {
    Some(match sign {
        b'r' => Choice::Rename,
        b'R' => Choice::Replace,
        b'k' => Choice::KeepBoth,
        b'd' => Choice::DeleteFirst,
        b's' => Choice::Skip,
        _ => return None,
    })
}

/// Every source is planned once, or it or a folder above it is left out and told.
fn is_whole(tree: &Tree, made: &Plan) {
    let mut planned: BTreeMap<&Path, usize> = BTreeMap::new();
    for file in &made.files {
        *planned.entry(&file.source).or_default() += 1;
    }
    for source in &tree.files {
        let is_skipped = made.skipped.iter().any(|left| source.starts_with(left));
        let times = planned.remove(source.as_path()).unwrap_or_default();
        assert_eq!(times, usize::from(!is_skipped), "{source:?}");
    }
    assert!(planned.is_empty(), "{planned:?}");
    for skipped in &made.skipped {
        let told = |problem: &&steady::engine::plan::Problem| problem.path == *skipped;
        assert!(made.problems.iter().any(|problem| told(&problem)));
    }
}

fn stays_on_the_stick(stick: &Stick, file_system: FileSystem, made: &Plan) {
    let mut taken = BTreeSet::new();
    let files = made.files.iter().map(|file| &file.target);
    for target in made.folders.iter().chain(files) {
        assert!(taken.insert(stick.key(target)), "{target:?} twice");
        for part in target.components() {
            let Component::Normal(name) = part else {
                panic!("{target:?} leads elsewhere");
            };
            assert_eq!(file_system.name_fault(name), None, "{target:?}");
        }
        let folder = target.parent().expect("it has a name");
        let is_made = made.folders.iter().any(|made| made == folder);
        assert!(folder == Path::new("") || is_made, "{target:?}");
    }
}

fn overwrites_nothing_unasked(stick: &Stick, made: &Plan) {
    let chosen = |path: &Path, wanted| {
        let mut problems = made.problems.iter();
        problems.any(|problem| problem.path == path && problem.chosen == wanted)
    };
    for folder in &made.folders {
        let there = stick.existing(folder);
        assert!(matches!(there, None | Some(Existing::Folder)), "{folder:?}");
    }
    for file in &made.files {
        let is_deleted = made.delete_first.contains(&file.target);
        match stick.existing(&file.target) {
            None => assert!(file.replaces == Replaces::Nothing && !is_deleted),
            Some(Existing::File { .. }) => assert!(chosen(&file.source, Choice::Replace)),
            Some(other) => panic!("{file:?} over {other:?}"),
        }
    }
    assert!(made.delete_first.is_empty() || chosen(Path::new(""), Choice::DeleteFirst));
}

/// The names that a folder can hold in a path, as the kernel splits it.
fn names(path: &[u8]) -> impl Iterator<Item = &OsStr> {
    let names = path.split(|byte| *byte == b'/');
    names
        .filter(|name| !matches!(*name, b"" | b"." | b"..") && !name.contains(&0))
        .map(OsStr::from_bytes)
}

/// Sources, all in one folder.
#[derive(Default)]
struct Tree {
    gathered: Gathered,
    known: BTreeMap<PathBuf, usize>,
    files: BTreeSet<PathBuf>,
}

impl Tree {
    /// A file below its folders; nothing where a file of that name is a folder already.
    fn put(&mut self, path: &[u8]) {
        let names: Vec<_> = names(path).collect();
        let mut place = PathBuf::from("/from");
        let mut parent = None;
        for (depth, name) in names.iter().enumerate() {
            place.push(name);
            let is_file = depth + 1 == names.len();
            if let Some(known) = self.known.get(&place) {
                parent = Some(*known);
                if is_file || self.files.contains(&place) {
                    return;
                }
                continue;
            }
            let item = self.gathered.items.len();
            let inode = item as u64;
            let kind = if is_file {
                self.files.insert(place.clone());
                let size = SIZES[path.len() % SIZES.len()];
                ItemKind::File {
                    size,
                    modified: None,
                }
            } else {
                ItemKind::Folder(FileId { device: 1, inode })
            };
            if parent.is_none() {
                self.gathered.roots.push(Root {
                    source: place.clone(),
                    item,
                    above: Vec::new(),
                });
            }
            let name = name.to_os_string();
            self.gathered.items.push(Item { parent, name, kind });
            self.known.insert(place.clone(), item);
            parent = Some(item);
        }
    }
}

/// What is on the stick already.
#[derive(Default)]
struct Stick {
    ignores_case: bool,
    there: BTreeMap<PathBuf, Existing>,
}

impl Stick {
    fn key(&self, path: &Path) -> PathBuf {
        let mut key = path.as_os_str().to_os_string().into_vec();
        if self.ignores_case {
            key.make_ascii_uppercase();
        }
        std::ffi::OsString::from_vec(key).into()
    }

    fn existing(&self, path: &Path) -> Option<Existing> {
        self.there.get(&self.key(path)).copied()
    }

    fn put(&mut self, path: &[u8], file_system: FileSystem) {
        let names: Vec<_> = names(path).collect();
        let can_hold = |name: &&OsStr| file_system.name_fault(name).is_none();
        if !names.iter().all(can_hold) {
            return;
        }
        let mut place = PathBuf::new();
        for (depth, name) in names.iter().enumerate() {
            place.push(name);
            let what = match path.last() {
                _ if depth + 1 < names.len() => Existing::Folder,
                Some(b'/') => Existing::Folder,
                Some(b'!') => Existing::Other,
                _ => Existing::File {
                    size: SIZES[path.len() % SIZES.len()],
                    modified: None,
                },
            };
            let there = *self.there.entry(self.key(&place)).or_insert(what);
            if there != Existing::Folder {
                return;
            }
        }
    }
}
