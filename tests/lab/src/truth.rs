use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

use crate::Stick;

/// What was shown, held against what the stick had: one row for each time that something new was
/// shown. The stick is asked all the while, so that each row has a count from before and one from
/// after it.
#[derive(Debug)]
pub struct Truth {
    rows: Vec<Row>,
    counts: Arc<Counts>,
}

/// That many bytes were shown by a line that arrived at that moment.
#[derive(Debug, Clone, Copy)]
struct Row {
    at: Instant,
    shown: u64,
}

/// What the stick had, over time; bytes from its own beginning.
#[derive(Debug, Default)]
struct Counts {
    held: Mutex<Vec<(Instant, u64)>>,
    over: AtomicBool,
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
    const EVERY: Duration = Duration::from_millis(20);

    /// Begins to ask the stick.
    pub fn watch(stick: &Stick) -> Result<Self> {
        let counts = Arc::new(Counts::default());
        counts.take(stick.counters()?.data_bytes_held);
        let (watched, stick) = (Arc::clone(&counts), stick.clone());
        thread::Builder::new()
            .name("stick's counters".into())
            .spawn(move || {
                // Ends with the stick at the latest.
                while !watched.over.load(Ordering::Relaxed)
                    && let Ok(counters) = stick.counters()
                {
                    watched.take(counters.data_bytes_held);
                    thread::sleep(Self::EVERY);
                }
            })?;
        Ok(Self {
            rows: Vec::new(),
            counts,
        })
    }

    /// That many bytes of the job were shown by a line that arrived at that moment.
    pub fn shown(&mut self, at: Instant, shown: u64) {
        self.rows.push(Row { at, shown });
    }

    /// Judges all rows once the job of `size` bytes is whole on the stick.
    pub fn judge(&self, size: u64) -> Result<Verdict> {
        let held = self.of_job(size)?;
        let gaps = |gap: fn(Row, (u64, u64)) -> u64| {
            let gaps = self
                .rows
                .iter()
                .zip(&held)
                .map(|(row, held)| gap(*row, *held));
            gaps.max().unwrap_or_default()
        };
        Ok(Verdict {
            samples: self.rows.len(),
            // What the stick had a little later counts for what was shown, and what it had a
            // little before for what was not.
            ahead: gaps(|row, (_, after)| row.shown.saturating_sub(after)),
            behind: gaps(|row, (before, _)| before.saturating_sub(row.shown)),
        })
    }

    /// The rows as a table: milliseconds, shown, and what the stick had of the job.
    pub fn table(&self, size: u64) -> Result<String> {
        let mut table = "ms\tshown\ton_the_stick\n".to_owned();
        for (row, (_, held)) in self.rows.iter().zip(self.of_job(size)?) {
            let ms = row.at.duration_since(self.rows[0].at).as_millis();
            table += &format!("{ms}\t{}\t{held}\n", row.shown);
        }
        Ok(table)
    }

    /// For each row what the stick had of the job of `size` bytes: before and after.
    ///
    /// What it held before the job is all that it holds in the end less the job. (The FAT was
    /// cleared by formatting and counts as held, so that writing it again adds nothing.) A few
    /// KiB of folders may count too; what it held at the first row is the other limit.
    fn of_job(&self, size: u64) -> Result<Vec<(u64, u64)>> {
        let counts = self
            .counts
            .held
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let around = |at: Instant| {
            let later = counts.partition_point(|(moment, _)| *moment <= at);
            let before = counts[later.saturating_sub(1)].1;
            let after = counts
                .get(later)
                .or(counts.last())
                .map_or(before, |(_, held)| *held);
            (before, after)
        };
        let first = self.rows.first().context("nothing was shown")?;
        let end = counts.last().context("the stick was never asked")?.1;
        let before_job = end
            .checked_sub(size)
            .with_context(|| format!("the stick has {end} bytes, the job {size}"))?
            .min(around(first.at).1);
        let of_job = |held: u64| held.saturating_sub(before_job);
        let rows = self.rows.iter().map(|row| around(row.at));
        Ok(rows
            .map(|(before, after)| (of_job(before), of_job(after)))
            .collect())
    }
}

impl Drop for Truth {
    fn drop(&mut self) {
        self.counts.over.store(true, Ordering::Relaxed);
    }
}

impl Counts {
    fn take(&self, held: u64) {
        let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        all.push((Instant::now(), held));
    }
}
