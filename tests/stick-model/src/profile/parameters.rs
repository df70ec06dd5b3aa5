use std::time::Duration;

use super::{ProfileError, number::bytes};

/// The figures of a stick. A figure that a profile has no use for is harmless.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// `wbps`: bytes a second written.
    pub write_rate: f64,
    /// `rbps`: bytes a second read.
    pub read_rate: f64,
    /// `command_ms`: what every command costs, whatever its size.
    pub command_cost: Duration,
    /// `pause_ms`: idle at least this long before a write is a pause.
    pub pause: Duration,
    /// `backlog_after`: bytes that may arrive without a flush or a pause before it gets slow.
    pub backlog_limit: Option<u64>,
    /// `backlog_wbps`: bytes a second written from then on.
    pub backlog_rate: f64,
    /// `cache` (0 or 1): whether what was not flushed lives in a cache that a pull empties.
    pub volatile_cache: bool,
    /// `seed`: which of the unflushed blocks survive a pull.
    pub seed: u64,
    /// `keep`: the share of unflushed blocks that survives a pull, 0 to 1.
    pub keep: f64,
    /// `at`: bytes written after which every request fails.
    pub dies_at: Option<u64>,
}

impl Parameters {
    /// The keys of the overrides.
    pub const KEYS: [&str; 10] = [
        "wbps",
        "rbps",
        "command_ms",
        "pause_ms",
        "backlog_after",
        "backlog_wbps",
        "cache",
        "seed",
        "keep",
        "at",
    ];

    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), ProfileError> {
        let entry = Entry { key, value };
        match key {
            "wbps" => self.write_rate = entry.rate()?,
            "rbps" => self.read_rate = entry.rate()?,
            "command_ms" => self.command_cost = entry.milliseconds()?,
            "pause_ms" => self.pause = entry.milliseconds()?,
            "backlog_after" => self.backlog_limit = Some(entry.bytes()?),
            "backlog_wbps" => self.backlog_rate = entry.rate()?,
            "cache" => self.volatile_cache = entry.switch()?,
            "seed" => self.seed = entry.whole()?,
            "keep" => self.keep = entry.share()?,
            "at" => self.dies_at = Some(entry.bytes()?),
            _ => return Err(ProfileError::UnknownKey(key.to_owned())),
        }
        Ok(())
    }
}

/// One override as written.
struct Entry<'a> {
    key: &'a str,
    value: &'a str,
}

impl Entry<'_> {
    fn rate(&self) -> Result<f64, ProfileError> {
        self.number(|rate| (1.0..=1e12).contains(&rate))
            .ok_or_else(|| self.bad("bytes a second above 0"))
    }

    fn milliseconds(&self) -> Result<Duration, ProfileError> {
        self.number(|time| (0.0..=1e9).contains(&time))
            .map(|time| Duration::from_secs_f64(time / 1000.0))
            .ok_or_else(|| self.bad("milliseconds"))
    }

    fn share(&self) -> Result<f64, ProfileError> {
        self.number(|share| (0.0..=1.0).contains(&share))
            .ok_or_else(|| self.bad("a share from 0 to 1"))
    }

    fn bytes(&self) -> Result<u64, ProfileError> {
        bytes(self.value).ok_or_else(|| self.bad("bytes, as in 30e6 or 64M"))
    }

    fn whole(&self) -> Result<u64, ProfileError> {
        let value = self.value.parse();
        value.map_err(|_| self.bad("a whole number"))
    }

    fn switch(&self) -> Result<bool, ProfileError> {
        match self.value {
            "0" => Ok(false),
            "1" => Ok(true),
            _ => Err(self.bad("0 or 1")),
        }
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
