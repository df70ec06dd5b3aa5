use crate::tasks::{Notation, power_of, size_text};

use super::{gettext_f, notation};

/// “213 of 429 MB on the stick”; without a total “213 MB on the stick”.
pub(in crate::ui) fn amount(done: u64, total: Option<u64>) -> String {
    let notation = notation();
    let Some(total) = total else {
        let done = size_text(done, &notation);
        return gettext_f("{done} on the stick", &[("done", &done)]);
    };
    let (done, total) = same_unit(done, total, &notation);
    // Translators: {done} is a number in the unit of {total}, as in “213 of 429 MB on the stick”
    gettext_f(
        "{done} of {total} on the stick",
        &[("done", &done), ("total", &total)],
    )
}

/// Both cut, never rounded up, in the unit of `total` and with its number of decimals; only
/// `total` names the unit.
fn same_unit(done: u64, total: u64, notation: &Notation) -> (String, String) {
    let total_text = size_text(total, notation);
    let (_, scale) = power_of(total);
    let decimal = &*notation.decimal;
    let done_text = if total_text.contains(decimal) {
        let tenths = done / (scale / 10);
        format!("{}{decimal}{}", tenths / 10, tenths % 10)
    } else {
        (done / scale).to_string()
    };
    (done_text, total_text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_numbers_are_cut_and_share_the_unit() {
        for (done, total, told) in [
            (0, 0, "0 of 0 B"),
            (0, 429_265_824, "0 of 429 MB"),
            (213_999_999, 429_265_824, "213 of 429 MB"),
            (429_265_823, 429_265_824, "429 of 429 MB"),
            (999_999, 60_000_000, "0.9 of 60.0 MB"),
            (59_999_999, 60_000_000, "59.9 of 60.0 MB"),
            (999_999_999, 4_294_967_295, "0.9 of 4.2 GB"),
            (17, 999, "17 of 999 B"),
        ] {
            let (done, total) = same_unit(done, total, &Notation::ENGLISH);
            assert_eq!(format!("{done} of {total}"), told);
        }
        let comma = Notation {
            decimal: ",".into(),
            ..Notation::ENGLISH
        };
        let (done, total) = same_unit(1_250_000, 12_345_678, &comma);
        assert_eq!((done.as_str(), total.as_str()), ("1,2", "12,3 MB"));
    }

    #[test]
    fn the_label_says_where_the_bytes_are() {
        assert_eq!(
            amount(213_000_000, Some(429_265_824)),
            "213 of 429 MB on the stick"
        );
        assert_eq!(amount(213_000_000, None), "213 MB on the stick");
    }
}
