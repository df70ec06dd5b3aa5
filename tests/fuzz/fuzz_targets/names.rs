//! Any bytes are a file's name, and any text the name that a device gives itself: what becomes of
//! them can be stored, and shown without doing anything to whoever shows it.

#![no_main]

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path};

use libfuzzer_sys::fuzz_target;
use steady::drives::{self, LABEL_MAX, label_problem, normalized_label};
use steady::engine::plan::{
    Choice, Choices, FileSystem, Gathered, Item, ItemKind, Root, TargetFacts, plan,
};
use steady::tasks::shown;

fuzz_target!(|bytes: &[u8]| {
    let is_name = !bytes.is_empty() && !bytes.contains(&0) && !bytes.contains(&b'/');
    if is_name && !matches!(bytes, b"." | b"..") && bytes.len() <= 1000 {
        is_stored(&OsString::from_vec(bytes.to_vec()));
    }
    let text = String::from_utf8_lossy(bytes);
    is_harmless(&text);
    for file_system in [drives::FileSystem::Fat32, drives::FileSystem::ExFat] {
        if label_problem(file_system, &text).is_none() {
            let label = normalized_label(file_system, &text);
            assert!(label.encode_utf16().count() <= LABEL_MAX);
            assert_eq!(label_problem(file_system, &label), None);
        }
    }
});

fn is_stored(name: &OsString) {
    for file_system in [
        FileSystem::Fat32,
        FileSystem::ExFat,
        FileSystem::Ntfs,
        FileSystem::Ext4,
    ] {
        for charset in [None, Some("ascii".to_owned())] {
            let only_ascii = charset.is_some() && file_system.is_windows();
            let mut facts = TargetFacts::fresh(file_system, 1 << 30, 4096);
            facts.charset = charset.filter(|_| only_ascii);
            let size = 5;
            let gathered = Gathered {
                items: vec![Item {
                    parent: None,
                    name: name.clone(),
                    kind: ItemKind::File {
                        size,
                        modified: None,
                    },
                }],
                roots: vec![Root {
                    source: Path::new("/from").join(name),
                    item: 0,
                    above: Vec::new(),
                }],
            };
            let plan = plan(
                &gathered,
                &facts,
                &|_: &Path| None,
                &Choices::all(Choice::Rename),
            );
            let [file] = plan.files.as_slice() else {
                panic!("{name:?} is lost");
            };
            let mut parts = file.target.components();
            let (Some(Component::Normal(stored)), None) = (parts.next(), parts.next()) else {
                panic!("{name:?} became {:?}", file.target);
            };
            assert_eq!(file_system.name_fault(stored), None, "{stored:?}");
            assert!(!only_ascii || stored.is_ascii(), "{stored:?}");
        }
    }
}

fn is_harmless(text: &str) {
    let shown = shown(text);
    let turns = |sign| matches!(sign, '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}');
    assert!(!shown.chars().any(|sign| sign.is_control() || turns(sign)));
    let mut open = 0;
    for sign in shown.chars() {
        match sign {
            '\u{2066}'..='\u{2068}' => open += 1,
            '\u{2069}' => open -= 1,
            _ => {}
        }
        assert!(open >= 0, "{shown:?}");
    }
    assert_eq!(open, 0, "{shown:?}");
    assert!(shown.chars().count() <= 1000);
    assert_eq!(steady::tasks::shown(&shown), shown);
}
