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
