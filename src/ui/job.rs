use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::sync::OnceLock;
use std::time::Duration;

use async_channel::Receiver;
use gtk::glib;
use gtk::glib::subclass::Signal;
use gtk::prelude::*;
use gtk::subclass::prelude::*;

use crate::tasks::{self, Event, JobState};

/// Five times a second: nobody reads faster.
const LEAST_PAUSE: Duration = Duration::from_millis(200);

mod imp {
    use super::*;

    #[derive(Debug, Default)]
    pub(in crate::ui) struct CopyJob {
        pub(super) state: RefCell<JobState>,
        pub(super) task: RefCell<Option<tasks::Job>>,
        pub(super) checks: Cell<bool>,
        pub(super) stick: OnceCell<String>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for CopyJob {
        const NAME: &'static str = "SteadyCopyJob";
        type Type = super::CopyJob;
    }

    impl ObjectImpl for CopyJob {
        fn signals() -> &'static [Signal] {
            static SIGNALS: OnceLock<Vec<Signal>> = OnceLock::new();
            SIGNALS.get_or_init(|| vec![Signal::builder("changed").build()])
        }
    }
}

glib::wrapper! {
    /// One copy, from its start to its end: holds the one state that everything shown follows from.
    pub(super) struct CopyJob(ObjectSubclass<imp::CopyJob>);
}

impl CopyJob {
    /// A job on the stick that people call `stick`. `checks`: it reads back what it writes.
    pub(super) fn new(stick: &str, checks: bool) -> Self {
        let job: Self = glib::Object::new();
        job.imp().stick.get_or_init(|| stick.to_owned());
        job.imp().checks.set(checks);
        job
    }

    /// Takes in all events of `task`.
    pub(super) fn follow(&self, task: tasks::Job) {
        let events = task.events();
        self.imp().task.replace(Some(task));
        self.take_all(events);
    }

    /// Takes in all of these events, however many there are: what has gathered is shown at once,
    /// and then nothing for a while.
    pub(super) fn take_all(&self, events: Receiver<Event>) {
        let job = self.downgrade();
        glib::spawn_future_local(async move {
            while let Ok(event) = events.recv().await {
                let Some(job) = job.upgrade() else { return };
                let mut gathered = vec![event];
                while let Ok(event) = events.try_recv() {
                    gathered.push(event);
                }
                job.change(|state, checks| {
                    for event in gathered {
                        state.take(event, checks);
                    }
                });
                drop(job);
                glib::timeout_future(LEAST_PAUSE).await;
            }
            if let Some(job) = job.upgrade() {
                job.closed();
            }
        });
    }

    /// Takes in one event.
    #[cfg(test)]
    pub(super) fn take(&self, event: Event) {
        self.change(|state, checks| state.take(event, checks));
    }

    /// No more events will come.
    pub(super) fn closed(&self) {
        self.imp().task.take();
        self.change(|state, _| state.closed());
    }

    /// Asks the job to stop; shown at once.
    pub(super) fn cancel(&self) {
        if let Some(task) = &*self.imp().task.borrow() {
            task.cancel();
        }
        self.change(|state, _| state.cancel_asked());
    }

    /// What the job is now.
    pub(super) fn state(&self) -> Ref<'_, JobState> {
        self.imp().state.borrow()
    }

    /// What people call the stick.
    pub(super) fn stick(&self) -> &str {
        self.imp().stick.get().map_or("", String::as_str)
    }

    /// Calls back after each change of the state.
    pub(super) fn connect_changed(&self, changed: impl Fn(&Self) + 'static) {
        self.connect_local("changed", false, move |values| {
            let job = values[0].get().expect("the signal should come from a job");
            changed(&job);
            None
        });
    }

    fn change(&self, change: impl FnOnce(&mut JobState, bool)) {
        change(&mut self.imp().state.borrow_mut(), self.imp().checks.get());
        self.emit_by_name::<()>("changed", &[]);
    }
}
