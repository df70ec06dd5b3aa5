pub(super) mod json;
mod lines;
mod terminal;

use std::io::{Stdout, stdout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::exit::Exit;
use crate::drives::Drive;
use crate::tasks::{Event, Failure, Job, JobState, Kind, Problem, Report, Wording, shown};

use terminal::Terminal;

pub(super) use lines::Lines;

/// Where a job's story is told: JSON lines, or sentences on the terminal.
pub(super) struct Output {
    json: bool,
    stick: Option<String>,
    start: Instant,
}

impl Output {
    pub(super) fn new(json: bool, drive: Option<&Drive>) -> Self {
        Self {
            json,
            stick: drive.map(|drive| drive.id.clone()),
            start: Instant::now(),
        }
    }

    /// Tells of a refusal before the first byte.
    pub(super) fn refuse(&self, failure: &Failure) -> Exit {
        if failure.kind == Kind::Dismissed {
            if self.json {
                self.line(json::event(&Event::Cancelled(Report::default())));
            }
            return Exit::Cancelled;
        }
        if self.json {
            self.line(json::refused(failure));
        }
        warn(&Wording::of_failure(failure).english());
        for name in failure.names() {
            warn(&format!("  {}", shown(name)));
        }
        Exit::Refused
    }

    /// Tells of the problems that forbid the start.
    pub(super) fn refuse_problems(&self, problems: &[Problem]) -> Exit {
        for problem in problems {
            if self.json {
                self.line(json::problem(problem));
            }
            warn(&Wording::of_problem(problem).english());
        }
        if self.json
            && let Some(problem) = problems.first()
        {
            self.line(json::refused(&Failure::from(problem)));
        }
        warn("Nothing was written.");
        Exit::Refused
    }

    /// Tells what should be known before the start, though nothing forbids it.
    pub(super) fn notes(&self, notes: &[Failure]) {
        for note in notes {
            if self.json {
                self.line(json::note(note));
            }
            warn(&Wording::of_failure(note).english());
        }
    }

    /// Follows a job to its end. Interrupting or terminating the program cancels the job first.
    pub(super) fn follow(&self, job: &Job, checks: bool) -> Exit {
        let stick = self.stick.clone().unwrap_or_default();
        self.follow_all(&[((stick, String::new()), job.clone())], checks)
    }

    /// The same for the jobs of several sticks at once, each with the stick's id and name.
    pub(super) fn follow_all(&self, jobs: &[((String, String), Job)], checks: bool) -> Exit {
        let over = cancel_on_signals(jobs.iter().map(|(_, job)| job.clone()).collect());
        let mut terminal = Terminal::new(!self.json);
        let is_one = jobs.len() == 1;
        let mut states: Vec<_> = jobs.iter().map(|_| JobState::default()).collect();
        for (place, event) in events_of_all(jobs) {
            let ((stick, _), job) = &jobs[place];
            let line = event.as_ref().filter(|_| self.json).map(|event| {
                let text = self.text_of(Some(stick.as_str()), json::event(event));
                (text, matches!(event, Event::Progress(_)))
            });
            let state = &mut states[place];
            match event {
                Some(event) => {
                    if let Event::Problem(problem) = &event {
                        terminal.note(&Wording::of_problem(problem).english());
                    }
                    state.take(event, checks);
                }
                None => state.closed(),
            }
            // A signal asks the job itself, on a thread of its own.
            if job.is_cancelled() {
                state.cancel_asked();
            }
            let runs = |state: &JobState| matches!(state, JobState::Running { .. });
            over.store(!states.iter().any(runs), Ordering::Relaxed);
            match line {
                Some((line, true)) => lines().progress(&format!("{line}\n")),
                Some((line, false)) => lines().say(&line),
                None => {}
            }
            terminal.show(&states);
        }
        for (state, ((_, name), _)) in states.iter().zip(jobs) {
            terminal.end((!is_one).then_some(name.as_str()), state);
        }
        exit_of(&states)
    }

    fn line(&self, line: serde_json::Value) {
        lines().say(&self.text_of(self.stick.as_deref(), line));
    }

    fn text_of(&self, stick: Option<&str>, mut line: serde_json::Value) -> String {
        line["v"] = 1.into();
        line["t"] = (self.start.elapsed().as_millis() as u64).into();
        line["stick"] = stick.filter(|stick| !stick.is_empty()).into();
        json::plain(&line)
    }
}

fn lines() -> Lines<Stdout> {
    Lines::new(stdout())
}

/// A sentence that has to arrive, beside what is told to programs.
pub(super) fn warn(sentence: &str) {
    Lines::new(std::io::stderr()).say(sentence);
}

/// The events of all jobs as they come, with the job's place; `None` where its stream has closed.
fn events_of_all(jobs: &[((String, String), Job)]) -> mpsc::Receiver<(usize, Option<Event>)> {
    let (sender, events) = mpsc::channel();
    for (place, (_, job)) in jobs.iter().enumerate() {
        let (sender, stream) = (sender.clone(), job.events());
        #[expect(
            clippy::let_underscore_must_use,
            reason = "whoever listens does so to the end"
        )]
        let tell = move |event| {
            let _ = sender.send(event);
        };
        thread::spawn(move || {
            while let Ok(event) = stream.recv_blocking() {
                tell((place, Some(event)));
            }
            tell((place, None));
        });
    }
    events
}

/// A failure of one stick weighs more than another's cancel.
fn exit_of(states: &[JobState]) -> Exit {
    let exits = states.iter().map(|state| match state {
        JobState::Done(report) if report.failed_items.is_empty() => Exit::Done,
        JobState::Cancelled(_) => Exit::Cancelled,
        _ => Exit::Failed,
    });
    let weight = |exit: &Exit| match exit {
        Exit::Failed => 2,
        Exit::Cancelled => 1,
        Exit::Done | Exit::Refused => 0,
    };
    exits.max_by_key(weight).unwrap_or(Exit::Done)
}

/// What it returns is set once all jobs are over: a signal then ends the program, which may be waiting
/// for somebody to read its last lines.
fn cancel_on_signals(jobs: Vec<Job>) -> Arc<AtomicBool> {
    let over = Arc::new(AtomicBool::new(false));
    match Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        Ok(mut signals) => {
            let over = Arc::clone(&over);
            thread::spawn(move || {
                for signal in signals.forever() {
                    jobs.iter().for_each(Job::cancel);
                    if over.load(Ordering::Relaxed)
                        && let Err(error) = emulate_default_handler(signal)
                    {
                        tracing::warn!(%error, signal, "not ended by a signal");
                    }
                }
            });
        }
        Err(error) => tracing::warn!(%error, "signals end the program at once"),
    }
    over
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failed_stick_of_several_is_a_failure() {
        let done = || JobState::Done(Report::default());
        let cancelled = || JobState::Cancelled(Report::default());
        let failed = || JobState::Failed(Failure::new(Kind::TargetGone, ""), None);
        for (states, exit) in [
            (vec![done(), done()], Exit::Done),
            (vec![done(), failed(), done()], Exit::Failed),
            (vec![failed(), cancelled()], Exit::Failed),
            (vec![cancelled(), done()], Exit::Cancelled),
        ] {
            assert_eq!(exit_of(&states), exit, "{states:?}");
        }
    }
}
