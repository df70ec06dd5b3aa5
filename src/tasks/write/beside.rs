//! What is published beside an image: its checksum and its block map.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{GivenChecksum, GivenMap};
use crate::engine::bmap::Bmap;
use crate::engine::checksum::{Checksum, Found, List, ListError, Of};
use crate::engine::image::ImageFile;
use crate::tasks::{About, Failure, Kind};

/// No list and no map is larger. Bytes.
const LARGEST: u64 = 64 << 20;

/// What is put behind an image's name, or behind that of what is packed in it, for its checksum.
const OF_ONE: [&str; 9] = [
    ".sha512",
    ".sha512sum",
    ".b3",
    ".sha256",
    ".sha256sum",
    ".sha1",
    ".sha1sum",
    ".md5",
    ".md5sum",
];
/// What the lists of a whole folder are called.
const OF_ALL: [&str; 8] = [
    "SHA512SUMS",
    "B3SUMS",
    "SHA256SUMS",
    "sha256sums.txt",
    "sha256sum.txt",
    "CHECKSUM",
    "SHA1SUMS",
    "MD5SUMS",
];

/// The checksum that the image must have, and what a person should know of it.
pub(super) fn checksum(
    given: &GivenChecksum,
    image: &Path,
    notes: &mut Vec<Failure>,
) -> Result<Option<Found>, Failure> {
    match given {
        GivenChecksum::None => Ok(None),
        GivenChecksum::Value(text) => match Checksum::parse(text, "") {
            Some(checksum) => Ok(Some(Found {
                checksum,
                of: Of::File,
            })),
            None => Err(Failure::new(Kind::NotAChecksum, text)),
        },
        GivenChecksum::List(path) => {
            let listed = List::parse(&read(path)?, &path.to_string_lossy());
            let list = listed.map_err(|error| unlisted(path, error))?;
            let name = image.file_name().unwrap_or_default().to_string_lossy();
            let found = list.find(&name).map_err(|error| match error {
                ListError::NoEntry { .. } => unlisted(image, error),
                ListError::NotAChecksum => unlisted(path, error),
            })?;
            if list.signed {
                notes.push(Failure::of_file(Kind::SignatureUnchecked, path));
            }
            Ok(Some(found))
        }
    }
}

fn unlisted(path: &Path, error: ListError) -> Failure {
    let detail = error.to_string();
    let failure = match error {
        ListError::NotAChecksum => Failure::of_file(Kind::NotAChecksum, path),
        ListError::NoEntry { names } => {
            Failure::of_file(Kind::ChecksumNoEntry, path).about(About::Names(names))
        }
    };
    Failure { detail, ..failure }
}

/// The map that is used. One that lies beside the image and cannot be trusted is passed over, and
/// a person is told.
pub(super) fn map(
    given: &GivenMap,
    path: &Path,
    image: &ImageFile,
    notes: &mut Vec<Failure>,
) -> Result<Option<Bmap>, Failure> {
    match given {
        GivenMap::None => Ok(None),
        GivenMap::File(map) => read_map(map, image).map(Some),
        GivenMap::Beside => Ok(map_beside(path, image, notes).map(|(_, map)| map)),
    }
}

/// The map that lies beside the image, and where.
pub(super) fn map_beside(
    path: &Path,
    image: &ImageFile,
    notes: &mut Vec<Failure>,
) -> Option<(PathBuf, Bmap)> {
    let mut places = places(path, image).into_iter();
    let found = places.find(|place| place.is_file())?;
    match read_map(&found, image) {
        Ok(map) => Some((found, map)),
        Err(failure) => {
            notes.push(Failure {
                kind: Kind::BmapIgnored,
                ..failure
            });
            None
        }
    }
}

/// A list of checksums that lies beside the image and has one for it, the strongest first.
pub(super) fn list_beside(image: &Path) -> Option<PathBuf> {
    let name = image.file_name()?.to_string_lossy();
    let inside = image.with_extension("");
    let has_entry = |place: &PathBuf| {
        let list = place.is_file().then(|| read(place).ok()).flatten();
        let list = list.and_then(|bytes| List::parse(&bytes, &place.to_string_lossy()).ok());
        list.is_some_and(|list| list.find(&name).is_ok())
    };
    let mut places = OF_ONE
        .iter()
        .flat_map(|ending| [with(image, ending), with(&inside, ending)])
        .chain(OF_ALL.iter().map(|list| image.with_file_name(list)));
    places.find(has_entry)
}

fn read_map(path: &Path, image: &ImageFile) -> Result<Bmap, Failure> {
    let unusable = |detail: String| Failure {
        detail,
        ..Failure::of_file(Kind::BmapUnusable, path)
    };
    let map = Bmap::parse(&read(path)?).map_err(|error| unusable(error.to_string()))?;
    let (has, says) = (image.size, map.image_size());
    if has.at_least() > says || has.exact().is_some_and(|size| size != says) {
        return Err(unusable(format!("it is for {says} bytes, not for {has:?}")));
    }
    Ok(map)
}

/// Where the map of an image may lie: its name with `.bmap` behind it, or that in place of the
/// ending of what it is packed in.
fn places(image: &Path, file: &ImageFile) -> Vec<PathBuf> {
    let inside = (!file.containers.is_empty()).then(|| image.with_extension(""));
    let names = std::iter::once(image.to_path_buf()).chain(inside);
    names.map(|name| with(&name, ".bmap")).collect()
}

fn with(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => {
            let kind = match error.kind() {
                io::ErrorKind::NotFound => Kind::SourceGone,
                _ => Kind::Unreadable,
            };
            Err(Failure {
                detail: error.to_string(),
                ..Failure::of_file(kind, path)
            })
        }
    }
}
