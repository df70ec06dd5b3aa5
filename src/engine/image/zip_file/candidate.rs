use std::borrow::Cow;
use std::io::{ErrorKind, Read, Seek};

use zip::ZipArchive;
use zip::result::{ZipError, ZipResult};

use super::{in_archive, see_through_entry};
use crate::engine::image::content::HEAD;
use crate::engine::image::recognise::Inside;
use crate::engine::image::{Entry, Refusal, Refused};

/// An entry of an archive that may be an image.
pub(super) struct Candidate {
    pub entry: Entry,
    is_file: bool,
    is_encrypted: bool,
}

impl Candidate {
    pub(super) fn at<R: Read + Seek>(archive: &ZipArchive<R>, index: usize) -> ZipResult<Self> {
        let data = archive.by_index_data(index)?;
        let name = data.name().map_or_else(
            |_| String::from_utf8_lossy(data.name_raw()).into_owned(),
            Cow::into_owned,
        );
        Ok(Self {
            is_file: data.is_file(),
            is_encrypted: data.encrypted(),
            entry: Entry {
                index,
                name,
                size: data.size(),
                packed_size: data.compressed_size(),
            },
        })
    }

    /// Folders, empty files and what macOS puts beside each file are none.
    pub(super) fn may_be_image(&self) -> bool {
        let name = &self.entry.name;
        let base = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let of_mac = name.starts_with("__MACOSX/") || base.starts_with("._");
        self.is_file && self.entry.size > 0 && !of_mac
    }

    /// Looks at its first bytes.
    pub(super) fn look<R: Read + Seek>(
        &self,
        archive: &mut ZipArchive<R>,
    ) -> Result<Inside, Refused> {
        let name = || self.entry.name.clone();
        if self.is_encrypted {
            return Err(in_archive(Refusal::Encrypted(vec![name()])));
        }
        let mut head = Vec::new();
        let result = archive.by_index(self.entry.index).and_then(|reader| {
            // One byte more than there should be, so that the checksum of a small one is looked at.
            Ok(reader.take(HEAD as u64 + 1).read_to_end(&mut head)?)
        });
        let why = match result {
            Ok(_) if head.len() <= HEAD && head.len() as u64 != self.entry.size => {
                Refusal::Corrupt {
                    at: self.entry.packed_size,
                }
            }
            Ok(_) => {
                head.truncate(HEAD);
                return see_through_entry(head, self.entry.size);
            }
            Err(ZipError::CompressionMethodNotSupported(_) | ZipError::UnsupportedArchive(_)) => {
                Refusal::UnsupportedMethod(name())
            }
            // Told when it is read.
            Err(ZipError::Io(error)) if error.kind() == ErrorKind::Unsupported => {
                Refusal::UnsupportedMethod(name())
            }
            Err(_) => Refusal::Corrupt { at: 0 },
        };
        Err(in_archive(why))
    }
}
