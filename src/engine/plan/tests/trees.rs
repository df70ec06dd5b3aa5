//! Random trees, sticks and choices.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use proptest::collection::{hash_map, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::Stick;
use crate::engine::plan::FAT_TIMES;
use crate::engine::plan::gathered::Root;
use crate::engine::plan::{
    Choice, Choices, Existing, FileId, FileSystem, Gathered, Item, ItemKind, Present, ProblemKind,
    TargetFacts,
};

/// A tree of sources being put together.
#[derive(Debug, Clone, Default)]
pub(super) struct Tree {
    pub(super) gathered: Gathered,
}

impl Tree {
    pub(super) fn folder(&mut self, parent: Option<usize>, name: impl Into<OsString>) -> usize {
        let id = FileId {
            device: 1,
            inode: self.gathered.items.len() as u64,
        };
        self.add(parent, name.into(), ItemKind::Folder(id))
    }

    pub(super) fn file(&mut self, parent: Option<usize>, name: impl Into<OsString>, size: u64) {
        let modified = Some(TIME);
        self.add(parent, name.into(), ItemKind::File { size, modified });
    }

    fn add(&mut self, parent: Option<usize>, name: OsString, kind: ItemKind) -> usize {
        let item = self.gathered.items.len();
        if parent.is_none() {
            // Sources of one name lie in different folders.
            self.gathered.roots.push(Root {
                source: Path::new(&format!("/{item}")).join(&name),
                item,
                above: Vec::new(),
            });
        }
        self.gathered.items.push(Item { parent, name, kind });
        item
    }

    fn add_node(&mut self, parent: Option<usize>, name: OsString, node: Node) {
        match node {
            Node::File(size) => self.file(parent, name, size),
            Node::LeftOut(kind) => {
                self.add(parent, name, ItemKind::LeftOut(kind));
            }
            Node::Folder(held) => {
                let folder = self.folder(parent, name);
                for (name, node) in held {
                    self.add_node(Some(folder), name, node);
                }
            }
        }
    }
}

/// A job: what is to be copied where, with which choices.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) gathered: Gathered,
    pub(super) facts: TargetFacts,
    pub(super) stick: Stick,
    pub(super) choices: Choices,
}

#[derive(Debug, Clone)]
enum Node {
    File(u64),
    Folder(Vec<(OsString, Node)>),
    LeftOut(ProblemKind),
}

const TIME: SystemTime = UNIX_EPOCH;
const SIZES: [u64; 8] = [
    0,
    1,
    511,
    4096,
    70_000,
    100_000,
    u32::MAX as u64,
    (1 << 32) + 1,
];

pub(super) fn job() -> impl Strategy<Value = Job> {
    let file_system = select(vec![
        FileSystem::Fat16,
        FileSystem::Fat32,
        FileSystem::ExFat,
        FileSystem::Ntfs,
        FileSystem::Ext4,
        FileSystem::Btrfs,
        FileSystem::Other,
    ]);
    let sources = vec((name(), node()), 1..5);
    let on_stick = vec((name(), node()), 0..6);
    let echoes = vec(option::of((any::<bool>(), select(SIZES.to_vec()))), 0..30);
    let facts = (
        file_system,
        select(vec![512u64, 4096, 32768]),
        // Up to the free bytes that all of it can take.
        prop_oneof![Just(1u64 << 40), 0..20_000_000_000u64, 0..400_000u64],
        prop_oneof![4 => Just(None), 1 => Just(Some("ascii".to_owned()))],
        prop_oneof![4 => Just(None), 1 => (0..2000u64).prop_map(Some)],
    );
    (sources, on_stick, echoes, facts, choices(), any::<bool>()).prop_map(
        |(sources, on_stick, echoes, facts, choices, lists)| {
            let (file_system, cluster, free, charset, root_names) = facts;
            let mut tree = Tree::default();
            for (name, node) in sources {
                tree.add_node(None, name, node);
            }
            let facts = TargetFacts {
                charset: charset.filter(|_| file_system.is_windows()),
                root_names: root_names.filter(|_| file_system == FileSystem::Fat16),
                ..TargetFacts::fresh(file_system, free, cluster)
            };
            let mut stick = Stick::new(file_system);
            stick.lists = lists;
            echo(&mut stick, &facts, &tree.gathered, &echoes);
            for (name, node) in on_stick {
                put(&mut stick, &facts, Path::new(&name), node);
            }
            Job {
                gathered: tree.gathered,
                facts,
                stick,
                choices,
            }
        },
    )
}

