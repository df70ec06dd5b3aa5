use std::fmt;

use super::{run::Run, statistics::quantile};

/// How the time left that was told compares with the true end, over all runs of a tool: from 15 %
/// of the bytes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Foretold {
    samples: usize,
    /// The share of samples whose range held the true end.
    inside: f64,
    /// How far the middle was from it, in nine of ten samples, as a share of the whole job.
    off: f64,
}

/// One line that told a time left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Told {
    /// Share of the bytes that were done.
    pub(super) share: f64,
    /// Seconds until the end: low, high, and in truth.
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) truth: f64,
}

impl Foretold {
    /// `None` of tools that tell no time left.
    pub(super) fn of(runs: &[Run]) -> Option<Self> {
        let told = runs.iter().flat_map(|run| {
            let seconds = run.seconds;
            run.told.iter().map(move |told| (*told, seconds))
        });
        Self::judge(
            &told
                .filter(|(told, _)| told.share >= 0.15)
                .collect::<Vec<_>>(),
        )
    }

    fn judge(told: &[(Told, f64)]) -> Option<Self> {
        let inside = |(told, _): &&(Told, f64)| (told.low..=told.high).contains(&told.truth);
        let off = |(told, seconds): &(Told, f64)| {
            (f64::midpoint(told.low, told.high) - told.truth).abs() / seconds
        };
        let off: Vec<_> = told.iter().map(off).collect();
        Some(Self {
            samples: told.len(),
            inside: told.iter().filter(inside).count() as f64 / told.len() as f64,
            off: quantile(&off, 0.9)?,
        })
    }
}

impl fmt::Display for Foretold {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "the true end inside the range in {:.0} % of {} samples, the middle off by up to {:.0} % of the job in nine of ten",
            self.inside * 100.0,
            self.samples,
            self.off * 100.0
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_told_is_held_against_the_end() {
        let told = |low, high, truth| {
            let told = Told {
                share: 0.5,
                low,
                high,
                truth,
            };
            (told, 100.0)
        };
        let foretold = Foretold::judge(&[told(40.0, 60.0, 50.0), told(40.0, 60.0, 70.0)]);
        let expected = Foretold {
            samples: 2,
            inside: 0.5,
            off: 0.2,
        };
        assert_eq!(foretold, Some(expected));
        assert_eq!(Foretold::judge(&[]), None);
    }
}
