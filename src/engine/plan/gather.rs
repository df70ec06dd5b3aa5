use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

use super::gathered::Root;
use super::{FileId, Gathered, Item, ItemKind, ProblemKind};

/// Walks files and folders without opening anything but folders and regular files.
///
/// A link that was named as a source is followed, for that is what a person picked; links inside
/// a folder never are, so the walk ends. Nothing is fatal: what cannot be copied is left out with
/// its kind.
pub fn gather(sources: &[PathBuf]) -> Gathered {
    let mut gathered = Gathered::default();
    let mut seen = HashSet::new();
    for source in sources.iter().filter(|source| seen.insert(*source)) {
        match root(source) {
            Ok((root, name, metadata)) => {
                gathered.roots.push(root);
                walk(
                    source.clone(),
                    PathBuf::from(name),
                    &metadata,
                    &mut gathered,
                );
            }
            Err(error) => gathered.left_out.push((kind_of(&error), source.clone())),
        }
    }
    gathered
}

/// The source itself: what it is, its name on the target, and where it lies.
fn root(source: &Path) -> io::Result<(Root, OsString, Metadata)> {
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
    let root = Root {
        source: source.to_path_buf(),
        device: metadata.dev(),
        above,
    };
    Ok((root, name.to_os_string(), metadata))
}

fn walk(source: PathBuf, target: PathBuf, metadata: &Metadata, gathered: &mut Gathered) {
    let mut folders = Vec::new();
    add(source, target, metadata, gathered, &mut folders);
    while let Some((source, target)) = folders.pop() {
        let entries = match fs::read_dir(&source) {
            Ok(entries) => entries,
            Err(error) => {
                gathered.left_out.push((kind_of(&error), source));
                continue;
            }
        };
        for entry in entries {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => {
                    gathered.left_out.push((kind_of(&error), source.clone()));
                    break;
                }
            };
            let path = entry.path();
            match entry.metadata() {
                Ok(metadata) => {
                    add(
                        path,
                        target.join(entry.file_name()),
                        &metadata,
                        gathered,
                        &mut folders,
                    );
                }
                Err(error) => gathered.left_out.push((kind_of(&error), path)),
            }
        }
    }
}

fn add(
    source: PathBuf,
    target: PathBuf,
    metadata: &Metadata,
    gathered: &mut Gathered,
    folders: &mut Vec<(PathBuf, PathBuf)>,
) {
    let kind = if metadata.is_dir() {
        folders.push((source.clone(), target.clone()));
        ItemKind::Folder(FileId::from(metadata))
    } else if metadata.is_file() {
        if let Err(error) = can_be_opened(&source) {
            gathered.left_out.push((kind_of(&error), source));
            return;
        }
        ItemKind::File {
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }
    } else if metadata.is_symlink() {
        gathered.left_out.push((ProblemKind::Link, source));
        return;
    } else {
        gathered.left_out.push((ProblemKind::SpecialFile, source));
        return;
    };
    gathered.items.push(Item {
        source,
        target,
        kind,
    });
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
