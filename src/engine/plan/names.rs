//! Names that FAT, exFAT or Windows refuse.

/// Whether FAT and exFAT refuse the name, or would silently change its end.
pub(super) fn is_forbidden(name: &str) -> bool {
    let refused = |c: char| c < ' ' || matches!(c, '"' | '*' | ':' | '<' | '>' | '?' | '\\' | '|');
    // The kernel strips final dots, Windows also final spaces: the name would become another.
    name.chars().any(refused) || name.ends_with(['.', ' '])
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
}
