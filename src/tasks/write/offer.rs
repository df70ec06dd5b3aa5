//! What a file that a person chose can be used for, beside being copied.

use std::path::{Path, PathBuf};

use super::{Looked, beside, look, look_at_image, too_large};
use crate::drives::Drive;
use crate::engine::bmap::Bmap;
use crate::engine::image::{Boot, Entry, ImageFile, Refusal, SideFile, Unsupported};
use crate::tasks::{About, Failure};

/// What a chosen file is to somebody who wants something on a stick. Whatever it is, it can be
/// copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Offer {
    /// A file like any other.
    File,
    /// It can be written as an image.
    Image(Box<OfferedImage>),
    /// The same, once one of the images in it is chosen.
    Choice(Vec<Entry>),
    /// People may take it for an image, and it is not written as one.
    Refused(Failure),
}

/// An image that can be written, and what was found beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfferedImage {
    /// The file that holds it.
    pub path: PathBuf,
    /// What it is.
    pub file: ImageFile,
    /// A list of checksums beside it that has one for it.
    pub checksum: Option<PathBuf>,
    /// The block map beside it.
    pub map: Option<PathBuf>,
    /// Bytes that are written to a stick, where that is known.
    pub bytes: Option<u64>,
    /// What a person should know of it.
    pub notes: Vec<Failure>,
    /// Bytes that a stick needs at least.
    needs: u64,
}

impl OfferedImage {
    /// Whether a computer can be expected to start from it, so that most people want it written.
    pub fn is_bootable(&self) -> bool {
        self.file.layout.boot() == Boot::Expected
    }

    /// Why the stick cannot take it, as far as that is known.
    pub fn objection(&self, drive: &Drive) -> Option<Failure> {
        too_large(&self.path, self.needs, drive)
    }
}

/// Looks at a file, and at `entry` in it. What cannot be looked at is for the copy to tell. Blocks:
/// belongs on a worker thread.
pub fn offer_image(path: &Path, entry: Option<&str>) -> Offer {
    if !path.is_file() {
        return Offer::File;
    }
    match look_at_image(path, entry) {
        // An archive's entries have been judged by their own names.
        Ok(Looked::Image(file))
            if file.layout.is_marked() || file.entry.is_some() || is_called_image(path) =>
        {
            Offer::Image(Box::new(offered(path, *file)))
        }
        Ok(Looked::Choice(entries)) => Offer::Choice(entries),
        Err(failure) if may_be_meant(path, &failure) => Offer::Refused(failure),
        Ok(Looked::Image(_)) | Err(_) => Offer::File,
    }
}

fn offered(path: &Path, file: ImageFile) -> OfferedImage {
    let mut notes = look::notes(path, &file);
    let map = beside::map_beside(path, &file, &mut notes);
    let whole = file.size;
    OfferedImage {
        path: path.to_path_buf(),
        checksum: beside::list_beside(path),
        bytes: map
            .as_ref()
            .map(|(_, map)| map.mapped_bytes())
            .or(whole.exact()),
        needs: map
            .as_ref()
            .map_or(whole.at_least(), |(_, map)| Bmap::image_size(map)),
        map: map.map(|(path, _)| path),
        notes,
        file,
    }
}

/// Whether people take the file for an image by its name, as `a.img.xz` and `a.iso.sig`.
fn is_called_image(path: &Path) -> bool {
    const ENDINGS: [&str; 14] = [
        "img", "iso", "raw", "dd", "usb", "wic", "hddimg", "sdcard", "vhd", "vhdx", "qcow2",
        "vmdk", "vdi", "dmg",
    ];
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut endings = name.split('.').skip(1);
    endings.any(|ending| ENDINGS.contains(&ending.to_ascii_lowercase().as_str()))
}

/// Nobody wants to hear that a film is no disk image.
fn may_be_meant(path: &Path, failure: &Failure) -> bool {
    let Some(About::Refused(why)) = &failure.about else {
        return false;
    };
    is_called_image(path)
        || match why {
            Refusal::Unsupported(format) => is_disk(*format),
            Refusal::SideFile(side) => *side != SideFile::Signature,
            Refusal::Truncated { .. } => true,
            _ => false,
        }
}

fn is_disk(format: Unsupported) -> bool {
    match format {
        Unsupported::Vhd
        | Unsupported::Vhdx
        | Unsupported::Qcow2
        | Unsupported::Vmdk
        | Unsupported::Vdi
        | Unsupported::Dmg
        | Unsupported::AndroidSparse
        | Unsupported::RawCd => true,
        Unsupported::Wim
        | Unsupported::SevenZip
        | Unsupported::Rar
        | Unsupported::Lzma
        | Unsupported::Lzip
        | Unsupported::Lzop
        | Unsupported::Compress
        | Unsupported::Lz4Legacy => false,
    }
}
