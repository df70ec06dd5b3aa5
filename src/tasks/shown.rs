//! What others have named, made harmless for whoever shows it.

/// Signs; a name of any file system has at most 255.
const LONGEST: usize = 500;
/// Signs of what a device calls itself; a whole line.
const SHORT: usize = 80;
const STAND_IN: char = '\u{fffd}';
const CUT: char = '…';

/// A text from outside (the name of a file, a stick or a program, another's message) as it may stand
/// in a window or on a terminal: one line of bounded length, in which nothing moves the cursor,
/// rings, colours or turns around what stands beside it. What is left out is seen as `�`.
///
/// What keeps a name in one piece among words of another direction stays where it is closed again.
pub fn shown(text: &str) -> String {
    within(text, LONGEST)
}

/// The same for the name of a stick and of what is on it, which are short unless somebody plays.
pub fn shown_name(text: &str) -> String {
    within(text, SHORT)
}

/// The same for another program's message, which may have several lines.
pub fn shown_message(text: &str) -> String {
    shown(&text.lines().collect::<Vec<_>>().join(" "))
}

fn within(text: &str, most: usize) -> String {
    let mut shown = Vec::with_capacity(text.len().min(most + 1));
    let mut open = Vec::new();
    for (place, sign) in text.chars().take(most).enumerate() {
        let is_harmless = match sign {
            // Isolates, and what closes the last one.
            '\u{2066}'..='\u{2068}' => {
                open.push(place);
                true
            }
            '\u{2069}' => open.pop().is_some(),
            sign => !(sign.is_control() || breaks_line(sign) || turns(sign)),
        };
        shown.push(if is_harmless { sign } else { STAND_IN });
    }
    for place in open {
        shown[place] = STAND_IN;
    }
    if text.chars().nth(most).is_some() {
        shown.push(CUT);
    }
    shown.into_iter().collect()
}

/// Separators of lines and paragraphs, which are no control characters.
fn breaks_line(sign: char) -> bool {
    matches!(sign, '\u{2028}' | '\u{2029}')
}

/// Embeddings and overrides, which let `exe.jpg` be read as `gpj.exe`, and their forgotten kin. The
/// marks of a direction have no end to miss and turn nothing that has one.
fn turns(sign: char) -> bool {
    matches!(sign, '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_commands_a_terminal_or_turns_words_around_is_taken_out() {
        for (text, wanted) in [
            ("Urlaub 2024 – Nº 1 🎵.jpg", "Urlaub 2024 – Nº 1 🎵.jpg"),
            ("<b>&amp;</b>", "<b>&amp;</b>"),
            ("\u{1b}[2J\u{9b}31mred\u{7}", "�[2J�31mred�"),
            ("a\r\nb\tc\u{2028}d\u{85}", "a��b�c�d�"),
            ("photo\u{202e}gpj.exe", "photo�gpj.exe"),
            ("\u{202a}a\u{202c}\u{206a}", "�a��"),
            // A word from the right, with marks and closed isolates, is read as it should be.
            (
                "\u{200f}صور \u{2068}2024\u{2069}",
                "\u{200f}صور \u{2068}2024\u{2069}",
            ),
            ("a\u{2067}b", "a�b"),
            ("a\u{2069}b\u{2066}", "a�b�"),
            ("👨\u{200d}👩\u{200d}👧", "👨\u{200d}👩\u{200d}👧"),
        ] {
            assert_eq!(shown(text), wanted, "{text:?}");
        }
    }

    #[test]
    fn a_label_of_ten_thousand_signs_is_cut() {
        let long = "é".repeat(10_000);
        assert_eq!(shown(&long), format!("{}…", "é".repeat(LONGEST)));
        let whole = "x".repeat(LONGEST);
        assert_eq!(shown(&whole), whole);
        assert_eq!(shown_name(&long), format!("{}…", "é".repeat(SHORT)));
    }

    #[test]
    fn a_message_of_several_lines_becomes_one() {
        let message = "mkfs.fat: \u{1b}[1mfailed\r\nno room\n";
        assert_eq!(shown_message(message), "mkfs.fat: �[1mfailed no room");
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn nothing_gets_through_and_once_is_enough(text in any::<String>(), odd in "[\u{1b}\u{2066}-\u{2069}\u{202a}-\u{202e}a]{0,20}") {
            let once = shown(&(text + &odd));
            prop_assert!(!once.chars().any(|sign| sign.is_control() || turns(sign)));
            prop_assert_eq!(shown(&once), once);
        }
    }
}
