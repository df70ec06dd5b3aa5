use std::io::Read;

use liblzma::stream::Check;
use zip::CompressionMethod;
use zip::write::SimpleFileOptions;

use super::bytes::{Chance, mixed};
use super::files::{Files, unpack};
use super::readers::Fitful;
use super::{STREAMS, decode, disks, packers, read_all};
use crate::engine::image::{Container, Decoded, Recognised, Size, look};

const SIZES: [usize; 11] = [
    0,
    1,
    511,
    512,
    513,
    4095,
    4096,
    4097,
    (1 << 20) - 1,
    1 << 20,
    (1 << 20) + 1,
];

#[test]
fn each_container_yields_its_bytes_whatever_their_number() {
    for size in SIZES {
        let bytes = mixed(size);
        for container in STREAMS {
            let packed = packers::pack(container, &bytes);
            let decoded = decode(container, &packed).unwrap();
            assert!(decoded == bytes, "{container:?} of {size} bytes");
        }
    }
}

#[test]
fn a_plain_image_yields_its_bytes_whatever_their_number() {
    let files = Files::new();
    for size in SIZES {
        let bytes = mixed(size);
        let path = files.put("a", &bytes);
        let mut plain =
            Decoded::from_reader(std::fs::File::open(path).unwrap(), &[], Size::AtLeast(0));
        assert!(read_all(&mut plain).unwrap() == bytes, "{size} bytes");
    }
}

#[test]
fn an_archive_yields_its_entry_however_it_is_packed() {
    let options = SimpleFileOptions::default();
    for size in SIZES.into_iter().filter(|size| *size >= 4096) {
        let mut bytes = mixed(size);
        disks::add_mbr(&mut bytes, 1, 7);
        for options in [
            options.compression_method(CompressionMethod::Stored),
            options.compression_method(CompressionMethod::Deflated),
            options.compression_method(CompressionMethod::Bzip2),
            options.large_file(true),
        ] {
            let files = Files::new();
            let packed = packers::zip_with(&[("a.img", &bytes)], options);
            let path = files.put("a.zip", &packed);
            let Recognised::Image(image) = look(&path, None).unwrap() else {
                panic!("a zip of {size} bytes holds an image");
            };
            assert_eq!(image.size, Size::Exact(size as u64));
            assert!(unpack(&path, &image).unwrap() == bytes, "{size} bytes");
        }
    }
}

#[test]
fn all_checksums_of_xz_are_known() {
    let bytes = mixed(70_000);
    for check in [Check::None, Check::Crc32, Check::Crc64, Check::Sha256] {
        let packed = packers::xz(&bytes, check);
        assert!(decode(Container::Xz, &packed).unwrap() == bytes);
        let mut changed = packed;
        let at = changed.len() / 2;
        changed[at] ^= 1;
        assert!(decode(Container::Xz, &changed).is_err());
    }
}

#[test]
fn blocks_of_lz4_may_stand_alone() {
    let bytes = mixed(300_000);
    let packed = packers::lz4(&bytes, lz4_flex::frame::BlockMode::Independent);
    assert!(decode(Container::Lz4, &packed).unwrap() == bytes);
}

#[test]
fn w03_pieces_and_interruptions_change_nothing() {
    let bytes = mixed((1 << 20) + 1);
    for (seed, container) in STREAMS.into_iter().enumerate() {
        let packed = packers::pack(container, &bytes);
        let source = Fitful::new(packed, seed as u64);
        let mut decoded = Decoded::from_reader(source, &[container], Size::AtLeast(0));
        let mut chance = Chance::new(seed as u64 + 100);
        let mut result = Vec::new();
        loop {
            let mut piece = vec![0; 1 + chance.below(100_000)];
            let count = decoded.read(&mut piece).unwrap();
            if count == 0 {
                break;
            }
            result.extend_from_slice(&piece[..count]);
        }
        assert!(result == bytes, "{container:?}");
    }
}

#[test]
fn layers_are_taken_off_from_the_outermost() {
    let bytes = mixed(100_000);
    let packed = packers::gzip(&packers::lz4(&bytes, lz4_flex::frame::BlockMode::Linked));
    let layers = [Container::Gzip, Container::Lz4];
    let source = std::io::Cursor::new(packed.clone());
    let mut decoded = Decoded::from_reader(source, &layers, Size::AtLeast(0));
    assert!(read_all(&mut decoded).unwrap() == bytes);

    let cut = std::io::Cursor::new(packed[..packed.len() - 9].to_vec());
    let mut decoded = Decoded::from_reader(cut, &layers, Size::AtLeast(0));
    assert!(read_all(&mut decoded).is_err());
}
