/// Things that people have beside their images and that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NoImage {
    /// Text of any sort.
    Text,
    /// A page from the web, as a download that failed leaves it.
    WebPage,
    /// XML.
    Xml,
    /// PDF.
    Pdf,
    /// A tar archive: files, not a disk.
    Tar,
    /// Any other archive of files, or a package.
    Archive,
    /// A program.
    Program,
    /// A picture.
    Picture,
    /// A video.
    Video,
    /// Music or speech.
    Audio,
    /// A document of an office program, a book, a font, a data base.
    Document,
}

impl NoImage {
    /// Recognises what is not text by how it begins. To be asked only about files without any
    /// mark of a disk: some of these marks are short.
    pub(super) fn of(head: &[u8]) -> Option<Self> {
        if head.get(257..262) == Some(b"ustar") {
            return Some(Self::Tar);
        }
        let kind = infer::get(head)?;
        match (kind.matcher_type(), kind.extension()) {
            // Marks of one or two bytes that say nothing.
            (_, "obj" | "der" | "dey") | (infer::MatcherType::Custom, _) => None,
            (_, "pdf") => Some(Self::Pdf),
            (_, "sqlite" | "rtf" | "eot" | "ps" | "dcm" | "pem") => Some(Self::Document),
            (_, "nes" | "swf") | (infer::MatcherType::App, _) => Some(Self::Program),
            (infer::MatcherType::Archive, _) => Some(Self::Archive),
            (infer::MatcherType::Audio, _) => Some(Self::Audio),
            (infer::MatcherType::Image, _) => Some(Self::Picture),
            (infer::MatcherType::Video, _) => Some(Self::Video),
            (infer::MatcherType::Text, _) => Some(Self::Text),
            (infer::MatcherType::Book | infer::MatcherType::Doc | infer::MatcherType::Font, _) => {
                Some(Self::Document)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_people_have_beside_their_images_is_named() {
        let mut tar = vec![0; 512];
        tar[257..265].copy_from_slice(b"ustar  \0");
        for (head, what) in [
            (&tar[..], NoImage::Tar),
            (b"%PDF-1.7\n\0\x01\x02", NoImage::Pdf),
            (
                b"\x7FELF\x02\x01\x01\0..................................................",
                NoImage::Program,
            ),
            (b"MZ\x90\0", NoImage::Program),
            (b"\x89PNG\r\n\x1A\n\0\0\0\rIHDR", NoImage::Picture),
            (b"\xFF\xD8\xFF\xE0\0\x10JFIF", NoImage::Picture),
            (b"ID3\x03\0", NoImage::Audio),
            (b"\0\0\0\x18ftypmp42", NoImage::Video),
            (b"SQLite format 3\0", NoImage::Document),
            (b"!<arch>\ndebian-binary   ", NoImage::Archive),
        ] {
            assert_eq!(
                NoImage::of(head),
                Some(what),
                "{:?}",
                head.first_chunk::<4>()
            );
        }
    }

    #[test]
    fn zeroes_and_machine_code_without_marks_are_not_named() {
        assert_eq!(NoImage::of(&[0; 4096]), None);
        assert_eq!(NoImage::of(&[0xEA, 0x05, 0, 0xC0, 0x07, 0xFA]), None);
    }
}
