//! Any bytes are looked at as a file; nothing but a judgement may come of it.

#![no_main]

use std::io::Cursor;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use steady::engine::image::{Recognised, recognise};

fuzz_target!(|bytes: &[u8]| {
    let look = |choice| {
        recognise(&mut Cursor::new(bytes), Path::new("a.img"), choice)
            .expect("memory should be readable")
    };
    if let Recognised::Choice(entries) = look(None) {
        let chosen = look(Some(entries[0].index));
        assert!(matches!(chosen, Recognised::Image(_)), "{chosen:?}");
    }
});
