//! Packs bytes as the tools that people use do, with all checksums.

use std::io::{Cursor, Write};

use liblzma::stream::{Check, Stream};
use zip::write::SimpleFileOptions;

use crate::engine::image::Container;
use crate::engine::image::container::SKIPPABLE;

pub(super) fn pack(container: Container, bytes: &[u8]) -> Vec<u8> {
    match container {
        Container::Gzip => gzip(bytes),
        Container::Xz => xz(bytes, Check::Crc64),
        Container::Zstd => zstd(bytes),
        Container::Bzip2 => bzip2(bytes),
        Container::Lz4 => lz4(bytes, lz4_flex::frame::BlockMode::Linked),
        Container::Zip => zip(&[("disk.img", bytes)]),
    }
}

pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let builder = flate2::GzBuilder::new().filename("disk.img").mtime(99);
    let mut encoder = builder.write(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn xz(bytes: &[u8], check: Check) -> Vec<u8> {
    let stream = Stream::new_easy_encoder(0, check).unwrap();
    let mut encoder = liblzma::write::XzEncoder::new_stream(Vec::new(), stream);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// With the size in its header, as `zstd FILE` does.
pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    let size = bytes.len() as u64;
    encoder.set_pledged_src_size(Some(size)).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Without the size in its header, as `zstd <FILE` does, for a window of that many bits.
pub(super) fn zstd_of_stream(bytes: &[u8], window_log: u32) -> Vec<u8> {
    let mut encoder = zstd::Encoder::new(Vec::new(), 1).unwrap();
    encoder.include_checksum(true).unwrap();
    encoder.window_log(window_log).unwrap();
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn lz4(bytes: &[u8], mode: lz4_flex::frame::BlockMode) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new()
        .block_mode(mode)
        .block_size(lz4_flex::frame::BlockSize::Max64KB)
        .block_checksums(true)
        .content_checksum(true)
        .content_size(Some(bytes.len() as u64));
    let mut encoder = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A frame without data.
pub(super) fn skippable(length: u32) -> Vec<u8> {
    let mut frame = (SKIPPABLE + 3).to_le_bytes().to_vec();
    frame.extend(length.to_le_bytes());
    frame.resize(8 + length as usize, 0xAA);
    frame
}

/// A zip of such entries; those that end with a slash are folders.
pub(super) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    zip_with(entries, SimpleFileOptions::default())
}

pub(super) fn zip_with(entries: &[(&str, &[u8])], options: SimpleFileOptions) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        if name.ends_with('/') {
            writer.add_directory(*name, options).unwrap();
        } else {
            writer.start_file(*name, options).unwrap();
            writer.write_all(bytes).unwrap();
        }
    }
    writer.finish().unwrap().into_inner()
}
