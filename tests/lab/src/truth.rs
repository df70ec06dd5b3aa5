use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::{Events, Stick};

/// What was shown, held against what the stick had: one row for each time that something new was
/// shown.
#[derive(Debug, Default)]
pub struct Truth {
    rows: Vec<Row>,
}

/// One moment. Bytes; the stick's count from its own beginning.
#[derive(Debug, Clone, Copy)]
struct Row {
    at: Instant,
    shown: u64,
    /// Read before the line that showed it arrived.
    before: u64,
    /// Read after.
    after: u64,
}

/// What came of holding one against the other.
#[derive(Debug, Clone, Copy)]
pub struct Verdict {
    /// How many times something new was shown.
    pub samples: usize,
    /// The most that was shown and that the stick did not have, in bytes.
    pub ahead: u64,
    /// The most that the stick had and that was not shown, in bytes.
    pub behind: u64,
}

impl Truth {
    /// How often the stick is asked while nothing is shown.
    const LOOK: Duration = Duration::from_millis(20);

    /// Waits for the next line, with what the stick had right before it came. `None` after
    /// `limit` or when the stick is unplugged.
    pub fn next_line(events: &Events, stick: &Stick, limit: Duration) -> Option<(String, u64)> {
        let end = Instant::now() + limit;
        while Instant::now() < end {
            let before = stick.counters().ok()?.data_bytes_held;
            if let Some((_, line)) = events.next_within(Self::LOOK) {
                return Some((line, before));
            }
        }
        None
    }

    /// That many bytes of the job were shown by a line, before which the stick had `before`.
    pub fn shown(&mut self, shown: u64, before: u64, stick: &Stick) -> Result<()> {
        self.rows.push(Row {
            at: Instant::now(),
            shown,
            before,
            after: stick.counters()?.data_bytes_held,
        });
        Ok(())
    }

    /// Judges all rows once the job of `size` bytes is whole on the stick.
    pub fn judge(&self, size: u64, stick: &Stick) -> Result<Verdict> {
        let base = self.base(size, stick)?;
        let of_job = |held: u64| held.saturating_sub(base);
        let worst = |gap: fn(u64, u64) -> u64, pick: fn(&Row) -> u64| {
            let gaps = self
                .rows
                .iter()
                .map(|row| gap(row.shown, of_job(pick(row))));
            gaps.max().unwrap_or_default()
        };
        Ok(Verdict {
            samples: self.rows.len(),
            ahead: worst(u64::saturating_sub, |row| row.after),
            behind: worst(|shown, held| held.saturating_sub(shown), |row| row.before),
        })
    }

    /// The rows as a table: milliseconds, shown, and what the stick had of the job.
    pub fn table(&self, size: u64, stick: &Stick) -> Result<String> {
        let base = self.base(size, stick)?;
        let mut table = "ms\tshown\ton_the_stick\n".to_owned();
        for row in &self.rows {
            let ms = row.at.duration_since(self.rows[0].at).as_millis();
            table += &format!("{ms}\t{}\t{}\n", row.shown, row.after.saturating_sub(base));
        }
        Ok(table)
    }

    /// What the stick held before the job: all that it holds in the end less the job. (The FAT
    /// was cleared by formatting and counts as held, so that writing it again adds nothing.) A
    /// few KiB of folders may count too; what it held at first is the other limit.
    fn base(&self, size: u64, stick: &Stick) -> Result<u64> {
        let held = stick.counters()?.data_bytes_held;
        let first = self.rows.first().context("nothing was shown")?.after;
        let before = held
            .checked_sub(size)
            .with_context(|| format!("the stick has {held} bytes, the job {size}"))?;
        Ok(before.min(first))
    }
}
