//! Any bytes are read as a block map; what is taken for one is in order and within its image.

#![no_main]

use libfuzzer_sys::fuzz_target;
use steady::engine::bmap::Bmap;
use steady::engine::checksum::{Algorithm, Hasher};

fuzz_target!(|bytes: &[u8]| {
    let Ok(map) = Bmap::parse(&sealed(bytes)) else {
        return;
    };
    let mut end = 0;
    for range in map.ranges() {
        assert!(end <= range.bytes.start && range.bytes.start < range.bytes.end);
        end = range.bytes.end;
    }
    assert!(end <= map.image_size());
    assert!(map.mapped_bytes() <= map.image_size());
    let mut end = 0;
    for extent in map.within(0..map.image_size()) {
        assert!(end <= extent.start && extent.start < extent.end);
        end = extent.end;
    }
});

/// Puts the map's own checksum where 64 zeroes are, or nothing would come past it.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let mut sealed = bytes.to_vec();
    if let Some(at) = bytes.windows(64).position(|window| window == [b'0'; 64]) {
        let mut hasher = Hasher::new(Algorithm::Sha256);
        hasher.update(bytes);
        sealed[at..at + 64].copy_from_slice(hasher.finish().hex().as_bytes());
    }
    sealed
}
