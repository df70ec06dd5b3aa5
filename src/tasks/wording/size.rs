const UNITS: [(&str, u64); 4] = [
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// A size for people: powers of 1000, three digits at most before the unit, one decimal below
/// 100 of it ("429 MB", "12.3 MB"). Cut, never rounded up, so that what is told is there.
pub fn size_text(bytes: u64, decimal: &str) -> String {
    let Some((unit, scale)) = UNITS.iter().rev().find(|(_, scale)| bytes >= *scale) else {
        return format!("{bytes} B");
    };
    if bytes >= 100 * scale {
        return format!("{} {unit}", bytes / scale);
    }
    let tenths = bytes / (scale / 10);
    format!("{}{decimal}{} {unit}", tenths / 10, tenths % 10)
}

/// The same for what is needed: never less than it is, so that a need that just does not fit
/// never looks as if it did.
pub(super) fn need_text(bytes: u64, decimal: &str) -> String {
    let scale = UNITS
        .iter()
        .rev()
        .find(|(_, scale)| bytes >= *scale)
        .map_or(1, |(_, scale)| *scale);
    let step = match bytes {
        _ if scale == 1 => 1,
        bytes if bytes >= 100 * scale => scale,
        _ => scale / 10,
    };
    size_text(bytes.next_multiple_of(step), decimal)
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
            assert_eq!(size_text(bytes, "."), text, "{bytes}");
        }
        assert_eq!(size_text(1_500, ","), "1,5 kB");
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
            assert_eq!(need_text(bytes, "."), text, "{bytes}");
        }
    }
}
