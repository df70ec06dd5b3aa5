use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::sync::OnceLock;

use gtk::glib;
use gtk::glib::subclass::Signal;
use gtk::prelude::*;
use gtk::subclass::prelude::*;

use crate::tasks::{self, Event, JobState};

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

    /// Takes in all events of `task`. They come at most five times a second, so that each may be
    /// shown at once.
    pub(super) fn follow(&self, task: tasks::Job) {
        let events = task.events();
        self.imp().task.replace(Some(task));
        let job = self.downgrade();
        glib::spawn_future_local(async move {
            while let Ok(event) = events.recv().await {
                let Some(job) = job.upgrade() else { return };
                job.take(event);
            }
            if let Some(job) = job.upgrade() {
                job.closed();
            }
        });
    }

    /// Takes in one event.
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
