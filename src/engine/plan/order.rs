use std::cmp::Ordering;
use std::iter::Peekable;
use std::path::Path;
use std::str::Chars;

/// The order in which people read names: `9` before `10`, capitals beside small letters.
pub fn natural(left: &Path, right: &Path) -> Ordering {
    let mut left_parts = left.components();
    let mut right_parts = right.components();
    loop {
        return match (left_parts.next(), right_parts.next()) {
            (None, None) => Ordering::Equal,
            (None, _) => Ordering::Less,
            (_, None) => Ordering::Greater,
            (Some(a), Some(b)) => {
                let (a, b) = (a.as_os_str(), b.as_os_str());
                match natural_names(&a.to_string_lossy(), &b.to_string_lossy()).then(a.cmp(b)) {
                    Ordering::Equal => continue,
                    unequal => unequal,
                }
            }
        };
    }
}

fn natural_names(left: &str, right: &str) -> Ordering {
    let mut left = left.chars().peekable();
    let mut right = right.chars().peekable();
    loop {
        let (Some(&a), Some(&b)) = (left.peek(), right.peek()) else {
            return left.peek().is_some().cmp(&right.peek().is_some());
        };
        let order = if a.is_ascii_digit() && b.is_ascii_digit() {
            let (a, b) = (number(&mut left), number(&mut right));
            a.len().cmp(&b.len()).then_with(|| a.cmp(&b))
        } else {
            left.next();
            right.next();
            a.to_lowercase().cmp(b.to_lowercase())
        };
        if order != Ordering::Equal {
            return order;
        }
    }
}

/// The digits of a number without leading zeros: longer is larger, however long it is.
fn number(chars: &mut Peekable<Chars<'_>>) -> String {
    let mut digits = String::new();
    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
        if digit != '0' || !digits.is_empty() {
            digits.push(digit);
        }
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cars_play_nine_before_ten() {
        let wanted = [
            "01 Intro.mp3",
            "1 other.mp3",
            "2.mp3",
            "09.mp3",
            "10.mp3",
            "99999999999999999999999",
            "A",
            "a2",
            "a10",
            "B/1",
            "B/10",
            "c",
        ];
        let mut names = wanted;
        names.reverse();
        names.sort_by(|a, b| natural(Path::new(a), Path::new(b)));
        assert_eq!(names, wanted);
    }

    #[test]
    fn different_names_are_never_equal() {
        assert_ne!(natural(Path::new("a01"), Path::new("a1")), Ordering::Equal);
        assert_ne!(
            natural(Path::new("README"), Path::new("readme")),
            Ordering::Equal
        );
    }
}
