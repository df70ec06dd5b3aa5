//! The sentences about images and whole sticks.

use super::{Arg, Wording, wording};
use crate::engine::image::{NoImage, Refusal, SideFile, Unsupported};
use crate::tasks::{About, Failure, ImageLeft, Kind};

/// The sentence for what a failure tells beside its file; `None` where the one of its kind says
/// it all.
pub(super) fn of_failure(failure: &Failure, name: &str) -> Option<Wording> {
    let sentence = match (failure.kind, failure.about.as_ref()?) {
        (_, About::Refused(refusal)) => of_refusal(refusal)?,
        (Kind::ImageTooLarge, About::Sizes { size, limit }) => {
            wording("“{name}” needs {size}, but the stick has only {limit}.")
                .arg("size", Arg::Need(*size))
                .size("limit", *limit)
        }
        (Kind::ImageTooLarge, About::Limit(limit)) => {
            wording("“{name}” is larger than the stick, which has {limit}.").size("limit", *limit)
        }
        (Kind::VerifyMismatch, About::Offset(offset)) => wording(
            "{offset} from its start, the stick reads back differently from what was written. It may be failing.",
        )
        .size("offset", *offset),
        (Kind::IoError, About::Offset(offset)) => {
            wording("{offset} from its start, the stick reports an error. It may be failing.")
                .size("offset", *offset)
        }
        _ => return None,
    };
    Some(sentence.text("name", name))
}

/// What is on a stick whose image was not written to its end, and what helps.
pub(super) fn of_left(left: ImageLeft, failed: Option<Kind>) -> Vec<Wording> {
    let nothing = || wording("Nothing was written to the stick.");
    vec![match (left, failed) {
        (ImageLeft::AsBefore, Some(Kind::FakeCapacity)) => {
            return vec![nothing(), wording("Use another stick.")];
        }
        (ImageLeft::AsBefore, _) => nothing(),
        (_, Some(Kind::FakeCapacity)) => wording(
            "The stick holds only a part of the image and can’t be used like this. Use another stick.",
        ),
        // The same image would fail again.
        (
            ImageLeft::Incomplete,
            Some(
                Kind::ImageCorrupt
                | Kind::ImageTooLarge
                | Kind::ImageUnsupported
                | Kind::ChecksumMismatch,
            ),
        ) => wording(
            "The stick holds only a part of the image and can’t be used like this. Write another image, or format the stick.",
        ),
        (ImageLeft::Incomplete, _) => wording(
            "The stick holds only a part of the image and can’t be used like this. Write the image again, or format the stick.",
        ),
        (ImageLeft::Unknown, _) => {
            wording("The image may not be whole on the stick. Write it again, or format the stick.")
        }
    }]
}

/// `None`: its kind says it all.
fn of_refusal(refusal: &Refusal) -> Option<Wording> {
    Some(match refusal {
        Refusal::Empty
        | Refusal::Corrupt { .. }
        | Refusal::Truncated { .. }
        | Refusal::NoImageInside(_) => return None,
        Refusal::TooShort => wording("“{name}” is too small to be a disk image."),
        Refusal::SideFile(SideFile::Checksums) => {
            wording("“{name}” holds the checksum of an image. Choose the image itself.")
        }
        Refusal::SideFile(SideFile::Bmap) => {
            wording("“{name}” is the block map of an image. Choose the image itself.")
        }
        Refusal::SideFile(SideFile::Signature) => {
            wording("“{name}” is the signature of an image. Choose the image itself.")
        }
        Refusal::NoImage(what) => of_no_image(*what),
        Refusal::Unsupported(format) => of_unsupported(*format),
        Refusal::Encrypted(_) => wording("“{name}” needs a password. Unpack it first."),
        Refusal::UnsupportedMethod(_) => {
            wording("“{name}” is packed in a way that Steady can’t unpack. Unpack it first.")
        }
        Refusal::PackedTooOften => wording("“{name}” is packed several times. Unpack it first."),
        Refusal::TooMuchMemory { .. } => {
            wording("Unpacking “{name}” needs too much memory. Unpack it first.")
        }
    })
}

fn of_no_image(what: NoImage) -> Wording {
    match what {
        NoImage::Text => wording("“{name}” is a text, not a disk image."),
        NoImage::WebPage => {
            wording("“{name}” is a web page, not a disk image. Download the image again.")
        }
        NoImage::Xml | NoImage::Pdf | NoImage::Document => {
            wording("“{name}” is a document, not a disk image.")
        }
        NoImage::Tar | NoImage::Archive => {
            wording("“{name}” holds files, not a disk image. Unpack it and copy the files.")
        }
        NoImage::Program => wording("“{name}” is a program, not a disk image."),
        NoImage::Picture => wording("“{name}” is a picture, not a disk image."),
        NoImage::Video => wording("“{name}” is a video, not a disk image."),
        NoImage::Audio => wording("“{name}” is a sound file, not a disk image."),
    }
}

fn of_unsupported(format: Unsupported) -> Wording {
    let disk = |format| {
        wording(
            "“{name}” is a disk of the kind {format}, which a stick can’t hold as it is. Convert it to a raw image first.",
        )
        .text("format", format)
    };
    let packed = |format| {
        wording("“{name}” is packed as {format}, which Steady can’t unpack. Unpack it first.")
            .text("format", format)
    };
    match format {
        Unsupported::Vhd => disk("VHD"),
        Unsupported::Vhdx => disk("VHDX"),
        Unsupported::Qcow2 => disk("QCOW2"),
        Unsupported::Vmdk => disk("VMDK"),
        Unsupported::Vdi => disk("VDI"),
        Unsupported::Dmg => disk("DMG"),
        Unsupported::AndroidSparse => disk("Android sparse"),
        Unsupported::RawCd => disk("BIN/CUE"),
        Unsupported::Wim => wording("“{name}” holds files for installing Windows, not a disk."),
        Unsupported::SevenZip => packed("7z"),
        Unsupported::Rar => packed("RAR"),
        Unsupported::Lzma => packed("LZMA"),
        Unsupported::Lzip => packed("lzip"),
        Unsupported::Lzop => packed("LZO"),
        Unsupported::Compress => packed("Z"),
        Unsupported::Lz4Legacy => packed("LZ4 (old)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(left: ImageLeft, failed: Option<Kind>) -> String {
        let sentences = of_left(left, failed).into_iter();
        let sentences: Vec<_> = sentences.map(|it| it.english()).collect();
        sentences.join(" ")
    }

    #[test]
    fn w04_nobody_is_told_to_write_to_a_fake_stick_again() {
        for left in [
            ImageLeft::AsBefore,
            ImageLeft::Incomplete,
            ImageLeft::Unknown,
        ] {
            let told = told(left, Some(Kind::FakeCapacity));
            assert!(told.ends_with("Use another stick."), "{told}");
            assert!(
                !told.contains("again") && !told.contains("format"),
                "{told}"
            );
        }
    }

    #[test]
    fn i08_nobody_is_told_to_write_a_broken_image_again() {
        for kind in [
            Kind::ImageCorrupt,
            Kind::ChecksumMismatch,
            Kind::ImageTooLarge,
        ] {
            let told = told(ImageLeft::Incomplete, Some(kind));
            assert!(told.contains("Write another image"), "{told}");
        }
        for failed in [None, Some(Kind::IoError), Some(Kind::TargetGone)] {
            let told = told(ImageLeft::Incomplete, failed);
            assert!(told.contains("Write the image again"), "{told}");
        }
    }
}
