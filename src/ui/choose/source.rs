use std::fs;
use std::path::{Path, PathBuf};

use crate::tasks::shown;
use crate::ui::text::{ngettext_f, size};

/// A file or folder that was chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// As it was chosen.
    pub(super) path: PathBuf,
}

/// How much a source holds, links not followed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::ui) struct Measure {
    pub(in crate::ui) bytes: u64,
    pub(in crate::ui) files: u64,
    is_folder: bool,
}

impl Source {
    /// The name that people know.
    pub(super) fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        shown(&name.to_string_lossy())
    }
}

impl Measure {
    /// Walks the source, on a worker thread. What can't be read counts nothing here; Review tells it.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let mut measure = Self {
            is_folder: metadata.is_dir(),
            ..Self::default()
        };
        if metadata.is_dir() {
            measure.add_folder(path);
        } else {
            measure.add_file(metadata.len());
        }
        Some(measure)
    }

    fn add_file(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.files += 1;
    }

    fn add_folder(&mut self, folder: &Path) {
        // A list of folders yet to walk, not recursion: folders may be nested deeply.
        let mut folders = vec![folder.to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                match entry.metadata() {
                    Ok(metadata) if metadata.is_dir() => folders.push(entry.path()),
                    Ok(metadata) if metadata.is_file() => self.add_file(metadata.len()),
                    _ => {}
                }
            }
        }
    }

    /// “12.3 MB”, or “3 files, 12.3 MB” for a folder.
    pub(super) fn text(self) -> String {
        let bytes = size(self.bytes);
        if self.is_folder {
            ngettext_f(
                "{count} file, {size}",
                "{count} files, {size}",
                self.files,
                &[("size", &bytes)],
            )
        } else {
            bytes
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_counted_with_all_they_hold_and_links_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).expect("a folder");
        fs::write(inner.join("a"), [0; 1500]).expect("a file");
        fs::write(folder.path().join("b"), [0; 500]).expect("a file");
        std::os::unix::fs::symlink(folder.path(), inner.join("loop")).expect("a link");

        let text = |path: &Path| Measure::of(path).map(Measure::text);
        assert_eq!(text(folder.path()).as_deref(), Some("2 files, 2.0 kB"));
        assert_eq!(text(&inner.join("a")).as_deref(), Some("1.5 kB"));
        assert_eq!(text(&inner.join("absent")), None);
    }
}
