use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::gathered::Root;
use super::{FileId, Gathered, Gathering, Item, ItemKind, ProblemKind};

/// Walks files and folders without opening anything but folders and regular files.
///
/// A link that was named as a source is followed, for that is what a person picked; links inside
/// a folder never are, wherever they lead, so the walk ends. Nothing is fatal: what cannot be
/// copied is left out with its kind.
pub fn gather(sources: &[PathBuf]) -> Gathered {
    gather_with(sources, &Gathering::default()).unwrap_or_default()
}

/// Like [`gather`], telling how far it is; `None` once it was cancelled.
pub fn gather_with(sources: &[PathBuf], gathering: &Gathering) -> Option<Gathered> {
    let mut walk = Walk {
        gathered: Gathered::default(),
        gathering,
        folders: Vec::new(),
    };
    let mut seen = HashSet::new();
    for source in sources.iter().filter(|source| seen.insert(*source)) {
        walk.source(source)?;
    }
    Some(walk.gathered)
}

struct Walk<'a> {
    gathered: Gathered,
    gathering: &'a Gathering,
    /// Folders to be read.
    folders: Vec<(usize, PathBuf)>,
}

impl Walk<'_> {
    /// `None` once it was cancelled.
    fn source(&mut self, source: &Path) -> Option<()> {
        let item = self.gathered.items.len();
        let above = match root(source) {
            Ok((name, metadata, above)) => {
                self.add(None, source.to_path_buf(), name, &metadata);
                above
            }
            Err(error) => {
                let name = source.file_name().unwrap_or_default().to_os_string();
                self.push(None, name, ItemKind::LeftOut(kind_of(&error)));
                Vec::new()
            }
        };
        self.gathered.roots.push(Root {
            source: source.to_path_buf(),
            item,
            above,
        });
        while let Some((item, folder)) = self.folders.pop() {
            if let Err(error) = self.read(item, &folder) {
                self.gathered.items[item].kind = ItemKind::LeftOut(kind_of(&error));
            }
            if self.gathering.is_cancelled() {
                return None;
            }
        }
        Some(())
    }

    fn read(&mut self, item: usize, folder: &Path) -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if self.gathering.is_cancelled() {
                break;
            }
            match entry.metadata() {
                Ok(metadata) => self.add(Some(item), entry.path(), entry.file_name(), &metadata),
                Err(error) => {
                    let kind = ItemKind::LeftOut(kind_of(&error));
                    self.push(Some(item), entry.file_name(), kind);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, parent: Option<usize>, source: PathBuf, name: OsString, found: &Metadata) {
        let kind = if found.is_dir() {
            self.folders.push((self.gathered.items.len(), source));
            ItemKind::Folder(FileId::from(found))
        } else if found.is_file() {
            match can_be_opened(&source) {
                Ok(()) => ItemKind::File {
                    size: found.len(),
                    modified: found.modified().ok(),
                },
                Err(error) => ItemKind::LeftOut(kind_of(&error)),
            }
        } else if found.is_symlink() {
            ItemKind::LeftOut(ProblemKind::Link)
        } else {
            ItemKind::LeftOut(ProblemKind::SpecialFile)
        };
        self.push(parent, name, kind);
    }

    fn push(&mut self, parent: Option<usize>, name: OsString, kind: ItemKind) {
        self.gathering.found(match kind {
            ItemKind::File { size, .. } => size,
            _ => 0,
        });
        self.gathered.items.push(Item { parent, name, kind });
    }
}

/// The source itself: its name on the target, what it is, and the folders above it.
fn root(source: &Path) -> io::Result<(OsString, Metadata, Vec<FileId>)> {
    let metadata = fs::metadata(source)?;
    let real = fs::canonicalize(source)?;
    let mut above = Vec::new();
    for folder in real.ancestors().skip(1) {
        above.push(FileId::from(&fs::metadata(folder)?));
    }
    let name = source
        .file_name()
        .or_else(|| real.file_name())
        .unwrap_or(OsStr::new("files"));
    Ok((name.to_os_string(), metadata, above))
}

/// Told first: a file that may not be read is found now. Non-blocking, should it have just become
/// a pipe.
fn can_be_opened(source: &Path) -> io::Result<()> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    OpenOptions::new()
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(source)
        .map(drop)
}

fn kind_of(error: &io::Error) -> ProblemKind {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => ProblemKind::SourceGone,
        _ => ProblemKind::Unreadable,
    }
}
