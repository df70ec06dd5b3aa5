use std::fmt;
use std::io::{self, Read};
use std::ops::Range;

use crate::engine::bmap::Bmap;
use crate::engine::checksum::{Checksum, Tap};

type Open = dyn Fn() -> io::Result<Opened> + Send + Sync;

/// An image to be written, and what is known of it. It can be read more than once.
pub struct Image {
    open: Box<Open>,
    /// Bytes, decoded, where that is known for certain: it is held to.
    pub size: Option<u64>,
    /// A published checksum: of the packed file where [`Opened::tap`] is given, else of the image.
    pub checksum: Option<Checksum>,
    /// What of it is written, where a block map says so.
    pub map: Option<Bmap>,
    /// Bytes of memory that each reader of it takes.
    pub memory: u64,
}

/// An image opened to be read from its start to its end.
pub struct Opened {
    /// Its bytes, decoded.
    pub reader: Box<dyn Read + Send>,
    /// The checksum of the packed file, where that is wanted.
    pub tap: Option<Tap>,
    /// Bytes of the packed file that the reader has used so far.
    pub used: Option<Box<dyn Fn() -> u64 + Send>>,
}

impl Image {
    /// One that `open` opens, each time anew.
    pub fn new(open: impl Fn() -> io::Result<Opened> + Send + Sync + 'static) -> Self {
        Self {
            open: Box::new(open),
            size: None,
            checksum: None,
            map: None,
            memory: 0,
        }
    }

    pub(super) fn open(&self) -> io::Result<Opened> {
        (self.open)()
    }

    /// Bytes, if that is known before it is read.
    pub(super) fn known_size(&self) -> Option<u64> {
        self.size.or(self.map.as_ref().map(Bmap::image_size))
    }

    /// What of a part of it is written.
    pub(super) fn written_of(&self, part: Range<u64>) -> Vec<Range<u64>> {
        match &self.map {
            Some(map) => map.within(part).collect(),
            None if part.is_empty() => Vec::new(),
            None => vec![part],
        }
    }

    /// Bytes that are written of an image of that size.
    pub(super) fn mapped(&self, size: u64) -> u64 {
        self.map.as_ref().map_or(size, Bmap::mapped_bytes)
    }
}

impl Opened {
    /// Plain bytes.
    pub fn new(reader: impl Read + Send + 'static) -> Self {
        Self {
            reader: Box::new(reader),
            tap: None,
            used: None,
        }
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Image");
        fields.field("size", &self.size).finish_non_exhaustive()
    }
}

/// Fills the buffer, or as much of it as there is up to the end; short and interrupted reads are
/// no end.
pub(super) fn fill(reader: &mut dyn Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
