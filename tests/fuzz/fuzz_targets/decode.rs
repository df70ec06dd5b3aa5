//! Any bytes that are taken for an image are unpacked; the bytes are as many as was told.

#![no_main]

use std::io::{Cursor, Read};
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use steady::engine::image::{Container, Decoded, Recognised, Size, recognise};

/// More is not unpacked: a few bytes can hold a whole disk of zeroes.
const MOST: u64 = 2 << 20;

fuzz_target!(|bytes: &[u8]| {
    let recognised = recognise(&mut Cursor::new(bytes), Path::new("a.img"), None)
        .expect("memory should be readable");
    let containers = match &recognised {
        Recognised::Image(image) => image.containers.clone(),
        Recognised::Refused(refused) => refused.inside.clone(),
        Recognised::Choice(_) => return,
    };
    if containers.first() == Some(&Container::Zip) {
        return;
    }
    let source = Cursor::new(bytes.to_vec());
    let decoded = Decoded::from_reader(source, &containers, Size::AtLeast(0));
    let mut unpacked = Vec::new();
    let result = decoded.take(MOST).read_to_end(&mut unpacked);
    let count = unpacked.len() as u64;
    if let (Recognised::Image(image), Ok(_), true) = (recognised, result, count < MOST) {
        match image.size {
            Size::Exact(size) => assert_eq!(size, count),
            Size::AtLeast(size) => assert!(size <= count, "{size} {count}"),
        }
    }
});
