use std::borrow::Cow;

/// How a language writes a size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notation {
    /// Its decimal sign.
    pub decimal: Cow<'static, str>,
    /// What it calls a byte, and 1000, 1000², 1000³ and 1000⁴ of them.
    pub units: [Cow<'static, str>; 5],
}

impl Notation {
    /// That of the sources.
    pub const ENGLISH: Self = Self {
        decimal: Cow::Borrowed("."),
        units: [
            Cow::Borrowed("B"),
            Cow::Borrowed("kB"),
            Cow::Borrowed("MB"),
            Cow::Borrowed("GB"),
            Cow::Borrowed("TB"),
        ],
    };
}

/// The largest power of 1000 that has a name and that `bytes` reach: which, and how much it is.
pub fn power_of(bytes: u64) -> (usize, u64) {
    let power = (bytes.max(1).ilog10() / 3).min(4);
    (power as usize, 1_000_u64.pow(power))
}

/// A size for people: powers of 1000, three digits at most before the unit, one decimal below
/// 100 of it ("429 MB", "12.3 MB"). Cut, never rounded up, so that what is told is there.
pub fn size_text(bytes: u64, notation: &Notation) -> String {
    let (power, scale) = power_of(bytes);
    let unit = &notation.units[power];
    if power == 0 || bytes >= 100 * scale {
        return format!("{} {unit}", bytes / scale);
    }
    let (tenths, decimal) = (bytes / (scale / 10), &notation.decimal);
    format!("{}{decimal}{} {unit}", tenths / 10, tenths % 10)
}

/// The same for what is needed: never less than it is, so that a need that just does not fit
/// never looks as if it did.
pub(super) fn need_text(bytes: u64, notation: &Notation) -> String {
    let step = match power_of(bytes) {
        (0, _) => 1,
        (_, scale) if bytes >= 100 * scale => scale,
        (_, scale) => scale / 10,
    };
    size_text(bytes.next_multiple_of(step), notation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_cut_and_never_rounded_up() {
        for (bytes, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (999_999, "999 kB"),
            (12_345_678, "12.3 MB"),
            (99_999_999, "99.9 MB"),
            (429_265_824, "429 MB"),
            (4_294_967_295, "4.2 GB"),
            (2_000_398_934_016, "2.0 TB"),
        ] {
            assert_eq!(size_text(bytes, &Notation::ENGLISH), text, "{bytes}");
        }
        let french = Notation {
            decimal: ",".into(),
            units: ["o", "ko", "Mo", "Go", "To"].map(Cow::Borrowed),
        };
        assert_eq!(size_text(1_500, &french), "1,5 ko");
        assert_eq!(size_text(15, &french), "15 o");
    }

    #[test]
    fn a_need_is_never_told_as_less_than_it_is() {
        for (bytes, text) in [
            (999, "999 B"),
            (1_000, "1.0 kB"),
            (1_001, "1.1 kB"),
            (999_001, "1.0 MB"),
            (4_294_967_296, "4.3 GB"),
            (100_000_001, "101 MB"),
        ] {
            assert_eq!(need_text(bytes, &Notation::ENGLISH), text, "{bytes}");
        }
    }
}
