mod ahead;
mod time_left;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use async_channel::{Receiver, Sender};

use super::awake::Awake;
use super::{Event, Phase, Progress};
use crate::engine::{Meter, Speed};
use time_left::TimeLeft;

pub(super) use ahead::{Ahead, Check};

/// How often the totals are told.
const TELL_EVERY: Duration = Duration::from_millis(200);

/// A job under way on a thread of its own.
#[derive(Debug, Clone)]
pub struct Job {
    events: Receiver<Event>,
    meter: Arc<Meter>,
}

/// What a job's own thread tells while it works.
pub(super) struct Story {
    events: Sender<Event>,
    meter: Arc<Meter>,
    now: Arc<Now>,
    begun: Instant,
}

/// What the progress thread has to know beside the meter.
#[derive(Debug)]
struct Now {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Clone)]
struct State {
    phase: Phase,
    bytes_total: Option<u64>,
    items_total: u64,
    /// Where the total is not known: how much of the source is behind, and how much there is.
    source: Option<(Arc<AtomicU64>, u64)>,
    ahead: Ahead,
    /// What the writing has taught of the stick so far.
    learnt: Vec<(u64, f64)>,
    over: bool,
}

impl Job {
    /// Starts `work` on a thread named after it. `work` returns the last event.
    pub(super) fn start(
        name: &'static str,
        work: impl FnOnce(&Story) -> Event + Send + 'static,
    ) -> Self {
        // Unbounded, so that a window that is busy never holds up the stick.
        let (sender, events) = async_channel::unbounded();
        let meter = Arc::new(Meter::default());
        let story = Story {
            events: sender,
            meter: Arc::clone(&meter),
            now: Arc::new(Now {
                state: Mutex::new(State {
                    phase: Phase::Preparing,
                    bytes_total: None,
                    items_total: 0,
                    source: None,
                    ahead: Ahead::default(),
                    learnt: Vec::new(),
                    over: false,
                }),
                changed: Condvar::new(),
            }),
            begun: Instant::now(),
        };
        thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                let teller = story.tell_progress();
                let awake = Awake::hold();
                let last = work(&story);
                story.change(|state| state.over = true);
                drop(awake);
                // Nothing may come after the last event.
                if let Some(Err(_)) = teller.map(JoinHandle::join) {
                    tracing::error!("telling of progress broke off");
                }
                story.tell(last);
            })
            .expect("the system should be able to start a thread");
        Self { events, meter }
    }

    /// The job's story; closed after its last event.
    pub fn events(&self) -> Receiver<Event> {
        self.events.clone()
    }

    /// Asks the job to stop. It ends by [`Event::Cancelled`] once the stick answers.
    pub fn cancel(&self) {
        self.meter.cancel();
    }

    /// Whether it was asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.meter.is_cancelled()
    }
}

impl Story {
    pub(super) fn meter(&self) -> &Meter {
        &self.meter
    }

    pub(super) fn begin(&self, phase: Phase) {
        self.change(|state| state.phase = phase);
        self.tell(Event::Phase(phase));
    }

    /// The password is asked for while `ask` runs; the totals tell so.
    pub(super) fn asking<T>(&self, ask: impl FnOnce() -> T) -> T {
        self.change(|state| state.phase = Phase::Asking);
        let answer = ask();
        self.change(|state| state.phase = Phase::Preparing);
        answer
    }

    pub(super) fn tell(&self, event: Event) {
        #[expect(
            clippy::let_underscore_must_use,
            reason = "whoever listened may be gone; the job goes on to a safe end all the same"
        )]
        let _ = self.events.send_blocking(event);
    }

    pub(super) fn set_total(&self, bytes: u64, items: u64) {
        self.change(|state| {
            state.bytes_total = Some(bytes);
            state.items_total = items;
            state.source = None;
        });
    }

    /// The bytes to be written are not known: their source, of that many bytes, tells the share.
    pub(super) fn set_source(&self, used: Arc<AtomicU64>, bytes: u64) {
        self.change(|state| state.source = Some((used, bytes)));
    }

    /// What is known of the time that it will take. To be told before the writing begins.
    pub(super) fn set_ahead(&self, ahead: Ahead) {
        self.change(|state| state.ahead = ahead);
    }

    /// What the writing has taught of the stick: from so many bytes on, so many a second.
    pub(super) fn learnt(&self) -> Vec<(u64, f64)> {
        self.now.lock().learnt.clone()
    }

    /// Since the job began.
    pub(super) fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.now.lock());
        self.now.changed.notify_all();
    }

    /// A thread of its own, because the one that writes may wait long for the stick.
    fn tell_progress(&self) -> Option<thread::JoinHandle<()>> {
        let (events, meter, now) = (
            self.events.clone(),
            Arc::clone(&self.meter),
            Arc::clone(&self.now),
        );
        thread::Builder::new()
            .name("progress".into())
            .spawn(move || tell_progress(&events, &meter, &now))
            .inspect_err(|error| tracing::error!(%error, "no thread for the progress"))
            .ok()
    }
}

