//! Files in a folder of the test's own.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::read_all;
use crate::engine::image::{Decoded, ImageFile, Recognised, Refusal, Refused, look};

pub(super) struct Files(TempDir);

impl Files {
    pub(super) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// What such a file is.
pub(super) fn recognised(name: &str, bytes: &[u8]) -> Recognised {
    look(&Files::new().put(name, bytes), None).unwrap()
}

/// The image that such a file is.
pub(super) fn image(name: &str, bytes: &[u8]) -> ImageFile {
    match recognised(name, bytes) {
        Recognised::Image(image) => image,
        other => panic!("{name} is an image, not {other:?}"),
    }
}

/// Why such a file is refused.
pub(super) fn refusal(name: &str, bytes: &[u8]) -> Refusal {
    refused(name, bytes).why
}

pub(super) fn refused(name: &str, bytes: &[u8]) -> Refused {
    match recognised(name, bytes) {
        Recognised::Refused(refused) => refused,
        other => panic!("{name} is refused, not {other:?}"),
    }
}

/// The bytes of the image in a file that was looked at.
pub(super) fn unpack(path: &Path, image: &ImageFile) -> std::io::Result<Vec<u8>> {
    read_all(&mut Decoded::open(path, image).unwrap())
}
