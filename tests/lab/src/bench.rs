//! How long a stick needs, by Steady and by others: until it may be pulled out.
//!
//! | part | what it does |
//! |---|---|
//! | [`Bench`] | all tools on one stick and one job, as rows |
//! | [`Job`], [`Tool`] | what is written, and by whom |
//! | `place` | the lab's sticks, or a real one |
//! | `run`, `limit` | one run of a tool; the stick's own limit |
//! | `shown`, `foretold` | what a tool showed, held against the truth |
//! | [`Row`], `statistics` | the table |

mod foretold;
mod in_lab;
mod job;
mod limit;
mod place;
mod real;
mod row;
mod run;
mod shown;
mod statistics;
mod tool;

use anyhow::{Context, Result};

pub use in_lab::InLab;
pub use job::Job;
pub use place::Place;
pub use real::Real;
pub use row::Row;
pub use tool::Tool;

use crate::step;
use foretold::Foretold;
use run::Run;

/// One job on one kind of stick.
#[derive(Debug, Clone, Copy)]
pub struct Bench {
    /// What is written.
    pub job: Job,
    /// Bytes of the film or the image; the other jobs grow with it.
    pub large: u64,
    /// Runs of each tool.
    pub runs: usize,
}

impl Bench {
    /// Bytes of a large file, so that a row takes a minute.
    pub const QUICK: u64 = 100_000_000;
    /// The file of the story that Steady comes from.
    pub const FULL: u64 = 429_265_824;

    /// Tries a tool again where the stick got pauses that the tool knows nothing of: at most so
    /// many times.
    const MOST_AGAIN: usize = 2;
    /// Pauses that make no difference: one before the first and the last write.
    const FEW_PAUSES: u64 = 3;

    /// Runs these tools one after the other and tells each row as it is known.
    pub fn run(
        &self,
        place: &mut dyn Place,
        tools: &[Tool],
        mut tell: impl FnMut(&Row),
    ) -> Result<Vec<Row>> {
        let bytes = self.job.make(place, self.large)?;
        let has_limit = self.job.is_one_sequence() && place.has_limit();
        let limit = has_limit
            .then(|| {
                step("Finding the stick's own limit", "1 minute");
                limit::seconds(place, bytes)
            })
            .transpose()?;
        let mut rows = Vec::new();
        for tool in tools.iter().filter(|tool| tool.does(self.job)) {
            let mut runs = Vec::with_capacity(self.runs);
            for number in 1..=self.runs {
                step(
                    &format!(
                        "{} {}: {tool}, {number} of {}",
                        place.name(),
                        self.job,
                        self.runs
                    ),
                    "1 minute",
                );
                runs.push(self.run_once(place, *tool, bytes)?);
            }
            let row = Row::of(place.name(), self.job, *tool, bytes, limit, &runs);
            if let Some(foretold) = Foretold::of(&runs) {
                eprintln!("    time left of {tool}: {foretold}");
            }
            tell(&row);
            rows.push(row);
        }
        Ok(rows)
    }

    fn run_once(&self, place: &mut dyn Place, tool: Tool, bytes: u64) -> Result<Run> {
        let mut again = 0;
        loop {
            let run = run::run(place, self.job, tool, bytes)
                .with_context(|| format!("{tool} on {}", place.name()))?;
            let paused = run.pauses.is_some_and(|pauses| pauses > Self::FEW_PAUSES);
            if !(tool.is_peer() && place.minds_pauses() && paused && again < Self::MOST_AGAIN) {
                return Ok(run);
            }
            eprintln!("    it paused by itself, which helps this stick: again");
            again += 1;
        }
    }
}
