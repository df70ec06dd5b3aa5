//! When two names are one.

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};

use super::FileSystem;

/// What two names have in common that the file system, or Windows, takes for one.
///
/// exFAT compares through a table of single capital letters for the first 65,536 characters; so
/// do NTFS and Windows' FAT. The kernel's vfat knows only ASCII's letters by their long names
/// (mounted with `utf8`), but also compares the short names, where more letters are one: so FAT
/// goes by the same table. A clash too many is asked about, one too few would fail in the middle.
/// Composed and decomposed spellings stay two names.
pub(super) fn fold(file_system: FileSystem, name: &OsStr) -> Cow<'_, OsStr> {
    match name.to_str() {
        Some(text) if file_system.is_windows() => Cow::Owned(OsString::from(
            text.chars().map(capital).collect::<String>(),
        )),
        _ => Cow::Borrowed(name),
    }
}

/// The one capital letter of a character. `ß` stays: it has two, and the table knows none.
fn capital(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_uppercase();
    }
    if c > '\u{ffff}' {
        return c;
    }
    // Greek letters with a iota below have one capital in the table and two in the language:
    // these meet in the small one.
    single(c.to_uppercase())
        .or_else(|| single(c.to_lowercase()))
        .unwrap_or(c)
}

fn single(mut chars: impl Iterator<Item = char>) -> Option<char> {
    match (chars.next(), chars.next()) {
        (Some(only), None) => Some(only),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_one(file_system: FileSystem, a: &str, b: &str) -> bool {
        fold(file_system, OsStr::new(a)) == fold(file_system, OsStr::new(b))
    }

    #[test]
    fn f05_names_that_are_one() {
        for file_system in [
            FileSystem::Fat16,
            FileSystem::Fat32,
            FileSystem::ExFat,
            FileSystem::Ntfs,
        ] {
            for (a, b) in [
                ("README", "readme"),
                ("É.txt", "é.txt"),
                ("ЖУК", "жук"),
                ("ΣΑΣ", "σας"),
                ("ÿ", "Ÿ"),
                ("ǆ", "Ǆ"),
                ("ᾳ", "ᾼ"),
                ("ⓐ", "Ⓐ"),
                ("ａ", "Ａ"),
            ] {
                assert!(are_one(file_system, a, b), "{a} {b}");
            }
            for (a, b) in [
                ("straße", "strasse"),
                ("ﬁ", "fi"),
                ("é", "e\u{301}"),
                ("𐐨", "𐐀"),
                ("a", "а"),
                ("x_", "x "),
            ] {
                assert!(!are_one(file_system, a, b), "{a} {b}");
            }
        }
    }

    #[test]
    fn f05_linux_file_systems_keep_case_apart() {
        for file_system in [FileSystem::Ext4, FileSystem::Btrfs, FileSystem::Other] {
            assert!(!are_one(file_system, "README", "readme"));
        }
    }
}
