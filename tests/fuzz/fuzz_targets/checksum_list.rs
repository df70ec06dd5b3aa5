//! Any bytes are read as a checksum list; what is found in it is a whole value.

#![no_main]

use libfuzzer_sys::fuzz_target;
use steady::engine::checksum::{Checksum, List, ListError};

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    if let Some(checksum) = Checksum::parse(&text, "SHA256SUMS") {
        assert_eq!(checksum.hex().len(), checksum.algorithm().digits());
    }
    let Ok(list) = List::parse(bytes, "SHA256SUMS") else {
        return;
    };
    for image in ["a.img", "a.img.xz", ""] {
        match list.find(image) {
            Ok(found) => {
                let digits = found.checksum.algorithm().digits();
                assert_eq!(found.checksum.hex().len(), digits);
            }
            Err(ListError::NoEntry { names }) => assert!(!names.is_empty()),
            Err(ListError::NotAChecksum) => {}
        }
    }
});
