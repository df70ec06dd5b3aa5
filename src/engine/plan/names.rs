//! Names that FAT, exFAT or Windows refuse, and what they become.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use super::FileSystem;

/// Bytes; what is longer behind the last dot belongs to the name.
const MAX_EXTENSION: usize = 32;

/// Whether FAT and exFAT refuse the name, or would silently change its end.
pub(super) fn is_forbidden(name: &str) -> bool {
    // The kernel strips final dots, Windows also final spaces: the name would become another.
    name.chars().any(is_refused) || name.ends_with(['.', ' '])
}

fn is_refused(c: char) -> bool {
    c < ' ' || matches!(c, '"' | '*' | ':' | '<' | '>' | '?' | '\\' | '|')
}

/// Whether Windows takes the name for a device, whatever its extension.
pub(super) fn is_reserved(name: &str) -> bool {
    let stem = name
        .split('.')
        .next()
        .unwrap_or(name)
        .trim_end_matches(' ')
        .to_ascii_uppercase();
    if matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") {
        return true;
    }
    let number = stem
        .strip_prefix("COM")
        .or_else(|| stem.strip_prefix("LPT"));
    let mut digits = number.unwrap_or_default().chars();
    matches!(
        (digits.next(), digits.next()),
        (Some('1'..='9' | '¹' | '²' | '³'), None)
    )
}

/// A name that the file system takes, by one fixed rule: what cannot be stored becomes `_`, each
/// byte that is no text and each final dot or space too; a device's name gets a `_` in front; what
/// is too long loses the end of its stem, the extension stays.
pub(super) fn legal(file_system: FileSystem, only_ascii: bool, name: &OsStr) -> OsString {
    let mut legal = if file_system.is_windows() {
        OsString::from(storable(name, only_ascii))
    } else {
        name.to_os_string()
    };
    if file_system.is_too_long(&legal) {
        let (stem, extension) = split(&legal);
        let (stem, extension) = (stem.to_vec(), extension.to_vec());
        legal = joined(file_system, stem, &extension);
        if file_system.is_windows() {
            // Cut behind a dot or a space, with no extension.
            legal = OsString::from(storable(&legal, only_ascii));
        }
    }
    legal
}

/// Another name for the same: `name (2).ext`. A folder has no extension.
pub(super) fn numbered(
    file_system: FileSystem,
    name: &OsStr,
    is_folder: bool,
    number: u32,
) -> OsString {
    let (stem, extension) = if is_folder {
        (name.as_bytes(), &[][..])
    } else {
        split(name)
    };
    let end = [format!(" ({number})").as_bytes(), extension].concat();
    joined(file_system, stem.to_vec(), &end)
}

/// Puts a `_` in front.
pub(super) fn marked(name: &OsStr) -> OsString {
    let mut marked = OsString::from("_");
    marked.push(name);
    marked
}

fn storable(name: &OsStr, only_ascii: bool) -> String {
    let mut storable = String::with_capacity(name.len());
    for chunk in name.as_bytes().utf8_chunks() {
        let chars = chunk.valid().chars();
        storable.extend(chars.map(|c| match c {
            c if is_refused(c) || only_ascii && !c.is_ascii() => '_',
            c => c,
        }));
        storable.extend(chunk.invalid().iter().map(|_| '_'));
    }
    let kept = storable.trim_end_matches(['.', ' ']).len();
    let end = storable.len() - kept;
    storable.truncate(kept);
    storable.extend(std::iter::repeat_n('_', end));
    if is_reserved(&storable) {
        storable.insert(0, '_');
    }
    storable
}

/// The stem, and the extension with its dot.
fn split(name: &OsStr) -> (&[u8], &[u8]) {
    let bytes = name.as_bytes();
    match bytes.iter().rposition(|byte| *byte == b'.') {
        Some(dot) if dot > 0 && bytes.len() - dot <= MAX_EXTENSION => bytes.split_at(dot),
        _ => (bytes, &[]),
    }
}

