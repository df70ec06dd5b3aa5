/// A number of bytes: `512`, `30e6`, or with one of the suffixes K, M, G, T (powers of 1024).
pub(crate) fn bytes(text: &str) -> Option<u64> {
    let (digits, factor) = match text.char_indices().last()? {
        (end, 'K') => (&text[..end], 1 << 10),
        (end, 'M') => (&text[..end], 1 << 20),
        (end, 'G') => (&text[..end], 1 << 30),
        (end, 'T') => (&text[..end], 1_u64 << 40),
        _ => (text, 1),
    };
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let number = digits.parse::<f64>().ok()? * factor as f64;
    // Up to 2^53 every whole number has its own f64.
    (number >= 0.0 && number <= 2_f64.powi(53)).then_some(number as u64)
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn sizes_as_people_write_them() {
        for (text, size) in [
            ("0", Some(0)),
            ("512", Some(512)),
            ("30e6", Some(30_000_000)),
            ("2G", Some(2 << 30)),
            ("1.5K", Some(1536)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551615K", None),
            ("1e300", None),
            ("-1", None),
            ("nan", None),
            ("G", None),
            ("", None),
            ("zwölf", None),
        ] {
            assert_eq!(bytes(text), size, "{text}");
        }
    }
}
