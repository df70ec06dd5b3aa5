use gettextrs::gettext;

use super::ngettext_f;

const MINUTE: f64 = 60.0;
const HOUR: f64 = 3600.0;

/// “about 4–6 minutes left” for a range in seconds, low and high; `None` for what is no time.
pub(in crate::ui) fn time_left([low, high]: [f64; 2]) -> Option<String> {
    if !low.is_finite() || !high.is_finite() || high < 0.0 {
        return None;
    }
    let low = low.clamp(0.0, high);
    Some(if high < 10.0 {
        gettext("a few seconds left")
    } else if high < MINUTE {
        // Steps of five, so that the text holds still.
        match range(low, high, 5.0) {
            Range::One(count) => ngettext_f(
                "about {count} second left",
                "about {count} seconds left",
                count,
                &[],
            ),
            Range::Between(low, high) => ngettext_f(
                "about {low}–{count} second left",
                "about {low}–{count} seconds left",
                high,
                &[("low", &low)],
            ),
        }
    } else if high < HOUR {
        match range(low / MINUTE, high / MINUTE, 1.0) {
            Range::One(count) => ngettext_f(
                "about {count} minute left",
                "about {count} minutes left",
                count,
                &[],
            ),
            Range::Between(low, high) if low == "0" => ngettext_f(
                "less than {count} minute left",
                "less than {count} minutes left",
                high,
                &[],
            ),
            Range::Between(low, high) => ngettext_f(
                "about {low}–{count} minute left",
                "about {low}–{count} minutes left",
                high,
                &[("low", &low)],
            ),
        }
    } else {
        match range(low / HOUR, high / HOUR, 1.0) {
            Range::One(count) => ngettext_f(
                "about {count} hour left",
                "about {count} hours left",
                count,
                &[],
            ),
            Range::Between(low, high) if low == "0" => ngettext_f(
                "less than {count} hour left",
                "less than {count} hours left",
                high,
                &[],
            ),
            Range::Between(low, high) => ngettext_f(
                "about {low}–{count} hour left",
                "about {low}–{count} hours left",
                high,
                &[("low", &low)],
            ),
        }
    })
}

enum Range {
    One(u64),
    Between(String, u64),
}

/// The low end rounded down, the high end up, to whole steps.
fn range(low: f64, high: f64, step: f64) -> Range {
    let low = (low / step).floor() * step;
    let high = (high / step).ceil() * step;
    if low >= high {
        Range::One(high as u64)
    } else {
        Range::Between((low as u64).to_string(), high as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_told_in_whole_steps() {
        for (low, high, told) in [
            (0.0, 0.0, "a few seconds left"),
            (2.0, 9.9, "a few seconds left"),
            (17.0, 32.0, "about 15–35 seconds left"),
            (20.0, 20.0, "about 20 seconds left"),
            (40.0, 70.0, "less than 2 minutes left"),
            (50.0, 60.0, "less than 1 minute left"),
            (250.0, 350.0, "about 4–6 minutes left"),
            (300.0, 300.0, "about 5 minutes left"),
            (3000.0, 4000.0, "less than 2 hours left"),
            (7300.0, 10_000.0, "about 2–3 hours left"),
            (-5.0, 250.0, "less than 5 minutes left"),
            (900.0, 250.0, "about 4–5 minutes left"),
        ] {
            assert_eq!(
                time_left([low, high]).as_deref(),
                Some(told),
                "{low}–{high}"
            );
        }
    }

    #[test]
    fn what_is_no_time_is_not_told() {
        for range in [[f64::NAN, 1.0], [0.0, f64::INFINITY], [-2.0, -1.0]] {
            assert_eq!(time_left(range), None);
        }
    }
}