/// As much of the stem as there is room for before the end, no character cut in two.
fn joined(file_system: FileSystem, mut stem: Vec<u8>, end: &[u8]) -> OsString {
    loop {
        let name = OsString::from_vec([&stem, end].concat());
        if !file_system.is_too_long(&name) {
            return name;
        }
        // The bytes of a character behind its first, then that.
        while stem.pop().is_some_and(|byte| byte & 0xc0 == 0x80) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f03_forbidden_characters() {
        for name in [
            "a?b.txt",
            "x:y",
            "tab\tname",
            "\"",
            "*",
            "<",
            ">",
            "a\\b",
            "|",
            "a\u{1f}",
            "a.",
            "a ",
        ] {
            assert!(is_forbidden(name), "{name:?}");
        }
        for name in [
            "a b",
            ".hidden",
            "é.txt",
            "日本語",
            "a'b",
            "[x] {y} + = ; ,",
            "x\u{7f}",
        ] {
            assert!(!is_forbidden(name), "{name:?}");
        }
    }

    #[test]
    fn f07_reserved_names() {
        for name in [
            "aux.c",
            "con",
            "nul.txt",
            "CON",
            "Prn",
            "LPT1",
            "com9.tar.gz",
            "COM¹",
            "lpt³.x",
            "aux .h",
        ] {
            assert!(is_reserved(name), "{name:?}");
        }
        for name in [
            "console.txt",
            "auxiliary.md",
            "com10",
            "com",
            "com0",
            "lpt",
            "nul_",
            "xcon",
            "c.on",
            "COM1a",
        ] {
            assert!(!is_reserved(name), "{name:?}");
        }
    }

    fn legal_name(name: &str) -> String {
        let legal = legal(FileSystem::Fat32, false, OsStr::new(name));
        legal.into_string().unwrap()
    }

    #[test]
    fn f03_one_rule_makes_names_that_can_be_stored() {
        for (name, wanted) in [
            ("a?b.txt", "a_b.txt"),
            ("x:y", "x_y"),
            ("tab\tname", "tab_name"),
            ("\"*:<>?\\|", "________"),
            ("what?!", "what_!"),
            ("etc...", "etc___"),
            ("end. ", "end__"),
            ("...", "___"),
            ("a.b", "a.b"),
            ("日本?", "日本_"),
        ] {
            assert_eq!(legal_name(name), wanted);
        }
    }

    #[test]
    fn f07_devices_names_get_a_mark() {
        for (name, wanted) in [("aux.c", "_aux.c"), ("CON", "_CON"), ("nul.", "nul_")] {
            assert_eq!(legal_name(name), wanted);
        }
    }

    #[test]
    fn f08_each_byte_that_is_no_text_becomes_a_sign() {
        let name = OsStr::from_bytes(b"caf\xe9 \xff\xfe.txt");
        assert_eq!(legal(FileSystem::ExFat, false, name), "caf_ __.txt");
        assert_eq!(legal(FileSystem::Fat32, true, OsStr::new("é.txt")), "_.txt");
        assert_eq!(legal(FileSystem::Ext4, false, name), name);
    }

    #[test]
    fn long_names_keep_their_extension_and_whole_characters() {
        let name = legal_name(&format!("{}.jpeg", "🎵".repeat(200)));
        assert_eq!(name, format!("{}.jpeg", "🎵".repeat(125)));
        let name = OsString::from(format!("{}.ogg", "é".repeat(200)));
        let short = legal(FileSystem::Ext4, false, &name);
        assert_eq!(short, OsString::from(format!("{}.ogg", "é".repeat(125))));
        let dot = legal_name(&format!("{}. {}", "x".repeat(253), "y".repeat(90)));
        assert_eq!(dot, format!("{}__", "x".repeat(253)));
    }

    #[test]
    fn both_are_kept_under_a_number() {
        let name = |name: &str, is_folder| {
            numbered(FileSystem::Fat32, OsStr::new(name), is_folder, 2)
                .into_string()
                .unwrap()
        };
        assert_eq!(name("a.txt", false), "a (2).txt");
        assert_eq!(name("v1.2", true), "v1.2 (2)");
        assert_eq!(name(".profile", false), ".profile (2)");
        assert_eq!(name("a.tar.gz", false), "a.tar (2).gz");
        let long = name(&format!("{}.txt", "x".repeat(251)), false);
        assert_eq!(long, format!("{} (2).txt", "x".repeat(247)));
    }
}
