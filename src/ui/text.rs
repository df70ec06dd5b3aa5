//! Texts: translation with `{named}` places, sizes, rates and durations in the person's language.

mod amount;
mod time_left;

use gettextrs::{gettext, ngettext};
use gtk::glib;

use crate::tasks::{Arg, Notation, Wording, size_text};

/// What follows up to the other one is on its own, in the direction of its first letter.
const FIRST_STRONG_ISOLATE: char = '\u{2068}';
const POP_ISOLATE: char = '\u{2069}';
/// Not seen, and of that direction.
const RIGHT_TO_LEFT_MARK: char = '\u{200f}';

pub(super) use amount::amount;
pub(super) use time_left::{estimate, time_left};

/// A sentence of the tasks, translated and filled.
pub(super) fn tr(wording: &Wording) -> String {
    let template = match wording.plural {
        Some((plural, count)) => ngettext(wording.template, plural, plural_count(count)),
        None => gettext(wording.template),
    };
    let template = if reads_from_the_right() {
        from_the_right(&isolate_places(&template))
    } else {
        template
    };
    wording.fill(&template, &notation())
}

/// Keeps a name or a size in one piece among words that are read from the right.
pub(super) fn isolate(text: &str) -> String {
    if reads_from_the_right() {
        from_the_right(&format!("{FIRST_STRONG_ISOLATE}{text}{POP_ISOLATE}"))
    } else {
        text.to_owned()
    }
}

/// Even where the first letter is one from the left: the toolkit looks for it inside of names too.
fn from_the_right(text: &str) -> String {
    format!("{RIGHT_TO_LEFT_MARK}{text}")
}

fn isolate_places(template: &str) -> String {
    template
        .replace('{', &format!("{FIRST_STRONG_ISOLATE}{{"))
        .replace('}', &format!("}}{POP_ISOLATE}"))
}

/// Asked of the translation and not of the toolkit, because texts are also made where there is none.
fn reads_from_the_right() -> bool {
    // Translators: “rtl” where your language is read from the right, otherwise “ltr”
    gettext("ltr") == "rtl"
}

/// Translates `template` and fills its `{named}` places.
pub(super) fn gettext_f(template: &'static str, args: &[(&'static str, &str)]) -> String {
    tr(&Wording {
        template,
        plural: None,
        args: text_args(args),
    })
}

/// As [`gettext_f`], in the form for `count`, which goes into `{count}`.
pub(super) fn ngettext_f(
    one: &'static str,
    many: &'static str,
    count: u64,
    args: &[(&'static str, &str)],
) -> String {
    let mut args = text_args(args);
    args.push(("count", Arg::Count(count)));
    tr(&Wording {
        template: one,
        plural: Some((many, count)),
        args,
    })
}

/// A size in the person's language, cut, never rounded up.
pub(super) fn size(bytes: u64) -> String {
    isolate(&size_text(bytes, &notation()))
}

/// A speed in the person's language.
pub(super) fn rate(bytes_per_second: f64) -> String {
    // Translators: a speed, such as “4.2 MB/s”
    gettext_f("{size}/s", &[("size", &size(bytes_per_second as u64))])
}

/// “The stick has not answered for …”, once that is worth telling.
pub(super) fn stalled(milliseconds: u64) -> Option<String> {
    /// A slow stick takes a few seconds for one window.
    const WORTH_TELLING: u64 = 5;
    let seconds = milliseconds / 1000;
    (seconds >= WORTH_TELLING).then(|| {
        ngettext_f(
            "The stick has not answered for {count} second",
            "The stick has not answered for {count} seconds",
            seconds,
            &[],
        )
    })
}

fn text_args(args: &[(&'static str, &str)]) -> Vec<(&'static str, Arg)> {
    args.iter()
        .map(|(name, text)| (*name, Arg::Text((*text).to_owned())))
        .collect()
}

/// Plural rules only look at the number's end, and at whether it is large.
fn plural_count(count: u64) -> u32 {
    u32::try_from(count).unwrap_or((count % 1_000_000) as u32 + 1_000_000)
}

/// How the person's language writes a size.
fn notation() -> Notation {
    Notation {
        decimal: decimal_sign().into(),
        units: [
            // Translators: the short name of a byte, as in “17 B”
            gettext("B").into(),
            // Translators: the short name of 1000 bytes
            gettext("kB").into(),
            // Translators: the short name of a million bytes, as in “4.2 MB”
            gettext("MB").into(),
            // Translators: the short name of a billion bytes
            gettext("GB").into(),
            // Translators: the short name of a trillion bytes
            gettext("TB").into(),
        ],
    }
}

/// The locale's decimal sign, taken from a size as the locale writes it: nothing safe tells it
/// directly.
fn decimal_sign() -> String {
    decimal_sign_in(&glib::format_size(1_500))
}

fn decimal_sign_in(one_and_a_half: &str) -> String {
    one_and_a_half
        .strip_prefix('1')
        .and_then(|rest| rest.split_once('5'))
        .map_or_else(|| ".".to_owned(), |(sign, _)| sign.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decimal_sign_is_the_locales() {
        assert_eq!(decimal_sign_in("1.5 kB"), ".");
        assert_eq!(decimal_sign_in("1,5 kB"), ",");
        assert_eq!(decimal_sign_in("?"), ".");
    }

    #[test]
    fn places_are_filled_and_the_count_chooses_the_form() {
        assert_eq!(
            gettext_f("Writing to {stick}", &[("stick", "{stick} 5")]),
            "Writing to {stick} 5"
        );
        let size = [("size", "12.3 MB")];
        let files = |count| {
            ngettext_f(
                "{count} file, {size}",
                "{count} files, {size}",
                count,
                &size,
            )
        };
        assert_eq!(files(0), "0 files, 12.3 MB");
        assert_eq!(files(1), "1 file, 12.3 MB");
        assert_eq!(files(5_000_000_001), "5000000001 files, 12.3 MB");
    }

    #[test]
    fn names_and_sizes_stay_in_one_piece_among_words_from_the_right() {
        let places = isolate_places("{done} من {total}");
        assert_eq!(places, "\u{2068}{done}\u{2069} من \u{2068}{total}\u{2069}");
        // Here it is read from the left.
        assert_eq!(isolate("4.2 GB"), "4.2 GB");
        assert_eq!(size(4_200_000_000), "4.2 GB");
    }

    #[test]
    fn a_short_silence_of_the_stick_is_not_told() {
        assert_eq!(stalled(4_999), None);
        assert_eq!(
            stalled(12_900).as_deref(),
            Some("The stick has not answered for 12 seconds")
        );
    }

    #[test]
    fn rates_are_cut() {
        assert_eq!(rate(4_199_999.0), "4.1 MB/s");
        assert_eq!(rate(0.0), "0 B/s");
    }
}
