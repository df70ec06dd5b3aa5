use super::container::little_endian_32;

/// Formats that hold disks or archives in a way that is not written to a stick as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unsupported {
    /// Virtual PC and Hyper-V, `.vhd`.
    Vhd,
    /// Hyper-V, `.vhdx`.
    Vhdx,
    /// QEMU, `.qcow2`.
    Qcow2,
    /// `VMware`, `.vmdk`.
    Vmdk,
    /// `VirtualBox`, `.vdi`.
    Vdi,
    /// macOS, `.dmg`.
    Dmg,
    /// Windows imaging, `.wim` and `.esd`: files, not a disk.
    Wim,
    /// Android's sparse image.
    AndroidSparse,
    /// A CD read with its error correction, `.bin` beside `.cue`.
    RawCd,
    /// `.7z`.
    SevenZip,
    /// `.rar`.
    Rar,
    /// `.lzma`, the forerunner of xz.
    Lzma,
    /// `.lz`.
    Lzip,
    /// `.lzo`.
    Lzop,
    /// `.Z`.
    Compress,
    /// `.lz4` in the format from before its frames.
    Lz4Legacy,
}

/// How they begin.
const BEGINNINGS: [(&[u8], Unsupported); 15] = [
    (b"conectix", Unsupported::Vhd),
    (b"vhdxfile", Unsupported::Vhdx),
    (b"QFI\xFB", Unsupported::Qcow2),
    (b"KDMV", Unsupported::Vmdk),
    (b"# Disk DescriptorFile", Unsupported::Vmdk),
    (b"MSWIM\0\0\0", Unsupported::Wim),
    (b"\x3A\xFF\x26\xED", Unsupported::AndroidSparse),
    (
        b"\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0",
        Unsupported::RawCd,
    ),
    (b"7z\xBC\xAF\x27\x1C", Unsupported::SevenZip),
    (b"Rar!\x1A\x07", Unsupported::Rar),
    (b"LZIP", Unsupported::Lzip),
    (b"\x89LZO\0\r\n\x1A\n", Unsupported::Lzop),
    (b"\x1F\x9D", Unsupported::Compress),
    (b"\x1F\xA0", Unsupported::Compress),
    (b"\x02\x21\x4C\x18", Unsupported::Lz4Legacy),
];

/// `VirtualBox` writes any words first, and this after them.
const VDI: u32 = 0xBEDA_107F;
/// The last bytes of a disk may be a footer of this size that names its format.
const FOOTER: usize = 512;

impl Unsupported {
    /// Recognises it by the file's first and last bytes.
    pub(super) fn of(head: &[u8], tail: &[u8]) -> Option<Self> {
        let beginning = BEGINNINGS
            .iter()
            .find(|(beginning, _)| head.starts_with(beginning));
        if let Some((_, format)) = beginning {
            return Some(*format);
        }
        // Its usual settings, a dictionary of any size, and an open end.
        if head.starts_with(&[0x5D, 0, 0]) && head.get(5..13) == Some(&[0xFF; 8]) {
            return Some(Self::Lzma);
        }
        if little_endian_32(head, 0x40) == Some(VDI) {
            return Some(Self::Vdi);
        }
        let footer = tail.last_chunk::<FOOTER>()?;
        if footer.starts_with(b"conectix") {
            return Some(Self::Vhd);
        }
        footer.starts_with(b"koly").then_some(Self::Dmg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_footer_tells_what_the_beginning_hides() {
        let head = [0; 4096];
        let mut tail = [0; 512];
        assert_eq!(Unsupported::of(&head, &tail), None);
        tail[..8].copy_from_slice(b"conectix");
        assert_eq!(Unsupported::of(&head, &tail), Some(Unsupported::Vhd));
        tail[..8].copy_from_slice(b"koly\0\0\0\x04");
        assert_eq!(Unsupported::of(&head, &tail), Some(Unsupported::Dmg));
    }

    #[test]
    fn what_came_before_xz_is_known_whatever_its_dictionary() {
        for dictionary in [[4, 0], [0x80, 0], [0, 4]] {
            let head = [&[0x5D, 0, 0][..], &dictionary, &[0xFF; 8], &[0; 9]].concat();
            assert_eq!(Unsupported::of(&head, &[]), Some(Unsupported::Lzma));
        }
    }

    #[test]
    fn virtual_box_is_known_whatever_words_come_first() {
        let mut head = [0; 512];
        head[..9].copy_from_slice(b"<<< words");
        head[0x40..0x44].copy_from_slice(&VDI.to_le_bytes());
        assert_eq!(Unsupported::of(&head, &[]), Some(Unsupported::Vdi));
    }
}