/// However the job's thread ends, the one that tells of it ends too: the closed stream is how a
/// panic shows.
impl Drop for Story {
    fn drop(&mut self) {
        self.change(|state| state.over = true);
    }
}

impl Now {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn tell_progress(events: &Sender<Event>, meter: &Meter, now: &Now) {
    let start = Instant::now();
    let mut phase = Phase::Preparing;
    let mut speed = Speed::default();
    // Files that are there already are compared, and meanwhile nothing is confirmed.
    let mut busy_reading = Speed::default();
    let mut time_left = TimeLeft::default();
    let mut share = 0.0_f64;
    loop {
        let state = now.lock().clone();
        // Writing and reading have speeds of their own.
        if state.phase != phase {
            phase = state.phase;
            speed = Speed::default();
        }
        let totals = meter.totals();
        // What was kept was not written, and says nothing about the stick's speed.
        let moved = if phase == Phase::Checking {
            totals.checked
        } else {
            totals.confirmed - totals.kept
        };
        share = share.max(match &state.source {
            Some((used, all)) if *all > 0 => used.load(Ordering::Relaxed) as f64 / *all as f64,
            _ => totals.share,
        });
        let at = start.elapsed();
        speed.sample(at, moved);
        busy_reading.sample(at, totals.compared);
        tracing::debug!(
            ?phase,
            accepted = totals.accepted,
            confirmed = totals.confirmed,
            durable = totals.durable,
            "progress"
        );
        let total = state
            .bytes_total
            .map(|total| total.saturating_sub(totals.given_up));
        let job = (total, state.items_total);
        time_left.sample((phase, &state.ahead), at, &totals, job);
        now.lock().learnt = time_left.learnt().to_vec();
        let busy = matches!(phase, Phase::Writing | Phase::Checking);
        let told = events.send_blocking(Event::Progress(Progress {
            phase,
            accepted: totals.accepted,
            confirmed: totals.confirmed,
            durable: totals.durable,
            checked: totals.checked,
            kept: totals.kept,
            total,
            share: share.min(1.0),
            items_done: totals.items_done,
            items_total: state.items_total,
            current: totals.current,
            bytes_per_second: speed.bytes_per_second(),
            seconds_left: time_left.range(),
            slower: time_left.is_slower(),
            stalled_ms: if busy {
                let silence = speed.stalled(at).min(busy_reading.stalled(at));
                silence.as_millis() as u64
            } else {
                0
            },
        }));
        if told.is_err() || state.over {
            return;
        }
        let guard = now.lock();
        if !guard.over {
            drop(now.changed.wait_timeout(guard, TELL_EVERY));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Report;

    #[test]
    fn the_last_event_is_the_last() {
        let job = Job::start("test", |_| Event::Done(Report::default()));
        let mut events = Vec::new();
        while let Ok(event) = job.events().recv_blocking() {
            events.push(event);
        }
        let ends = events
            .iter()
            .filter(|event| matches!(event, Event::Done(_)));
        assert_eq!(ends.count(), 1);
        assert!(matches!(events.last(), Some(Event::Done(_))));
    }

    #[test]
    fn a_job_that_panics_closes_its_stream_without_an_end() {
        let job = Job::start("test", |_| panic!("on purpose"));
        let events = job.events();
        while let Ok(event) = events.recv_blocking() {
            assert!(matches!(event, Event::Progress(_)), "{event:?}");
        }
    }
}
