use super::FileSystem;

/// Longest name of a volume: bytes on FAT, UTF-16 units on exFAT.
pub const LABEL_MAX: usize = 11;

/// Signs that FAT forbids in a name, apart from control characters.
const FORBIDDEN_ON_FAT: &[char] = &[
    '"', '*', '+', ',', '.', '/', ':', ';', '<', '=', '>', '?', '[', '\\', ']', '|',
];

/// Why a volume cannot have a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelProblem {
    /// Over [`LABEL_MAX`].
    TooLong,
    /// It holds a sign that this file system forbids.
    Forbidden(char),
}

/// What keeps `label` from being a name on `file_system`; an empty name is none.
///
/// Does not depend on the locale.
pub fn label_problem(file_system: FileSystem, label: &str) -> Option<LabelProblem> {
    let label = label.trim();
    let forbidden = label.chars().find(|&sign| match file_system {
        FileSystem::Fat32 => {
            !sign.is_ascii() || sign.is_ascii_control() || FORBIDDEN_ON_FAT.contains(&sign)
        }
        // exFAT itself takes any sign; control characters only confuse whoever shows the name.
        FileSystem::ExFat => sign.is_control(),
    });
    if let Some(sign) = forbidden {
        return Some(LabelProblem::Forbidden(sign));
    }
    (label.encode_utf16().count() > LABEL_MAX).then_some(LabelProblem::TooLong)
}

/// `label` as the stick will show it: without spaces around it, on FAT in ASCII capitals.
pub fn normalized_label(file_system: FileSystem, label: &str) -> String {
    let label = label.trim();
    match file_system {
        FileSystem::Fat32 => label.to_ascii_uppercase(),
        FileSystem::ExFat => label.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn l02_names_are_checked_before_anything_is_erased() {
        use FileSystem::{ExFat, Fat32};
        use LabelProblem::{Forbidden, TooLong};
        for (label, fat, exfat) in [
            ("", Ok(""), Ok("")),
            ("STEADY", Ok("STEADY"), Ok("STEADY")),
            ("my stick", Ok("MY STICK"), Ok("my stick")),
            ("  padded  ", Ok("PADDED"), Ok("padded")),
            ("elevenchars", Ok("ELEVENCHARS"), Ok("elevenchars")),
            ("twelve chars", Err(TooLong), Err(TooLong)),
            ("istanbul i", Ok("ISTANBUL I"), Ok("istanbul i")),
            ("Straße", Err(Forbidden('ß')), Ok("Straße")),
            ("Müller", Err(Forbidden('ü')), Ok("Müller")),
            ("音楽", Err(Forbidden('音')), Ok("音楽")),
            ("ığüşöç", Err(Forbidden('ı')), Ok("ığüşöç")),
            ("a/b", Err(Forbidden('/')), Ok("a/b")),
            ("a.b", Err(Forbidden('.')), Ok("a.b")),
            ("what?", Err(Forbidden('?')), Ok("what?")),
            ("a|b", Err(Forbidden('|')), Ok("a|b")),
            ("[x]", Err(Forbidden('[')), Ok("[x]")),
            ("back\\slash", Err(Forbidden('\\')), Ok("back\\slash")),
            ("a\tb", Err(Forbidden('\t')), Err(Forbidden('\t'))),
            (
                "a\u{7f}",
                Err(Forbidden('\u{7f}')),
                Err(Forbidden('\u{7f}')),
            ),
            ("CAR_#1-(A)", Ok("CAR_#1-(A)"), Ok("CAR_#1-(A)")),
            ("🎵🎵🎵🎵🎵", Err(Forbidden('🎵')), Ok("🎵🎵🎵🎵🎵")),
            ("🎵🎵🎵🎵🎵🎵", Err(Forbidden('🎵')), Err(TooLong)),
        ] {
            for (file_system, expected) in [(Fat32, fat), (ExFat, exfat)] {
                let found = match label_problem(file_system, label) {
                    Some(problem) => Err(problem),
                    None => Ok(normalized_label(file_system, label)),
                };
                assert_eq!(
                    found.as_deref(),
                    expected.as_ref().copied(),
                    "{label:?} on {file_system:?}"
                );
            }
        }
    }
}
