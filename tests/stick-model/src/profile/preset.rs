use std::time::Duration;

use super::Parameters;

/// A named kind of stick.
#[derive(Debug)]
pub(super) struct Preset {
    pub(super) name: &'static str,
    /// Names that some keys have in this profile only, as (short, key).
    pub(super) short: &'static [(&'static str, &'static str)],
    /// What has no sensible default.
    pub(super) needs: Option<Need>,
    /// In what it differs from `even`.
    pub(super) change: fn(&mut Parameters),
}

/// A key that has to be given, as people are told.
#[derive(Debug)]
pub(super) struct Need {
    pub(super) key: &'static str,
    pub(super) takes: &'static str,
    pub(super) example: &'static str,
}

impl Preset {
    pub(super) const ALL: &'static [Self] = &[
        Self {
            name: "even",
            ..Self::EVEN
        },
        Self {
            name: "volatile",
            change: |figures| figures.volatile_cache = true,
            ..Self::EVEN
        },
        // A 2 GB stick that wrote 1.01 MB/s plainly and 4.28 MB/s in small bounded portions, times
        // four so that tests stay short. That flushes and pauses are what helps is assumed.
        Self {
            name: "backlog",
            change: |figures| {
                figures.write_rate = 17.1e6;
                figures.backlog_limit = Some(15_000_000);
            },
            ..Self::EVEN
        },
        // The same rate, but what decides is where is written. Sizes and number of the open blocks
        // are assumed, and reproduce what was measured with several ways of writing to FAT.
        Self {
            name: "ftl",
            change: |figures| {
                figures.write_rate = 17.1e6;
                figures.open_blocks = 2;
            },
            ..Self::EVEN
        },
        // An SSD that wrote 80 MB/s for the first GB, then 52, 32 after 2 GB, 23 in the end: an
        // eighth of its sizes and 0.4 of its rates, which is what the lab can carry.
        Self {
            name: "cliff",
            change: |figures| {
                figures.write_rate = 32e6;
                figures.read_rate = 32e6;
                figures.fast_cells = Some(128 << 20);
            },
            ..Self::EVEN
        },
        Self {
            name: "commands",
            change: |figures| figures.command_cost = Duration::from_millis(40),
            ..Self::EVEN
        },
        Self {
            name: "dies",
            short: &[("at", "dies_at")],
            needs: Some(Need {
                key: "at",
                takes: "BYTES",
                example: "30e6",
            }),
            ..Self::EVEN
        },
        Self {
            name: "bad",
            short: &[("range", "bad"), ("op", "bad_op")],
            needs: Some(Need {
                key: "range",
                takes: "FROM-TO",
                example: "10M-11M",
            }),
            ..Self::EVEN
        },
        Self {
            name: "hang",
            short: &[("at", "hang_at"), ("for", "hang_for")],
            needs: Some(Need {
                key: "at",
                takes: "BYTES",
                example: "30e6",
            }),
            ..Self::EVEN
        },
        Self {
            name: "slow-flush",
            short: &[("for", "flush_for")],
            change: |figures| figures.flush_for = Duration::from_secs(3),
            ..Self::EVEN
        },
        Self {
            name: "fake",
            change: |figures| figures.has = Some(256 << 20),
            ..Self::EVEN
        },
        Self {
            name: "4kn",
            change: |figures| figures.sector = 4096,
            ..Self::EVEN
        },
    ];

    const EVEN: Self = Self {
        name: "even",
        short: &[],
        needs: None,
        change: |_| {},
    };

    pub(super) fn named(name: &str) -> Option<&'static Self> {
        const { &Self::ALL }
            .iter()
            .find(|preset| preset.name == name)
    }

    /// The key for what is written as `key` in this profile.
    pub(super) fn key<'a>(&self, key: &'a str) -> &'a str {
        self.short
            .iter()
            .find(|(short, _)| *short == key)
            .map_or(key, |(_, key)| key)
    }
}
