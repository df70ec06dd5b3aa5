use std::time::Duration;

use super::{ProfileError, entry::Entry};

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
    /// `dies_at`: bytes written after which every request fails.
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
        "dies_at",
    ];

    /// The figures of `even`, from which every profile differs in something.
    pub(super) const EVEN: Self = Self {
        write_rate: 16e6,
        read_rate: 24e6,
        command_cost: Duration::ZERO,
        pause: Duration::from_millis(50),
        backlog_limit: None,
        backlog_rate: 4.04e6,
        volatile_cache: false,
        seed: 1,
        keep: 0.5,
        dies_at: None,
    };

    /// Overrides what `key` stands for. In a complaint it is called as it was `written`.
    pub(super) fn set(
        &mut self,
        written: &str,
        key: &str,
        value: &str,
    ) -> Result<(), ProfileError> {
        let entry = Entry {
            key: written,
            value,
        };
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
            "dies_at" => self.dies_at = Some(entry.bytes()?),
            _ => return Err(ProfileError::UnknownKey(key.to_owned())),
        }
        Ok(())
    }
}
