use gettextrs::gettext;

use super::{gettext_f, ngettext_f};

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;

/// “about 4–6 minutes left” for a range in seconds, low and high.
pub(in crate::ui) fn time_left(seconds: [f64; 2]) -> String {
    // Translators: a duration such as “about 4–6 minutes”
    gettext_f("{duration} left", &[("duration", &duration(seconds))])
}

/// “Takes about 4–6 minutes on this stick”, before the start.
pub(in crate::ui) fn estimate(seconds: [f64; 2]) -> String {
    gettext_f(
        // Translators: a duration such as “about 4–6 minutes”
        "Takes {duration} on this stick",
        &[("duration", &duration(seconds))],
    )
}

/// “about 4–6 minutes”
fn duration([low, high]: [f64; 2]) -> String {
    // Casting cuts off what is below 0, above all numbers, or no number.
    let (low, high) = (low as u64, high.ceil() as u64);
    let low = low.min(high);
    if high < 10 {
        gettext("a few seconds")
    } else if high < MINUTE {
        // Steps of five, so that the text holds still.
        match range(low, high, 5, 5) {
            Range::One(count) => {
                ngettext_f("about {count} second", "about {count} seconds", count, &[])
            }
            Range::Between(low, high) => ngettext_f(
                "about {low}–{count} second",
                "about {low}–{count} seconds",
                high,
                &[("low", &low)],
            ),
        }
    } else if high < HOUR {
        match range(low, high, MINUTE, 1) {
            Range::One(count) => {
                ngettext_f("about {count} minute", "about {count} minutes", count, &[])
            }
            Range::Between(low, high) if low == "0" => ngettext_f(
                "less than {count} minute",
                "less than {count} minutes",
                high,
                &[],
            ),
            Range::Between(low, high) => ngettext_f(
                "about {low}–{count} minute",
                "about {low}–{count} minutes",
                high,
                &[("low", &low)],
            ),
        }
    } else {
        match range(low, high, HOUR, 1) {
            Range::One(count) => {
                ngettext_f("about {count} hour", "about {count} hours", count, &[])
            }
            Range::Between(low, high) if low == "0" => ngettext_f(
                "less than {count} hour",
                "less than {count} hours",
                high,
                &[],
            ),
            Range::Between(low, high) => ngettext_f(
                "about {low}–{count} hour",
                "about {low}–{count} hours",
                high,
                &[("low", &low)],
            ),
        }
    }
}

enum Range {
    One(u64),
    Between(String, u64),
}

/// The low end rounded down, the high end up, to whole steps of so many seconds; each counts `worth`.
fn range(low: u64, high: u64, step: u64, worth: u64) -> Range {
    let low = low / step * worth;
    let high = high.div_ceil(step) * worth;
    if low >= high {
        Range::One(high)
    } else {
        Range::Between(low.to_string(), high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_told_in_whole_steps() {
        for (low, high, told) in [
            (0, 0, "a few seconds left"),
            (2, 9, "a few seconds left"),
            (17, 32, "about 15–35 seconds left"),
            (20, 20, "about 20 seconds left"),
            (40, 70, "less than 2 minutes left"),
            (50, 60, "less than 1 minute left"),
            (250, 350, "about 4–6 minutes left"),
            (300, 300, "about 5 minutes left"),
            (3000, 4000, "less than 2 hours left"),
            (7300, 10_000, "about 2–3 hours left"),
            (900, 250, "about 4–5 minutes left"),
        ] {
            let (low, high) = (f64::from(low), f64::from(high));
            assert_eq!(time_left([low, high]), told, "{low}–{high}");
        }
    }

    #[test]
    fn the_estimate_says_on_which_stick() {
        let told = estimate([200.0, 290.0]);
        assert_eq!(told, "Takes about 3–5 minutes on this stick");
    }

    #[test]
    fn what_is_no_time_frightens_nobody() {
        assert_eq!(time_left([f64::NAN, f64::NAN]), "a few seconds left");
        assert_eq!(time_left([-5.0, -1.0]), "a few seconds left");
        assert_eq!(time_left([-5.0, 250.0]), "less than 5 minutes left");
    }
}
