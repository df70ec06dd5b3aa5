//! The image as the sticks' jobs read it.

use std::io;
use std::path::PathBuf;

use crate::engine::Error;
use crate::engine::bmap::Bmap;
use crate::engine::checksum::{Found, Of};
use crate::engine::device::{Image, Opened};
use crate::engine::image::{DecodeError, Decoded, ImageFile};

/// Unpacks the file anew for each reader.
pub(super) fn source(
    path: PathBuf,
    file: ImageFile,
    checksum: Option<Found>,
    map: Option<Bmap>,
) -> Image {
    // A plain file is its own content, which the engine computes by itself.
    let of_packed = checksum
        .as_ref()
        .filter(|found| found.of == Of::File && !file.containers.is_empty())
        .map(|found| found.checksum.algorithm());
    let (size, memory) = (file.size.exact(), file.memory);
    let mut image = Image::new(move || {
        let (decoded, tap) = match of_packed {
            Some(algorithm) => {
                let opened = Decoded::open_with_checksum(&path, &file, algorithm);
                let (decoded, tap) = opened.map_err(unreadable)?;
                (decoded, Some(tap))
            }
            None => (Decoded::open(&path, &file).map_err(unreadable)?, None),
        };
        let progress = decoded.progress();
        Ok(Opened {
            reader: Box::new(decoded),
            tap,
            used: Some(Box::new(move || progress.consumed())),
        })
    });
    image.size = size;
    image.checksum = checksum.map(|found| found.checksum);
    image.map = map;
    image.memory = memory;
    image
}

fn unreadable(error: Error) -> io::Error {
    io::Error::new(error.cause.kind(), DecodeError::Source(error))
}
