//! Any bytes are in the files that Steady keeps on this computer: what is no receipt is left out
//! and a new one finds its place, and what is remembered of a stick tells a time or nothing.

#![no_main]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use steady::tasks::{Did, Ended, History, Known, Receipt};

/// In memory where there is such a place: each receipt waits for its disk.
static FOLDER: LazyLock<tempfile::TempDir> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() {
        tempfile::tempdir_in(memory)
    } else {
        tempfile::tempdir()
    };
    folder.expect("a folder")
});

fuzz_target!(|bytes: &[u8]| {
    receipts(bytes);
    if let Ok(sticks) = serde_json::from_slice::<BTreeMap<String, Known>>(bytes) {
        sticks.values().for_each(tells_a_time);
    }
});

fn receipts(bytes: &[u8]) {
    let file = FOLDER.path().join("history.jsonl");
    fs::write(&file, bytes).expect("written");
    let history = History::at(&file);
    let before = history.receipts().expect("read");
    let receipt = Receipt {
        ended_at: 5,
        did: Did::Copied,
        stick: "Stick".into(),
        what: "film".into(),
        files: 1,
        bytes: 2,
        bytes_per_second: 3.0,
        checked: true,
        ended: Ended::Done,
    };
    history.add(&receipt).expect("added");
    let after = history.receipts().expect("read");
    assert_eq!(after.first(), Some(&receipt));
    for (old, kept) in before.iter().zip(&after[1..]) {
        assert_eq!(format!("{old:?}"), format!("{kept:?}"));
    }
}

fn tells_a_time(known: &Known) {
    for (bytes, files) in [(0, 0), (1, 1), (4 << 30, 100_000), (u64::MAX, u64::MAX)] {
        for check in [false, true] {
            if let Some([low, high]) = known.seconds(bytes, files, check) {
                assert!(0.0 <= low && low <= high && high.is_finite());
            }
        }
    }
}
