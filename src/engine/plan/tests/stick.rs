use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::engine::plan::{Existing, FileId, FileSystem, Listing, Present};

/// What is on a stick, in memory; looks names up as the kernel does.
#[derive(Debug, Clone)]
pub(super) struct Stick {
    pub(super) file_system: FileSystem,
    /// By the name that counts, as it is spelled.
    pub(super) entries: BTreeMap<PathBuf, (PathBuf, Existing)>,
    /// Whether its folders can be listed.
    pub(super) lists: bool,
}

impl Stick {
    pub(super) fn new(file_system: FileSystem) -> Self {
        Self {
            file_system,
            entries: BTreeMap::new(),
            lists: true,
        }
    }

    pub(super) fn with(mut self, path: &str, existing: Existing) -> Self {
        self.add(Path::new(path), existing);
        self
    }

    /// A file unlike any source.
    pub(super) fn with_file(self, path: &str) -> Self {
        self.with_old(path, 1_234_567, None)
    }

    pub(super) fn with_old(self, path: &str, size: u64, modified: Option<SystemTime>) -> Self {
        self.with(path, Existing::File { size, modified })
    }

    /// False where the name is taken.
    pub(super) fn add(&mut self, path: &Path, existing: Existing) -> bool {
        let key = self.key(path);
        let is_new = !self.entries.contains_key(&key);
        if is_new {
            self.entries.insert(key, (path.to_path_buf(), existing));
        }
        is_new
    }

    /// What a path has in common with all others that are the same to the file system: written
    /// down for the letters of these tests, not computed as the plan does.
    pub(super) fn key(&self, path: &Path) -> PathBuf {
        match path.to_str() {
            Some(text) if self.file_system.is_windows() => {
                let small = |c: char| match c {
                    'A'..='Z' => c.to_ascii_lowercase(),
                    'É' => 'é',
                    'Ж' => 'ж',
                    c => c,
                };
                text.chars().map(small).collect::<String>().into()
            }
            _ => path.to_path_buf(),
        }
    }
}

impl Present for Stick {
    fn existing(&self, path: &Path) -> Option<Existing> {
        let (_, existing) = self.entries.get(&self.key(path))?;
        Some(*existing)
    }

    fn list(&self, folder: &Path) -> Option<Listing> {
        if !self.lists {
            return None;
        }
        let key = self.key(folder);
        let inode = self.entries.keys().position(|path| *path == key);
        let held = self.entries.iter();
        let held = held.filter(|(path, _)| path.parent() == Some(&key));
        let names = held.filter_map(|(_, (path, _))| path.file_name());
        Some(Listing {
            id: FileId {
                device: u64::MAX,
                inode: inode.map_or(0, |index| index as u64 + 1),
            },
            names: names.map(ToOwned::to_owned).collect(),
        })
    }
}
