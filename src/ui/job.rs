mod subject;

use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::sync::OnceLock;
use std::time::Duration;

use async_channel::Receiver;
use gtk::glib;
use gtk::glib::subclass::Signal;
use gtk::prelude::*;
use gtk::subclass::prelude::*;

use crate::tasks::{self, Event, JobState};
pub(super) use subject::Subject;

/// Five times a second: nobody reads faster.
const LEAST_PAUSE: Duration = Duration::from_millis(200);

mod imp {
    use super::*;

    #[derive(Debug, Default)]
    pub(in crate::ui) struct Job {
        /// One for each stick, as in `sticks`.
        pub(super) states: RefCell<Vec<JobState>>,
        pub(super) tasks: RefCell<Vec<tasks::Job>>,
        pub(super) checks: Cell<bool>,
        pub(super) subject: OnceCell<Subject>,
        pub(super) sticks: OnceCell<Vec<String>>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for Job {
        const NAME: &'static str = "SteadyJob";
        type Type = super::Job;
    }

    impl ObjectImpl for Job {
        fn signals() -> &'static [Signal] {
            static SIGNALS: OnceLock<Vec<Signal>> = OnceLock::new();
            SIGNALS.get_or_init(|| vec![Signal::builder("changed").build()])
        }
    }
}

glib::wrapper! {
    /// One job, from its start to its end: holds the one state of each stick that everything shown
    /// follows from. Files go to one stick, an image may go to several.
    pub(super) struct Job(ObjectSubclass<imp::Job>);
}

impl Job {
    /// Files, copied to the stick that people call `stick`. `checks`: it reads back what it writes.
    pub(super) fn new(stick: &str, checks: bool) -> Self {
        Self::of(Subject::Files, vec![stick.to_owned()], checks)
    }

    /// Something for sticks that people call so.
    pub(super) fn of(subject: Subject, sticks: Vec<String>, checks: bool) -> Self {
        let job: Self = glib::Object::new();
        let imp = job.imp();
        let states = sticks.iter().map(|_| JobState::default());
        imp.states.replace(states.collect());
        imp.sticks.get_or_init(|| sticks);
        imp.subject.get_or_init(|| subject);
        imp.checks.set(checks);
        job
    }

    /// Takes in all events of `task`, for a job on one stick.
    pub(super) fn follow(&self, task: tasks::Job) {
        self.follow_all(vec![task]);
    }

    /// Takes in all events of the tasks, one for each stick.
    pub(super) fn follow_all(&self, tasks: Vec<tasks::Job>) {
        for (place, task) in tasks.iter().enumerate() {
            self.take_all_at(place, task.events());
        }
        self.imp().tasks.replace(tasks);
    }

    /// Takes in all of these events of the first stick.
    #[cfg(test)]
    pub(super) fn take_all(&self, events: Receiver<Event>) {
        self.take_all_at(0, events);
    }

    /// Takes in all of these events, however many there are: what has gathered is shown at once,
    /// and then nothing for a while.
    fn take_all_at(&self, place: usize, events: Receiver<Event>) {
        let job = self.downgrade();
        glib::spawn_future_local(async move {
            while let Ok(event) = events.recv().await {
                let Some(job) = job.upgrade() else { return };
                let checks = job.imp().checks.get();
                let mut gathered = vec![event];
                while let Ok(event) = events.try_recv() {
                    gathered.push(event);
                }
                job.change(|states| {
                    for event in gathered {
                        states[place].take(event, checks);
                    }
                });
                drop(job);
                glib::timeout_future(LEAST_PAUSE).await;
            }
            if let Some(job) = job.upgrade() {
                job.closed_at(place);
            }
        });
    }

    /// Takes in one event of the first stick.
    #[cfg(test)]
    pub(super) fn take(&self, event: Event) {
        self.take_at(0, event);
    }

    /// No more events of the first stick will come.
    #[cfg(test)]
    pub(super) fn closed(&self) {
        self.closed_at(0);
    }

    /// Takes in one event of the stick at that place.
    #[cfg(test)]
    pub(super) fn take_at(&self, place: usize, event: Event) {
        let checks = self.imp().checks.get();
        self.change(|states| states[place].take(event, checks));
    }

    fn closed_at(&self, place: usize) {
        self.change(|states| states[place].closed());
    }

    /// Asks the job to stop; shown at once.
    pub(super) fn cancel(&self) {
        for task in &*self.imp().tasks.borrow() {
            task.cancel();
        }
        self.change(|states| states.iter_mut().for_each(JobState::cancel_asked));
    }

    /// What goes on the stick.
    pub(super) fn subject(&self) -> &Subject {
        self.imp().subject.get().unwrap_or(&Subject::Files)
    }

    /// What the job is now, on its only or its first stick.
    pub(super) fn state(&self) -> Ref<'_, JobState> {
        Ref::map(self.states(), |states| &states[0])
    }

    /// What the job is now on each stick.
    pub(super) fn states(&self) -> Ref<'_, Vec<JobState>> {
        self.imp().states.borrow()
    }

    /// What people call the only or the first stick.
    pub(super) fn stick(&self) -> &str {
        self.sticks().first().map_or("", String::as_str)
    }

    /// What people call the sticks.
    pub(super) fn sticks(&self) -> &[String] {
        self.imp().sticks.get().map_or(&[], Vec::as_slice)
    }

    /// Whether any stick is still being written.
    pub(super) fn is_busy(&self) -> bool {
        self.states().iter().any(JobState::is_busy)
    }

    /// Whether there is something to stop that was not asked to yet.
    pub(super) fn can_cancel(&self) -> bool {
        let is_going =
            |state: &JobState| matches!(state, JobState::Running { cancelling, .. } if !cancelling);
        self.states().iter().any(is_going)
    }

    /// Whether the person has closed the password prompt, so that no stick was touched.
    pub(super) fn was_dismissed(&self) -> bool {
        let is_dismissed =
            |state: &JobState| matches!(state, JobState::Cancelled(report) if report.dismissed);
        self.states().iter().all(is_dismissed)
    }

    /// Calls back after each change of the state.
    pub(super) fn connect_changed(&self, changed: impl Fn(&Self) + 'static) {
        self.connect_local("changed", false, move |values| {
            let job = values[0].get().expect("the signal should come from a job");
            changed(&job);
            None
        });
    }

    fn change(&self, change: impl FnOnce(&mut Vec<JobState>)) {
        change(&mut self.imp().states.borrow_mut());
        self.emit_by_name::<()>("changed", &[]);
    }
}
