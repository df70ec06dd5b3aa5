use std::ffi::OsStr;

/// Sorts names as people read them: `9` before `10`, capitals beside small letters.
///
/// Made once a name, so that the many comparisons of a sort are comparisons of bytes. Equal for
/// names that people read alike: the names themselves decide then.
pub(super) fn natural_key(name: &OsStr) -> Vec<u8> {
    let name = name.to_string_lossy();
    let mut key = Vec::with_capacity(name.len() + 8);
    let mut rest = name.as_ref();
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_digit() {
            let end = rest.find(|c: char| !c.is_ascii_digit());
            let (number, behind) = rest.split_at(end.unwrap_or(rest.len()));
            // Without leading zeros the longer number is the larger, however long it is.
            let number = number.trim_start_matches('0');
            key.push(b'0');
            key.extend((number.len() as u32).to_be_bytes());
            key.extend(number.as_bytes());
            rest = behind;
        } else {
            let mut buffer = [0; 4];
            for small in first.to_lowercase() {
                key.extend(small.encode_utf8(&mut buffer).as_bytes());
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cars_play_nine_before_ten() {
        let wanted = [
            "!",
            "01 Intro.mp3",
            "1 other.mp3",
            "2.mp3",
            "09.mp3",
            "10.mp3",
            "99999999999999999999999",
            "A",
            "a2",
            "a10",
            "b",
            "B 1",
            "b1",
            "Été 2",
        ];
        let mut names = wanted;
        names.reverse();
        names.sort_by_cached_key(|name| natural_key(OsStr::new(name)));
        assert_eq!(names, wanted);
    }
}
