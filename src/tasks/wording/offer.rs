//! What a person is told of an image before it is written.

use super::{Wording, file_name, wording};
use crate::engine::image::{Container, ImageFile};
use crate::tasks::OfferedImage;

/// What it is, then how large it is.
pub(super) fn of_image(file: &ImageFile) -> Vec<Wording> {
    vec![what(file), size(file)]
}

/// What was found beside it, and what it is used for.
pub(super) fn of_beside(image: &OfferedImage) -> Vec<Wording> {
    let checksum = image.checksum.as_deref().map(|list| {
        wording("The checksum in “{name}” is compared while the image is written.")
            .text("name", file_name(list))
    });
    let map = image.map.as_deref().map(|map| {
        wording("“{name}” tells which parts of the image are empty. They are left out.")
            .text("name", file_name(map))
    });
    checksum.into_iter().chain(map).collect()
}

fn what(file: &ImageFile) -> Wording {
    let layout = &file.layout;
    match (&layout.iso, layout.table, layout.file_system) {
        (Some(iso), _, _) if iso.windows => wording("Disc that installs Windows"),
        (Some(_), Some(_), _) => wording("Disc that works on sticks too"),
        (Some(_), None, _) => wording("CD or DVD"),
        (None, Some(_), _) => wording("Disk image"),
        (None, None, Some(_)) => wording("Disk image without partitions"),
        (None, None, None) => wording("No disk is recognised in it"),
    }
}

fn size(file: &ImageFile) -> Wording {
    let packed = file
        .entry
        .as_ref()
        .map_or(file.file_size, |it| it.packed_size);
    let Some(container) = file.containers.first() else {
        return nothing_but_size().size("size", file.file_size);
    };
    let sentence = match file.size.exact() {
        Some(size) => wording("{size}, packed as {format} in {packed}").size("size", size),
        None => wording("{packed}, packed as {format}. How much it is unpacked is not known."),
    };
    let sentence = sentence.size("packed", packed);
    sentence.text("format", format(*container))
}

/// Nothing to translate.
fn nothing_but_size() -> Wording {
    Wording {
        template: "{size}",
        plural: None,
        args: Vec::new(),
    }
}

/// As people know it from the ends of names.
fn format(container: Container) -> &'static str {
    match container {
        Container::Gzip => "gz",
        Container::Xz => "xz",
        Container::Zstd => "zst",
        Container::Bzip2 => "bz2",
        Container::Lz4 => "lz4",
        Container::Zip => "zip",
    }
}
