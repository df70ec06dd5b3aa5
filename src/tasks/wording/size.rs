/// A size for people: powers of 1000, three digits at most before the unit, one decimal below
/// 100 of it ("429 MB", "12.3 MB"). Cut, never rounded up, so that what is told is there.
pub fn size_text(bytes: u64, decimal: &str) -> String {
    const UNITS: [(&str, u64); 4] = [
        ("kB", 1_000),
        ("MB", 1_000_000),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
    ];
    let Some((unit, scale)) = UNITS.iter().rev().find(|(_, scale)| bytes >= *scale) else {
        return format!("{bytes} B");
    };
    if bytes >= 100 * scale {
        return format!("{} {unit}", bytes / scale);
    }
    let tenths = bytes / (scale / 10);
    format!("{}{decimal}{} {unit}", tenths / 10, tenths % 10)
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
}
