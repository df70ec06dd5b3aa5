use std::{ops::Range, str::FromStr, time::Duration};

use super::{ProfileError, number::bytes};

/// One override as written.
pub(super) struct Entry<'a> {
    pub(super) key: &'a str,
    pub(super) value: &'a str,
}

impl Entry<'_> {
    pub(super) fn rate(&self) -> Result<f64, ProfileError> {
        self.number(|rate| (1.0..=1e12).contains(&rate))
            .ok_or_else(|| self.bad("bytes a second above 0"))
    }

    pub(super) fn milliseconds(&self) -> Result<Duration, ProfileError> {
        self.time(0.001, "milliseconds")
    }

    pub(super) fn seconds(&self) -> Result<Duration, ProfileError> {
        self.time(1.0, "seconds")
    }

    fn time(&self, unit: f64, takes: &'static str) -> Result<Duration, ProfileError> {
        self.number(|time| (0.0..=1e9).contains(&time))
            .map(|time| Duration::from_secs_f64(time * unit))
            .ok_or_else(|| self.bad(takes))
    }

    pub(super) fn share(&self) -> Result<f64, ProfileError> {
        self.number(|share| (0.0..=1.0).contains(&share))
            .ok_or_else(|| self.bad("a share from 0 to 1"))
    }

    pub(super) fn bytes(&self) -> Result<u64, ProfileError> {
        bytes(self.value).ok_or_else(|| self.bad("bytes, as in 30e6 or 64M"))
    }

    /// More than none.
    pub(super) fn some_bytes(&self) -> Result<u64, ProfileError> {
        bytes(self.value)
            .filter(|bytes| *bytes > 0)
            .ok_or_else(|| self.bad("bytes above 0, as in 64M"))
    }

    pub(super) fn whole<T: FromStr>(&self) -> Result<T, ProfileError> {
        let value = self.value.parse();
        value.map_err(|_| self.bad("a whole number"))
    }

    pub(super) fn switch(&self) -> Result<bool, ProfileError> {
        self.one_of(&[("0", false), ("1", true)], "0 or 1")
    }

    /// What a word stands for; `takes` lists the words for people.
    pub(super) fn one_of<T: Copy>(
        &self,
        words: &[(&str, T)],
        takes: &'static str,
    ) -> Result<T, ProfileError> {
        words
            .iter()
            .find(|(word, _)| *word == self.value)
            .map(|(_, meaning)| *meaning)
            .ok_or_else(|| self.bad(takes))
    }

    /// From and up to, not including.
    pub(super) fn range(&self) -> Result<Range<u64>, ProfileError> {
        self.value
            .split_once('-')
            .and_then(|(start, end)| Some(bytes(start)?..bytes(end)?))
            .filter(|range| !range.is_empty())
            .ok_or_else(|| self.bad("a range of bytes, as in 10M-11M"))
    }

    fn number(&self, fits: impl Fn(f64) -> bool) -> Option<f64> {
        let number = self.value.parse().ok()?;
        fits(number).then_some(number)
    }

    fn bad(&self, takes: &'static str) -> ProfileError {
        ProfileError::BadValue {
            key: self.key.to_owned(),
            value: self.value.to_owned(),
            takes,
        }
    }
}
