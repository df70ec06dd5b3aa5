use std::{ops::Range, time::Duration};

use super::{Beyond, ProfileError, entry::Entry};

/// The figures of a stick. A figure that a profile has no use for is harmless.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// `wbps`: bytes a second written.
    pub write_rate: f64,
    /// `rbps`: bytes a second read.
    pub read_rate: f64,
    /// `command_ms`: what every command costs, whatever its size.
    pub command_cost: Duration,
    /// `flush_for`: seconds that every flush costs, whether there is something to flush or not.
    pub flush_for: Duration,
    /// `pause_ms`: idle at least this long before a write is a pause.
    pub pause: Duration,
    /// `backlog_after`: bytes that may arrive without a flush or a pause before it gets slow.
    pub backlog_limit: Option<u64>,
    /// `backlog_wbps`: bytes a second written from then on.
    pub backlog_rate: f64,
    /// `open_blocks`: erase blocks that can be open at a time; 0 if writes are free to go anywhere.
    pub open_blocks: usize,
    /// `erase_block`: bytes of an erase block.
    pub erase_block: u64,
    /// `fast`: bytes of fast cells. Once written, writing goes at 0.65 of `wbps`, after twice as
    /// much at 0.4, after four times as much at 0.2875.
    pub fast_cells: Option<u64>,
    /// `drain_after_ms`: idle this long, the stick begins to empty its fast cells.
    pub drain_after: Duration,
    /// `drain_bps`: bytes a second by which they get empty then.
    pub drain_rate: f64,
    /// `hang_at`: bytes written in all that make the stick hang, once.
    pub hang_at: Option<u64>,
    /// `hang_for`: seconds for which it then holds the write, and with it all that comes after.
    pub hang_for: Duration,
    /// `cache` (0 or 1): whether what was not flushed lives in a cache that a pull empties.
    pub volatile_cache: bool,
    /// `seed`: which of the unflushed blocks survive a pull.
    pub seed: u64,
    /// `keep`: the share of unflushed blocks that survives a pull, 0 to 1.
    pub keep: f64,
    /// `dies_at`: bytes written after which every request fails.
    pub dies_at: Option<u64>,
    /// `has`: bytes of the medium of a fake stick; on an honest one there is no such figure.
    pub has: Option<u64>,
    /// `claims`: bytes that a fake stick says that it has; [`Self::FAKE_CLAIM`] by default.
    pub claims: Option<u64>,
    /// `how` (wrap or drop): what becomes of what is beyond `has`.
    pub beyond: Beyond,
    /// `bad`: a range, as in 10M-11M (without its end): what touches it fails.
    pub bad: Option<Range<u64>>,
    /// `bad_op` (read, write or both): whether reads fail.
    pub bad_reads: bool,
    /// `bad_op`: whether writes fail; then nothing of them arrives.
    pub bad_writes: bool,
    /// `sector` (512 or 4096): bytes of a logical block; requests for less are refused.
    pub sector: u64,
}

impl Parameters {
    /// The keys of the overrides.
    pub const KEYS: [&str; 24] = [
        "wbps",
        "rbps",
        "command_ms",
        "flush_for",
        "pause_ms",
        "backlog_after",
        "backlog_wbps",
        "open_blocks",
        "erase_block",
        "fast",
        "drain_after_ms",
        "drain_bps",
        "hang_at",
        "hang_for",
        "cache",
        "seed",
        "keep",
        "dies_at",
        "has",
        "claims",
        "how",
        "bad",
        "bad_op",
        "sector",
    ];

    /// What a fake stick claims if nothing else is said: 1 GiB.
    pub const FAKE_CLAIM: u64 = 1 << 30;

    /// The figures of `even`, from which every profile differs in something.
    pub(super) const EVEN: Self = Self {
        write_rate: 16e6,
        read_rate: 24e6,
        command_cost: Duration::ZERO,
        flush_for: Duration::ZERO,
        pause: Duration::from_millis(50),
        backlog_limit: None,
        backlog_rate: 4.04e6,
        open_blocks: 0,
        erase_block: 4 << 20,
        fast_cells: None,
        drain_after: Duration::from_secs(1),
        drain_rate: 9.2e6,
        hang_at: None,
        hang_for: Duration::from_secs(20),
        volatile_cache: false,
        seed: 1,
        keep: 0.5,
        dies_at: None,
        has: None,
        claims: None,
        beyond: Beyond::Wrap,
        bad: None,
        bad_reads: true,
        bad_writes: true,
        sector: 512,
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
            "flush_for" => self.flush_for = entry.seconds()?,
            "pause_ms" => self.pause = entry.milliseconds()?,
            "backlog_after" => self.backlog_limit = Some(entry.bytes()?),
            "backlog_wbps" => self.backlog_rate = entry.rate()?,
            "open_blocks" => self.open_blocks = entry.whole()?,
            "erase_block" => self.erase_block = entry.some_bytes()?,
            "fast" => self.fast_cells = Some(entry.some_bytes()?),
            "drain_after_ms" => self.drain_after = entry.milliseconds()?,
            "drain_bps" => self.drain_rate = entry.rate()?,
            "hang_at" => self.hang_at = Some(entry.bytes()?),
            "hang_for" => self.hang_for = entry.seconds()?,
            "cache" => self.volatile_cache = entry.switch()?,
            "seed" => self.seed = entry.whole()?,
            "keep" => self.keep = entry.share()?,
            "dies_at" => self.dies_at = Some(entry.bytes()?),
            "has" => self.has = Some(entry.some_bytes()?),
            "claims" => self.claims = Some(entry.some_bytes()?),
            "how" => {
                self.beyond = entry.one_of(
                    &[("wrap", Beyond::Wrap), ("drop", Beyond::Drop)],
                    "wrap or drop",
                )?;
            }
            "bad" => self.bad = Some(entry.range()?),
            "bad_op" => {
                (self.bad_reads, self.bad_writes) = entry.one_of(
                    &[
                        ("read", (true, false)),
                        ("write", (false, true)),
                        ("both", (true, true)),
                    ],
                    "read, write or both",
                )?;
            }
            "sector" => {
                self.sector = entry.one_of(&[("512", 512), ("4096", 4096)], "512 or 4096")?;
            }
            _ => return Err(ProfileError::UnknownKey(key.to_owned())),
        }
        Ok(())
    }
}
