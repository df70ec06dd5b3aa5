mod candidate;

use std::io::{self, Read, Seek};
use std::path::Path;
use std::sync::Arc;

use zip::ZipArchive;
use zip::result::{ZipError, ZipResult};

use super::recognise::{Inside, image_file, see_through};
use super::tracked::Tracked;
use super::watch::Watch;
use super::{Container, Entry, NameClaim, Recognised, Refusal, Refused};
use candidate::Candidate;

/// Bytes that the list of an archive's entries may take, and that are searched for it.
const BUDGET: u64 = 32 * 1024 * 1024;
/// Entries that are looked into: the largest.
const MOST_CANDIDATES: usize = 64;
/// Names that are told.
const MOST_NAMES: usize = 1000;

/// Reads the list of the entries.
pub(super) fn open<R: Read + Seek>(
    source: Tracked<R>,
    watch: &Watch,
) -> ZipResult<ZipArchive<Tracked<R>>> {
    watch.set_budget(Some(BUDGET));
    let archive = ZipArchive::new(source);
    watch.set_budget(None);
    archive
}

/// Looks into an archive for the images in it, or for the one that was chosen.
pub(super) fn look<R: Read + Seek>(
    source: R,
    file_size: u64,
    name: &Path,
    choice: Option<usize>,
) -> io::Result<Recognised> {
    let watch = Arc::new(Watch::default());
    let tracked = Tracked::new(source, watch.clone());
    let looked = match open(tracked, &watch) {
        Ok(mut archive) => Looked::into(&mut archive, choice),
        Err(error) => Looked::damaged(&error, file_size),
    };
    match watch.take_failure() {
        Some(failure) => Err(failure),
        None => Ok(looked.recognised(name, file_size)),
    }
}

/// What was found in the entries.
#[derive(Default)]
struct Looked {
    images: Vec<(Entry, Inside)>,
    /// Why there are no more of them.
    refused: Vec<Refused>,
    encrypted: Vec<String>,
    names: Vec<String>,
    /// An entry was chosen: it counts whatever it looks like.
    is_chosen: bool,
}

impl Looked {
    fn damaged(error: &ZipError, file_size: u64) -> Self {
        let why = match error {
            ZipError::UnsupportedArchive(_) => Refusal::UnsupportedMethod(String::new()),
            _ => Refusal::Corrupt { at: file_size },
        };
        Self {
            refused: vec![in_archive(why)],
            is_chosen: true,
            ..Self::default()
        }
    }

    fn into<R: Read + Seek>(archive: &mut ZipArchive<R>, choice: Option<usize>) -> Self {
        let mut looked = Self {
            is_chosen: choice.is_some(),
            ..Self::default()
        };
        for candidate in looked.candidates(archive, choice) {
            match candidate.look(archive) {
                Ok(inside) => looked.images.push((candidate.entry, inside)),
                Err(Refused {
                    why: Refusal::Encrypted(names),
                    ..
                }) => looked.encrypted.extend(names),
                Err(refused) => looked.refused.push(refused),
            }
        }
        looked
    }

    /// The entries to be looked into, in their order.
    fn candidates<R: Read + Seek>(
        &mut self,
        archive: &ZipArchive<R>,
        choice: Option<usize>,
    ) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        for index in 0..archive.len() {
            let Ok(candidate) = Candidate::at(archive, index) else {
                continue;
            };
            if self.names.len() < MOST_NAMES {
                self.names.push(candidate.entry.name.clone());
            }
            let is_wanted = choice.is_none_or(|choice| choice == index);
            if is_wanted && candidate.may_be_image() {
                candidates.push(candidate);
            }
        }
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.entry.size));
        candidates.truncate(MOST_CANDIDATES);
        candidates.sort_by_key(|candidate| candidate.entry.index);
        candidates
    }

    fn recognised(mut self, name: &Path, file_size: u64) -> Recognised {
        self.leave_out_unlikely();
        if self.images.len() > 1 {
            let entries = self.images.into_iter().map(|(entry, _)| entry);
            return Recognised::Choice(entries.collect());
        }
        if let Some((entry, inside)) = self.images.pop() {
            return image_file(inside, Some(entry), file_size, name);
        }
        Recognised::Refused(self.refused())
    }

    /// Bytes without any mark of a disk are taken for an image only where no other entry has such
    /// a mark, and where their name says so.
    fn leave_out_unlikely(&mut self) {
        if self.is_chosen {
            return;
        }
        let any_marked = self.images.iter().any(|(_, inside)| inside.is_marked());
        self.images.retain(|(entry, inside)| {
            inside.is_marked() || (!any_marked && NameClaim::of(Path::new(&entry.name)).is_some())
        });
    }

    fn refused(mut self) -> Refused {
        if !self.encrypted.is_empty() {
            return in_archive(Refusal::Encrypted(self.encrypted));
        }
        // What looked like an image and was none tells more than a list of names.
        let telling = self.refused.iter().position(|refused| {
            self.is_chosen
                || matches!(
                    refused.why,
                    Refusal::Corrupt { .. }
                        | Refusal::Truncated { .. }
                        | Refusal::TooMuchMemory { .. }
                        | Refusal::UnsupportedMethod(_)
                )
        });
        match telling {
            Some(index) => self.refused.swap_remove(index),
            None => in_archive(Refusal::NoImageInside(self.names)),
        }
    }
}

fn in_archive(why: Refusal) -> Refused {
    Refused {
        why,
        inside: vec![Container::Zip],
    }
}

/// What lies in an entry, from its first bytes.
fn see_through_entry(head: Vec<u8>, size: u64) -> Result<Inside, Refused> {
    see_through(head, &[], Some(size), vec![Container::Zip])
}
