use std::{ops::Range, time::Duration};

use super::{Counters, Kept, Stats, extents::Extents, file_data::FileData};
use crate::timing::{Begun, Direction};

/// Counts what a stick does.
#[derive(Debug)]
pub(crate) struct Tally {
    counters: Counters,
    written: Extents,
    /// Written and not to be lost with the power.
    on_medium: Extents,
    /// Written and only in the volatile cache.
    in_cache: Extents,
    file_data: FileData,
    curve: Vec<(u64, u64, u64)>,
}

impl Tally {
    /// For a stick of a profile as written and of a size in bytes.
    pub(crate) fn new(profile: String, size: u64) -> Self {
        Self {
            counters: Counters {
                profile,
                size,
                ..Counters::default()
            },
            written: Extents::default(),
            on_medium: Extents::default(),
            in_cache: Extents::default(),
            file_data: FileData::default(),
            curve: Vec::new(),
        }
    }

    /// A request arrived.
    pub(crate) fn begin(&mut self, direction: Direction, begun: Begun) {
        let counters = &mut self.counters;
        let (requests, commands) = match direction {
            Direction::Read => (&mut counters.read_requests, &mut counters.read_commands),
            Direction::Write => (&mut counters.write_requests, &mut counters.write_commands),
        };
        *requests += 1;
        *commands += u64::from(begun.new_command);
        counters.pauses += u64::from(begun.after_pause);
    }

    /// The stick says that it has `range`.
    pub(crate) fn wrote(&mut self, range: &Range<u64>, kept: Kept, up: Duration) {
        let length = range.end - range.start;
        self.counters.bytes_written += length;
        self.counters.data_bytes_written += self.file_data.write(range);
        self.written.insert(range.clone());
        self.lost(range);
        match kept {
            Kept::OnMedium => self.on_medium.insert(range.clone()),
            Kept::InCache => self.in_cache.insert(range.clone()),
            Kept::Nowhere => {}
        }
        self.second(up).1 += length;
    }

    /// What was written to `range` is no longer to be had.
    pub(crate) fn lost(&mut self, range: &Range<u64>) {
        self.on_medium.remove(range);
        self.in_cache.remove(range);
    }

    /// The write just counted asked to be durable by itself.
    pub(crate) fn forced(&mut self) {
        self.counters.fua_writes += 1;
    }

    pub(crate) fn read(&mut self, length: u64, up: Duration) {
        self.counters.bytes_read += length;
        self.second(up).2 += length;
    }

    /// The guest asked for a flush.
    pub(crate) fn asked_to_flush(&mut self) {
        self.counters.flushes += 1;
    }

    /// Everything is durable.
    pub(crate) fn flushed(&mut self) {
        let flushed = std::mem::take(&mut self.in_cache);
        for (offset, length) in flushed.iter() {
            self.on_medium.insert(offset..offset + length);
        }
    }

    /// The power is gone. Of what was not flushed, these ranges survived.
    pub(crate) fn survived(&mut self, ranges: impl Iterator<Item = Range<u64>>) {
        let mut lost = self.in_cache.clone();
        for range in ranges {
            lost.remove(&range);
        }
        for (offset, length) in lost.iter() {
            self.in_cache.remove(&(offset..offset + length));
        }
        self.flushed();
    }

    pub(crate) fn bytes_written(&self) -> u64 {
        self.counters.bytes_written
    }

    /// The scalar figures after `up`; whether the stick is alive is for the stick to say.
    pub(crate) fn counters(&self, up: Duration) -> Counters {
        Counters {
            up_ms: u64::try_from(up.as_millis()).unwrap_or(u64::MAX),
            data_bytes_held: self.file_data.held().total(),
            on_medium_bytes: self.on_medium.total(),
            in_cache_bytes: self.in_cache.total(),
            ..self.counters.clone()
        }
    }

    /// All figures, those of [`Self::counters`] being known.
    pub(crate) fn stats(&self, counters: Counters) -> Stats {
        let mut ranges_left_out = 0;
        let mut list = |set: &Extents| {
            let all = set.iter();
            ranges_left_out += all.len().saturating_sub(Stats::MOST_RANGES) as u64;
            all.take(Stats::MOST_RANGES).collect()
        };
        Stats {
            counters,
            written: list(&self.written),
            file_data: list(self.file_data.held()),
            ranges_left_out,
            curve: self.curve.clone(),
        }
    }

    /// The entry of the curve for the second that is running.
    fn second(&mut self, up: Duration) -> &mut (u64, u64, u64) {
        let second = up.as_secs();
        let last = match self.curve.last() {
            Some((last, ..)) if *last >= second => self.curve.len() - 1,
            _ => {
                self.curve.push((second, 0, 0));
                self.curve.len() - 1
            }
        };
        &mut self.curve[last]
    }
}
