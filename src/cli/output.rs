mod json;
mod terminal;

use std::thread;
use std::time::Instant;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use super::exit::Exit;
use crate::drives::Drive;
use crate::tasks::{Event, Failure, Job, JobState, Kind, Problem, Report, Wording};

use terminal::Terminal;

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
        eprintln!("{}", Wording::of_failure(failure).english());
        Exit::Refused
    }

    /// Tells of the problems that forbid the start.
    pub(super) fn refuse_problems(&self, problems: &[Problem]) -> Exit {
        for problem in problems {
            if self.json {
                self.line(json::problem(problem));
            }
            eprintln!("{}", Wording::of_problem(problem).english());
        }
        if self.json
            && let Some(problem) = problems.first()
        {
            self.line(json::refused(&Failure::from(problem)));
        }
        eprintln!("Nothing was written.");
        Exit::Refused
    }

    /// Follows a job to its end. Interrupting or terminating the program cancels the job first.
    pub(super) fn follow(&self, job: &Job, checks: bool) -> Exit {
        cancel_on_signals(job.clone());
        let mut state = JobState::default();
        let mut terminal = Terminal::new(!self.json);
        let events = job.events();
        while let Ok(event) = events.recv_blocking() {
            if self.json {
                self.line(json::event(&event));
            }
            if let Event::Problem(problem) = &event {
                terminal.note(&Wording::of_problem(problem).english());
            }
            state.take(event, checks);
            // A signal asks the job itself, on a thread of its own.
            if job.is_cancelled() {
                state.cancel_asked();
            }
            terminal.show(&state);
        }
        state.closed();
        terminal.end(&state);
        match state {
            JobState::Done(report) if report.failed_items.is_empty() => Exit::Done,
            JobState::Cancelled(_) => Exit::Cancelled,
            _ => Exit::Failed,
        }
    }

    fn line(&self, mut line: serde_json::Value) {
        line["v"] = 1.into();
        line["t"] = (self.start.elapsed().as_millis() as u64).into();
        line["stick"] = self.stick.clone().into();
        println!("{line}");
    }
}

fn cancel_on_signals(job: Job) {
    match Signals::new([SIGHUP, SIGINT, SIGTERM]) {
        Ok(mut signals) => {
            thread::spawn(move || {
                for _ in signals.forever() {
                    job.cancel();
                }
            });
        }
        Err(error) => tracing::warn!(%error, "signals end the program at once"),
    }
}
