use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::fold::fold;
use super::{Existing, FileSystem, Listing, Present, names};

/// The names of one folder on the target: those that are there and those that are planned.
pub(super) struct FolderNames<'a, P> {
    file_system: FileSystem,
    present: &'a P,
    folder: PathBuf,
    is_new: bool,
    used: u64,
    /// The spelling on the stick, by the folded name; `None` where each has to be looked up.
    listed: Option<HashMap<OsString, OsString>>,
    /// Folded names that are planned.
    planned: HashSet<OsString>,
    /// The next number to try for a folded name.
    numbers: HashMap<OsString, u32>,
}

/// Whether a folder is on the stick already.
pub(super) enum There {
    /// It will be made.
    No,
    /// It is, with what it holds where that can be told.
    Yes(Option<Listing>),
}

/// Whose a name is.
pub(super) enum Holder {
    Nobody,
    /// Another source's.
    Source,
    /// A folder's on the stick.
    Folder(OsString),
    /// A file's on the stick.
    File {
        name: OsString,
        size: u64,
        modified: Option<SystemTime>,
    },
    /// Something else's on the stick.
    Other,
}

impl<'a, P: Present> FolderNames<'a, P> {
    pub(super) fn new(
        file_system: FileSystem,
        present: &'a P,
        folder: &Path,
        there: There,
    ) -> Self {
        let mut names = Self {
            file_system,
            present,
            folder: folder.to_path_buf(),
            is_new: matches!(there, There::No),
            used: 0,
            listed: None,
            planned: HashSet::new(),
            numbers: HashMap::new(),
        };
        let there = match there {
            There::No => Vec::new(),
            There::Yes(None) => return names,
            There::Yes(Some(listing)) => listing.names,
        };
        names.used = there.iter().map(|name| file_system.entry_size(name)).sum();
        let by_fold = |name: OsString| (fold(file_system, &name).into_owned(), name);
        names.listed = Some(there.into_iter().map(by_fold).collect());
        names
    }

    /// Whether the folder will be made.
    pub(super) fn is_new(&self) -> bool {
        self.is_new
    }

    /// Bytes of the names that are there.
    pub(super) fn used(&self) -> u64 {
        self.used
    }

    /// Of one name, relative to the target.
    pub(super) fn path(&self, name: &OsStr) -> PathBuf {
        self.folder.join(name)
    }

    /// Takes a name.
    pub(super) fn plan(&mut self, name: &OsStr) {
        self.planned
            .insert(fold(self.file_system, name).into_owned());
    }

    pub(super) fn holder(&self, name: &OsStr) -> Holder {
        let folded = fold(self.file_system, name);
        if self.planned.contains(&*folded) {
            return Holder::Source;
        }
        let spelled = match &self.listed {
            None => name,
            Some(listed) => match listed.get(&*folded) {
                Some(spelled) => spelled,
                // `LONGNA~1.TXT` may be the short name of another file, which no list tells.
                None if !self.is_new && self.could_be_short(name) => {
                    return match self.present.existing(&self.path(name)) {
                        None => Holder::Nobody,
                        Some(_) => Holder::Other,
                    };
                }
                None => return Holder::Nobody,
            },
        };
        let name = spelled.to_os_string();
        match self.present.existing(&self.path(spelled)) {
            None => Holder::Nobody,
            Some(Existing::Folder) => Holder::Folder(name),
            Some(Existing::File { size, modified }) => Holder::File {
                name,
                size,
                modified,
            },
            Some(Existing::Other) => Holder::Other,
        }
    }

    /// The next name with a number that follows on this one.
    pub(super) fn numbered(&mut self, name: &OsStr, is_folder: bool) -> OsString {
        let folded = fold(self.file_system, name).into_owned();
        let number = self.numbers.entry(folded).or_insert(1);
        *number += 1;
        names::numbered(self.file_system, name, is_folder, *number)
    }

    fn could_be_short(&self, name: &OsStr) -> bool {
        self.file_system.is_fat() && name.len() <= 12 && name.as_encoded_bytes().contains(&b'~')
    }
}