/// Puts there what a copy before may have left of some of the sources: whole or of another size.
fn echo(
    stick: &mut Stick,
    facts: &TargetFacts,
    gathered: &Gathered,
    echoes: &[Option<(bool, u64)>],
) {
    let mut paths: Vec<PathBuf> = Vec::new();
    for (index, item) in gathered.items.iter().enumerate() {
        let name = facts.legal_name(&item.name, item.parent.is_none());
        let name = match name.to_str() {
            Some(text) if index % 3 == 0 && facts.file_system.is_windows() => {
                text.to_ascii_uppercase().into()
            }
            _ => name,
        };
        let folder = item.parent.map(|parent| paths[parent].clone());
        let path = folder.unwrap_or_default().join(name);
        paths.push(path.clone());
        let parent = path.parent().unwrap_or(Path::new(""));
        let is_in_folder =
            parent == Path::new("") || stick.existing(parent) == Some(Existing::Folder);
        let Some((is_whole, other)) = echoes.get(index).copied().flatten() else {
            continue;
        };
        if is_in_folder {
            let node = match item.kind {
                ItemKind::Folder(_) => Node::Folder(Vec::new()),
                ItemKind::File { size, .. } if is_whole => Node::File(size),
                _ => Node::File(other),
            };
            put(stick, facts, &path, node);
        }
    }
}

/// Only what the stick can hold.
fn put(stick: &mut Stick, facts: &TargetFacts, path: &Path, node: Node) {
    let name = path.file_name().unwrap_or_default();
    if facts.name_fault(name, true).is_some() {
        return;
    }
    match node {
        Node::File(size) => {
            // FAT cannot store 1970.
            let stored = if facts.file_system.is_windows() {
                UNIX_EPOCH + Duration::from_secs(FAT_TIMES.start().unsigned_abs())
            } else {
                TIME
            };
            let modified = (size != 1).then_some(stored);
            stick.add(path, Existing::File { size, modified });
        }
        Node::LeftOut(_) => {
            stick.add(path, Existing::Other);
        }
        Node::Folder(held) => {
            if stick.add(path, Existing::Folder) {
                for (name, node) in held {
                    put(stick, facts, &path.join(name), node);
                }
            }
        }
    }
}

fn node() -> impl Strategy<Value = Node> {
    let left_out = select(vec![
        ProblemKind::Link,
        ProblemKind::SpecialFile,
        ProblemKind::Unreadable,
        ProblemKind::SourceGone,
    ]);
    let leaf = prop_oneof![
        6 => select(SIZES.to_vec()).prop_map(Node::File),
        1 => left_out.prop_map(Node::LeftOut),
    ];
    leaf.prop_recursive(3, 24, 6, |node| {
        hash_map(name(), node, 0..6).prop_map(|held| Node::Folder(held.into_iter().collect()))
    })
}

fn name() -> impl Strategy<Value = OsString> {
    let nasty = [
        "README",
        "readme",
        "ReadMe",
        "readme (2)",
        "a?b.txt",
        "a:b.txt",
        "a_b.txt",
        "A_B (2).txt",
        "aux.c",
        "_aux.c",
        "AUX.C",
        "con",
        "con ",
        "é.txt",
        "É.txt",
        "e\u{301}.txt",
        "_.txt",
        "жук",
        "ЖУК",
        "dots..",
        "dots__",
        ".steady-parts",
        ".STEADY-PARTS",
        "_.steady-parts",
        "LONGNA~1.TXT",
        "Foo",
        "foo",
    ];
    let long = (120..256usize, select(vec!["x", "é", "🎵"]), any::<bool>());
    prop_oneof![
        6 => select(nasty.to_vec()).prop_map(OsString::from),
        1 => select(vec![b"caf\xe9".to_vec(), b"caf\xff".to_vec(), b"a\xffux".to_vec()])
            .prop_map(OsString::from_vec),
        1 => long.prop_map(|(count, sign, dot)| {
            OsString::from(format!("{}{}", sign.repeat(count), if dot { ".jpeg" } else { "" }))
        }),
        5 => "[a-cA-C]{1,2}".prop_map(OsString::from),
        1 => "[a-c][ .]{1,2}".prop_map(OsString::from),
    ]
}

fn choices() -> impl Strategy<Value = Choices> {
    let all = [
        Choice::Rename,
        Choice::Replace,
        Choice::KeepBoth,
        Choice::DeleteFirst,
        Choice::Skip,
    ];
    let there = option::of(select(vec![
        Choice::Replace,
        Choice::KeepBoth,
        Choice::Skip,
    ]));
    let all = subsequence(all.to_vec(), 0..=5).prop_shuffle();
    (all, there, any::<bool>()).prop_map(|(mut all, there, skips)| Choices {
        all: {
            all.extend(skips.then_some(Choice::Skip));
            all
        },
        kinds: there
            .map(|choice| (ProblemKind::AlreadyThere, choice))
            .into_iter()
            .collect(),
        ..Choices::default()
    })
}
