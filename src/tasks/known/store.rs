use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::Known;
use crate::tasks::private_file;

/// Room for hundreds of sticks; a larger file is none of ours.
const LARGEST: u64 = 4 << 20;
/// Sticks that are remembered.
const MOST_STICKS: usize = 500;

/// The file that holds what is known of sticks, by their keys.
#[derive(Debug, Clone)]
pub(super) struct Store {
    file: PathBuf,
}

impl Store {
    /// `steady/sticks.json` in the person's folder for state.
    pub(super) fn default_place() -> Option<Self> {
        let absolute = |path: PathBuf| path.is_absolute().then_some(path);
        let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from);
        let home = || Some(PathBuf::from(env::var_os("HOME")?).join(".local/state"));
        let folder = state
            .and_then(absolute)
            .or_else(|| home().and_then(absolute))?;
        Some(Self::at(&folder.join("steady/sticks.json")))
    }

    pub(super) fn at(file: &Path) -> Self {
        Self {
            file: file.to_path_buf(),
        }
    }

    /// What is kept; nothing where the file is missing or damaged.
    pub(super) fn load(&self) -> BTreeMap<String, Known> {
        match self.read() {
            Ok(known) => known,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(%error, file = %self.file.display(), "begun anew");
                }
                BTreeMap::new()
            }
        }
    }

    fn read(&self) -> io::Result<BTreeMap<String, Known>> {
        let mut bytes = Vec::new();
        let file = File::open(&self.file)?;
        file.take(LARGEST + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "too large"));
        }
        Ok(serde_json::from_slice(&bytes)?)
    }

    /// Replaces the file in one step, so that a crash leaves the old one. Of too many sticks those
    /// are forgotten that were not seen for longest.
    pub(super) fn save(&self, known: &BTreeMap<String, Known>) -> io::Result<()> {
        let mut kept: Vec<_> = known.iter().collect();
        kept.sort_by_key(|(_, known)| Reverse(known.learnt_at));
        kept.truncate(MOST_STICKS);
        let kept: BTreeMap<_, _> = kept.into_iter().collect();
        private_file::replace(&self.file, &serde_json::to_vec(&kept)?)
    }

    /// Removes the file.
    pub(super) fn clear(&self) -> io::Result<()> {
        private_file::remove(&self.file)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::tasks::known::Past;

    #[test]
    fn of_too_many_sticks_the_oldest_are_forgotten() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(&folder.path().join("steady/sticks.json"));
        let known = |learnt_at| Known {
            learnt_at,
            ..Known::default()
        };
        // By their keys the oldest would come last.
        let mut all: BTreeMap<_, _> = (0..MOST_STICKS as u64)
            .map(|number| (format!("{:04}", 9_000 - number), known(1_000 + number)))
            .collect();
        all.insert("of an older version".to_owned(), known(0));
        all.insert("0".to_owned(), known(5_000));
        store.save(&all).expect("saved");
        let kept = store.load();
        assert_eq!(kept.len(), MOST_STICKS);
        assert!(kept.contains_key("0") && kept.contains_key("8501"));
        assert!(!kept.contains_key("9000") && !kept.contains_key("of an older version"));
    }

    #[test]
    fn what_is_kept_comes_back_and_damage_begins_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(&folder.path().join("steady/sticks.json"));
        assert!(store.load().is_empty());
        let mut known = Known::default();
        let past = Past {
            bytes: 5,
            files: 1,
            write_seconds: 0.5,
            check_seconds: 0.0,
        };
        known.add(past, "stream");
        known.learn(&[(0, 16e6), (1 << 30, 9e6)], 2 << 30);
        let all = BTreeMap::from([("a".to_owned(), known)]);
        store.save(&all).expect("saved");
        assert_eq!(store.load(), all);
        let older = r#"{"a": {"past": [], "strategy": "pulse"}}"#;
        fs::write(&store.file, older).expect("written");
        assert!(store.load()["a"].strategy().is_some());
        for damage in ["", "{\"a\":", "[1,2]", "\u{0}"] {
            fs::write(&store.file, damage).expect("written");
            assert!(store.load().is_empty(), "{damage:?}");
        }
        fs::write(&store.file, vec![b' '; LARGEST as usize + 1]).expect("written");
        assert!(store.load().is_empty());
        store.save(&all).expect("saved");
        assert_eq!(store.load(), all);
        store.clear().expect("cleared");
        store.clear().expect("cleared twice");
        assert!(store.load().is_empty());
    }
}
