use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::engine::plan::{Choices, FileSystem, Plan, TargetFacts, gather, plan};

/// A folder `job` of files whose bytes differ everywhere.
pub struct Sources(TempDir);

impl Sources {
    /// With a file for each name and size; a name may hold folders.
    pub fn new(files: &[(&str, usize)]) -> Self {
        let sources = Self(tempfile::tempdir().unwrap());
        fs::create_dir(sources.root()).unwrap();
        for (name, size) in files {
            let path = sources.path(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes(name, *size)).unwrap();
        }
        sources
    }

    /// The folder `job`.
    pub fn root(&self) -> PathBuf {
        self.0.path().join("job")
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.root().join(name)
    }

    /// Its bytes.
    pub fn read(&self, target: &Path) -> Vec<u8> {
        fs::read(self.0.path().join(target)).unwrap()
    }

    /// A plan for a roomy, empty FAT32 stick, without any problem.
    pub fn plan(&self) -> Plan {
        let plan = self.plan_with(&Choices::default());
        assert!(!plan.must_stop(), "{:?}", plan.problems);
        plan
    }

    /// The same with choices for the problems there are.
    pub fn plan_with(&self, choices: &Choices) -> Plan {
        let facts = TargetFacts::fresh(FileSystem::Fat32, 1 << 40, 4096);
        plan(&gather(&[self.root()]), &facts, &|_: &Path| None, choices)
    }
}

/// Bytes that no other name has.
fn bytes(name: &str, size: usize) -> Vec<u8> {
    let seed = name.bytes().fold(5381_u32, |seed, byte| {
        seed.wrapping_mul(33).wrapping_add(u32::from(byte))
    });
    (0..size as u32)
        .map(|i| (i.wrapping_add(seed).wrapping_mul(2_654_435_761) >> 23) as u8)
        .collect()
}
