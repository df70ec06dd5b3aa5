//! What a file is that a person wants to write.

use std::path::Path;

use crate::engine::image::{self, Boot, Entry, ImageFile, Recognised, Refusal, Refused};
use crate::tasks::{About, Failure, Kind};

/// A file that can be written as an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Looked {
    /// As it is.
    Image(Box<ImageFile>),
    /// Once one of the images in it is chosen, by its name.
    Choice(Vec<Entry>),
}

/// Looks at a file, and at `entry` in it. Whatever is no image is an error. Blocks: belongs on a
/// worker thread.
pub fn look_at_image(path: &Path, entry: Option<&str>) -> Result<Looked, Failure> {
    let recognised = match (image::look(path, None)?, entry) {
        (Recognised::Choice(entries), Some(name)) => {
            let chosen = entries.iter().find(|entry| entry.name == name);
            match chosen {
                Some(chosen) => image::look(path, Some(chosen.index))?,
                None => Recognised::Choice(entries),
            }
        }
        (recognised, _) => recognised,
    };
    match recognised {
        Recognised::Image(image) => Ok(Looked::Image(Box::new(image))),
        Recognised::Choice(entries) => Ok(Looked::Choice(entries)),
        Recognised::Refused(refused) => Err(refusal(path, refused)),
    }
}

fn refusal(path: &Path, Refused { why, .. }: Refused) -> Failure {
    let kind = match &why {
        Refusal::Empty => Kind::ImageEmpty,
        Refusal::TooShort | Refusal::SideFile(_) | Refusal::NoImage(_) => Kind::NotAnImage,
        Refusal::NoImageInside(_) => Kind::NoImageInside,
        Refusal::Corrupt { .. } | Refusal::Truncated { .. } => Kind::ImageCorrupt,
        Refusal::Unsupported(_)
        | Refusal::Encrypted(_)
        | Refusal::UnsupportedMethod(_)
        | Refusal::PackedTooOften
        | Refusal::TooMuchMemory { .. } => Kind::ImageUnsupported,
    };
    Failure {
        detail: format!("{why:?}"),
        ..Failure::of_file(kind, path)
    }
    .about(About::Refused(why))
}

/// What a person should know of an image that can be written.
pub(super) fn notes(path: &Path, image: &ImageFile) -> Vec<Failure> {
    let boot = match image.layout.boot() {
        Boot::Expected => None,
        Boot::NoTable => Some(Kind::WillNotBoot),
        Boot::WindowsInstaller => Some(Kind::WindowsInstaller),
    };
    let name = image.contradicts.map(|_| Kind::NameMismatch);
    boot.into_iter()
        .chain(name)
        .map(|kind| Failure::of_file(kind, path))
        .collect()
}
