use std::{collections::BTreeMap, fmt};

use super::{Case, Fault, Job, Verdict};

/// How often each fault befell each job.
#[derive(Debug, Default)]
pub struct Table(BTreeMap<(Fault, Job), Cell>);

#[derive(Debug, Default)]
struct Cell {
    hit: u32,
    missed: u32,
    wrong: u32,
}

impl Table {
    /// Counts a case.
    pub fn count(&mut self, case: Case, verdict: &Verdict) {
        let cell = self.0.entry((case.fault, case.job)).or_default();
        if verdict.hit {
            cell.hit += 1;
        } else {
            cell.missed += 1;
        }
        cell.wrong += u32::from(!verdict.wrong.is_empty());
    }
}

/// Tab-separated: a line for each fault, a column for each job. `3` befell it three times, `+1`
/// came after its end, `!2` went wrong.
impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "fault")?;
        for job in Job::ALL {
            write!(f, "\t{}", job.name())?;
        }
        let mut last = None;
        for (fault, _) in self.0.keys() {
            if last.replace(*fault) == Some(*fault) {
                continue;
            }
            write!(f, "\n{}", fault.name())?;
            for job in Job::ALL {
                write!(f, "\t")?;
                let Some(cell) = self.0.get(&(*fault, job)) else {
                    continue;
                };
                write!(f, "{}", cell.hit)?;
                if cell.missed > 0 {
                    write!(f, "+{}", cell.missed)?;
                }
                if cell.wrong > 0 {
                    write!(f, "!{}", cell.wrong)?;
                }
            }
        }
        Ok(())
    }
}
