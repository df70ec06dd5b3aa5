use std::io::{self, IsTerminal, Stderr, Stdout};

use super::{Lines, warn};
use crate::tasks::{
    Failure, JobState, Notation, Phase, Progress, Report, Wording, shown_message, size_text,
};

/// One line that is written over while a job runs, and sentences at its end.
pub(super) struct Terminal {
    /// Whether anything is told here at all.
    speaks: bool,
    /// Whether the line can be written over.
    live: bool,
    out: Lines<Stdout>,
    err: Lines<Stderr>,
}

impl Terminal {
    pub(super) fn new(speaks: bool) -> Self {
        Self {
            speaks,
            live: speaks && io::stderr().is_terminal(),
            out: Lines::new(io::stdout()),
            err: Lines::new(io::stderr()),
        }
    }

    pub(super) fn note(&mut self, sentence: &str) {
        if self.speaks {
            self.clear();
            self.err.say(sentence);
        }
    }

    /// One job in words, of several a share each.
    pub(super) fn show(&mut self, states: &[JobState]) {
        if !self.live {
            return;
        }
        let line = match states {
            [
                JobState::Running {
                    cancelling: true, ..
                },
            ] => "Stopping…".to_owned(),
            [
                JobState::Running {
                    phase, progress, ..
                },
            ] => line(*phase, progress.as_ref()),
            [_] => return,
            states => shares(states),
        };
        self.err.progress(&format!("\r\x1b[K{line}"));
    }

    /// The end of a job; `name` tells its stick from others.
    pub(super) fn end(&mut self, name: Option<&str>, state: &JobState) {
        if !self.speaks {
            return;
        }
        self.clear();
        if let Some(name) = name {
            self.out.say(&format!("{name}:"));
        }
        match state {
            JobState::Running { .. } => {}
            JobState::Done(report) => {
                match &report.found {
                    Some(found) => {
                        for sentence in Wording::of_check(found) {
                            self.out.say(&sentence.english());
                        }
                    }
                    None => self.out.say(&summary(report)),
                }
                failed_items(&report.failed_items);
                failed_items(&report.notes);
                for renamed in &report.renamed {
                    warn(&Wording::of_renamed(renamed).english());
                }
                if report.safe_to_unplug {
                    self.out.say("Safe to unplug.");
                }
            }
            JobState::Failed(failure, report) => {
                warn(&Wording::of_failure(failure).english());
                if !failure.detail.is_empty() {
                    warn(&format!("({})", shown_message(&failure.detail)));
                }
                if let Some(report) = report {
                    rest(&Wording::of_rest_after(failure, report), report);
                }
            }
            JobState::Cancelled(report) => {
                warn("Stopped.");
                rest(&Wording::of_rest(report), report);
            }
        }
    }

    fn clear(&mut self) {
        if self.live {
            self.err.progress("\r\x1b[K");
        }
    }
}

fn rest(sentences: &[Wording], report: &Report) {
    for sentence in sentences {
        warn(&sentence.english());
    }
    failed_items(&report.failed_items);
}

fn failed_items(failed: &[Failure]) {
    for failure in failed {
        warn(&Wording::of_failure(failure).english());
    }
}

fn summary(report: &Report) -> String {
    let on_stick = &report.on_stick;
    if on_stick.complete.is_empty() && report.bytes == 0 {
        return "The stick is formatted and empty.".to_owned();
    }
    if on_stick.kept.len() == on_stick.complete.len() && report.bytes == 0 {
        return "Everything was on the stick already. Compared, and nothing written.".to_owned();
    }
    let checked = if report.checked {
        "Checked"
    } else {
        "Not checked"
    };
    format!(
        "{} on the stick, {}/s. {checked}.",
        size_text(report.bytes, &Notation::ENGLISH),
        size_text(report.bytes_per_second as u64, &Notation::ENGLISH)
    )
}

fn line(phase: Phase, progress: Option<&Progress>) -> String {
    let doing = match phase {
        Phase::Preparing | Phase::Asking => "Preparing…",
        Phase::Probing => "Trying the stick…",
        Phase::Formatting => "Formatting…",
        Phase::Finishing => "Finishing, don’t unplug yet…",
        Phase::Writing | Phase::Checking => "",
    };
    let (true, Some(progress)) = (doing.is_empty(), progress) else {
        return doing.to_owned();
    };
    let (bytes, what) = if phase == Phase::Checking {
        (progress.checked, "checked")
    } else {
        (progress.confirmed, "on the stick")
    };
    let mut line = size_text(bytes, &Notation::ENGLISH);
    if let Some(total) = progress.total {
        line += &format!(" of {}", size_text(total, &Notation::ENGLISH));
    }
    let rate = size_text(progress.bytes_per_second as u64, &Notation::ENGLISH);
    line += &format!(" {what}, {rate}/s");
    if progress.slower {
        line += ", slower than before";
    }
    if progress.stalled_ms >= 5_000 {
        line += &format!(
            ", the stick has not answered for {} s",
            progress.stalled_ms / 1_000
        );
    } else if let Some([low, high]) = progress.seconds_left {
        line += &format!(", about {} left", range(low, high));
    }
    line
}

/// "34 %, 12 %, failed".
fn shares(states: &[JobState]) -> String {
    let shares = states.iter().map(|state| match state {
        JobState::Running { fraction, .. } => format!("{} %", (fraction * 100.0) as u64),
        JobState::Done(_) => "done".to_owned(),
        JobState::Failed(..) => "failed".to_owned(),
        JobState::Cancelled(_) => "stopped".to_owned(),
    });
    shares.collect::<Vec<_>>().join(", ")
}

/// "40–60 s", "4–6 min", "2–3 h".
fn range(low: f64, high: f64) -> String {
    let (unit, scale) = match high {
        high if high < 100.0 => ("s", 1.0),
        high if high < 6_000.0 => ("min", 60.0),
        _ => ("h", 3_600.0),
    };
    let low = (low / scale).floor().max(1.0);
    let high = (high / scale).ceil().max(1.0);
    if low < high {
        format!("{low}–{high} {unit}")
    } else {
        format!("{high} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_short_and_never_zero() {
        assert_eq!(range(0.0, 0.0), "1 s");
        assert_eq!(range(40.4, 59.1), "40–60 s");
        assert_eq!(range(230.0, 350.0), "3–6 min");
        assert_eq!(range(7_200.0, 9_000.0), "2–3 h");
    }
}
