mod bytes;
mod damage;
pub(super) mod disks;
mod exact;
mod files;
mod members;
mod packers;
mod progress;
mod readers;
mod recognition;
mod sizes;
mod source;
mod windows;
mod zips;

use std::io::{self, Cursor, Read};

use super::{Container, Decoded, Size};

/// What packs a stream of bytes, without archives.
const STREAMS: [Container; 5] = [
    Container::Gzip,
    Container::Xz,
    Container::Zstd,
    Container::Bzip2,
    Container::Lz4,
];

/// Everything that is packed there.
fn decode(container: Container, packed: &[u8]) -> io::Result<Vec<u8>> {
    let input = Cursor::new(packed.to_vec());
    let mut decoded = Decoded::from_reader(input, &[container], Size::AtLeast(0));
    read_all(&mut decoded)
}

fn read_all(decoded: &mut Decoded) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    decoded.read_to_end(&mut bytes)?;
    Ok(bytes)
}
