use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Pace;
use super::medium::{Medium, Slot};
use crate::engine::plan::Existing;

#[derive(Default)]
pub(super) struct State {
    pub(super) now: Duration,
    pub(super) busy_until: Duration,
    pub(super) since_break: u64,
    pub(super) folders: BTreeSet<PathBuf>,
    /// By name in small letters: the name as it is shown, and the file.
    pub(super) names: BTreeMap<PathBuf, (PathBuf, usize)>,
    /// The names as they were last shown, of files that are gone too.
    pub(super) shown: BTreeMap<PathBuf, PathBuf>,
    pub(super) medium: Medium,
    pub(super) read_only: bool,
    pub(super) files: Vec<File>,
    pub(super) unconfirmed: u64,
    pub(super) peak_unconfirmed: u64,
    pub(super) confirmed: u64,
    pub(super) flushed: u64,
    pub(super) durable: BTreeMap<PathBuf, Vec<u8>>,
    pub(super) order: Vec<PathBuf>,
    pub(super) gone: bool,
}

#[derive(Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct File {
    pub(super) bytes: Vec<u8>,
    /// Ranges that are not confirmed: offset, length, and when the stick will have them, once
    /// their write-out has begun.
    pub(super) ranges: VecDeque<(u64, u64, Option<Duration>)>,
    pub(super) is_open: bool,
    pub(super) is_durable: bool,
    pub(super) modified: Option<SystemTime>,
    /// Held open by so many.
    pub(super) pins: usize,
    /// A name of it was removed: its clusters are free once nobody holds it.
    pub(super) unlinked: bool,
    /// Its clusters were given back.
    pub(super) freed: bool,
}

impl State {
    pub(super) fn take(&mut self, pace: Pace, length: u64) -> Duration {
        if self.now >= self.busy_until + Duration::from_millis(50) {
            self.since_break = 0;
        }
        self.since_break += length;
        let rate = if self.since_break > pace.backlog {
            pace.slow
        } else {
            pace.rate
        };
        self.busy_until =
            self.now.max(self.busy_until) + Duration::from_secs_f64(length as f64 / rate);
        self.busy_until
    }

    pub(super) fn add_file(&mut self, file: File) -> usize {
        self.files.push(file);
        self.files.len() - 1
    }

    pub(super) fn id_of(&self, name: &Path) -> Option<usize> {
        self.names.get(&key(name)).map(|(_, id)| *id)
    }

    /// A name that is there keeps its letter case.
    pub(super) fn set_name(&mut self, name: &Path, id: usize) {
        let key = key(name);
        self.medium.set(&key, Slot::File(id));
        let shown = self.names.get(&key).map_or(name, |(shown, _)| shown);
        let shown = shown.to_path_buf();
        self.shown.insert(key.clone(), shown.clone());
        self.names.insert(key, (shown, id));
    }

    /// A name that was not there before.
    pub(super) fn add_name(&mut self, name: &Path, id: usize) {
        self.medium.set(&key(name), Slot::Empty);
        self.set_name(name, id);
    }

    pub(super) fn remove_name(&mut self, name: &Path) -> Option<usize> {
        let key = key(name);
        let (_, id) = self.names.remove(&key)?;
        self.medium.set(&key, Slot::Absent);
        Some(id)
    }

    /// Its name is gone.
    pub(super) fn unlink(&mut self, id: usize) {
        self.files[id].unlinked = true;
        self.free_unused(id);
    }

    pub(super) fn free_unused(&mut self, id: usize) {
        let file = &mut self.files[id];
        // An empty file has no clusters.
        if self.gone || !file.unlinked || file.pins > 0 || file.bytes.is_empty() {
            return;
        }
        // The kernel finds clusters free that it is about to free.
        self.read_only |= file.freed;
        file.freed = true;
        self.medium.free(id);
    }

    pub(super) fn existing(&self, name: &Path) -> Option<Existing> {
        if let Some(id) = self.id_of(name) {
            return Some(self.files[id].existing());
        }
        let key = key(name);
        let folder = self.folders.iter().any(|folder| self::key(folder) == key);
        folder.then_some(Existing::Folder)
    }
}

impl File {
    /// Its bytes, as far as they are still its own.
    pub(super) fn content(&self) -> Vec<u8> {
        if self.freed {
            b"another file's".to_vec()
        } else {
            self.bytes.clone()
        }
    }

    pub(super) fn existing(&self) -> Existing {
        Existing::File {
            size: self.bytes.len() as u64,
            modified: self.modified,
        }
    }

    /// As the next one who plugs it in finds it, should a name lead there.
    pub(super) fn as_found(&self) -> Self {
        Self {
            bytes: self.bytes.clone(),
            modified: self.modified,
            is_durable: true,
            ..Self::default()
        }
    }
}

/// The name without letter case, as FAT compares it.
pub(super) fn key(name: &Path) -> PathBuf {
    name.to_string_lossy().to_lowercase().into()
}
