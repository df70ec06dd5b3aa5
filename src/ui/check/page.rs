use std::cell::{Cell, RefCell};
use std::time::Instant;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use super::view::CheckEnd;
use crate::drives::{self, Drive};
use crate::tasks::{CheckRequest, Did, JobState, Kind, PreparedCheck, Wording, prepare_check};
use crate::ui::graph::SpeedGraph;
use crate::ui::history::keep_receipt;
use crate::ui::job::Job;
use crate::ui::question::may_erase;
use crate::ui::settings::Settings;
use crate::ui::stick::{StickList, stick_name};
use crate::ui::text::{gettext_f, tr};
use crate::ui::writing::{Spoken, WritingView};

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "page.ui")]
    #[properties(wrapper_type = super::CheckPage)]
    pub(in crate::ui) struct CheckPage {
        /// Whether there is a stick to check.
        #[property(get)]
        pub(super) ready: Cell<bool>,
        /// Whether it is being checked.
        #[property(get)]
        pub(super) busy: Cell<bool>,
        /// Whether it is being looked at, or asked about.
        pub(super) looking: Cell<bool>,
        pub(super) job: RefCell<Option<Job>>,
        /// What a screen reader was told of the job under way.
        pub(super) spoken: RefCell<Spoken>,
        #[template_child]
        pub(super) banner: TemplateChild<adw::Banner>,
        #[template_child]
        pub(super) stack: TemplateChild<gtk::Stack>,
        #[template_child]
        pub(super) sticks: TemplateChild<StickList>,
        #[template_child]
        pub(super) options: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) erase: TemplateChild<adw::SwitchRow>,
        #[template_child]
        pub(super) heading: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) amount: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) bar: TemplateChild<gtk::ProgressBar>,
        #[template_child]
        pub(super) phase: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) pace: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) graph: TemplateChild<SpeedGraph>,
        #[template_child]
        pub(super) end: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) found: TemplateChild<SpeedGraph>,
        #[template_child]
        pub(super) lines: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) go: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) stop: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) done: TemplateChild<gtk::Button>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for CheckPage {
        const NAME: &'static str = "SteadyCheckPage";
        type Type = super::CheckPage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            StickList::ensure_type();
            SpeedGraph::ensure_type();
            class.bind_template();
            class.bind_template_callbacks();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    #[glib::derived_properties]
    impl ObjectImpl for CheckPage {
        fn constructed(&self) {
            self.parent_constructed();
            self.obj().update_view();
        }
    }
    impl WidgetImpl for CheckPage {}
    impl NavigationPageImpl for CheckPage {}

    #[gtk::template_callbacks]
    impl CheckPage {
        #[template_callback]
        fn on_changed(&self) {
            self.banner.set_revealed(false);
            self.obj().update_view();
        }
    }
}

glib::wrapper! {
    /// Checks a stick: which one, then the work, then what was found.
    pub(in crate::ui) struct CheckPage(ObjectSubclass<imp::CheckPage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl CheckPage {
    /// Shows the list as it is now.
    pub(in crate::ui) fn show_drives(&self, drives: Result<&[Drive], &drives::Error>) {
        self.imp().sticks.show_drives(drives);
    }

    /// As for a new stick.
    pub(in crate::ui) fn reset(&self) {
        let imp = self.imp();
        if imp.busy.get() {
            return;
        }
        imp.job.take();
        imp.erase.set_active(false);
        imp.sticks.forget();
        imp.banner.set_revealed(false);
        self.update_view();
    }

    /// Looks at the stick once more, asks where it will be erased, and checks it.
    pub(in crate::ui) fn check(&self) {
        let Some(drive) = self.imp().sticks.chosen() else {
            return;
        };
        let request = CheckRequest {
            drive: drive.clone(),
            erase: self.imp().erase.is_active(),
            at_end: Settings::default().at_end(),
        };
        let page = self.clone();
        glib::spawn_future_local(async move {
            page.set_looking(true);
            let prepared = gio::spawn_blocking(move || prepare_check(&request)).await;
            let prepared = prepared.expect("looking should not panic");
            let erases = prepared.as_ref().is_ok_and(PreparedCheck::erases);
            let may_start = !erases || may_erase(&page, &drive, gettext("_Erase and Check")).await;
            page.set_looking(false);
            match prepared {
                Ok(prepared) if may_start => page.start(prepared, &drive),
                Ok(_) => {}
                Err(failure) if failure.kind == Kind::Dismissed => {}
                Err(failure) => {
                    tracing::info!(?failure, "refused before checking");
                    let banner = &page.imp().banner;
                    banner.set_title(&tr(&Wording::of_failure(&failure)));
                    banner.set_revealed(true);
                }
            }
        });
    }

    /// Asks the check to stop.
    pub(in crate::ui) fn stop(&self) {
        if let Some(job) = &*self.imp().job.borrow() {
            job.cancel();
        }
    }

    fn start(&self, prepared: PreparedCheck, drive: &Drive) {
        let job = Job::new(&stick_name(drive), true);
        keep_receipt(&job, Did::CheckedStick, Vec::new());
        self.show_job(&job);
        job.follow(prepared.start());
    }

    /// Follows the job from its first event to its end.
    pub(in crate::ui) fn show_job(&self, job: &Job) {
        let page = self.downgrade();
        job.connect_changed(move |_| {
            if let Some(page) = page.upgrade() {
                page.update_view();
            }
        });
        let imp = self.imp();
        imp.job.replace(Some(job.clone()));
        imp.graph.reset();
        imp.spoken.take();
        self.update_view();
    }

    fn set_looking(&self, looking: bool) {
        self.imp().looking.set(looking);
        self.update_view();
    }

    fn update_view(&self) {
        let imp = self.imp();
        let job = imp.job.borrow().clone();
        let end = job.as_ref().and_then(|job| CheckEnd::of(&job.state()));
        let is_busy = job.is_some() && end.is_none();
        self.set_can_pop(!is_busy);
        imp.stack.set_visible_child_name(match (&job, &end) {
            (None, _) => "choose",
            (Some(_), None) => "working",
            (Some(_), Some(_)) => "end",
        });
        if let Some(job) = &job {
            self.show_progress(job);
        }
        if let Some(end) = &end {
            self.show_end(end);
        }
        let looking = imp.looking.get();
        let has_sticks = imp.sticks.filled();
        imp.sticks.set_sensitive(!looking);
        imp.options.set_sensitive(!looking);
        imp.options.set_visible(has_sticks);
        imp.go.set_visible(job.is_none() && has_sticks);
        imp.stop.set_visible(is_busy);
        imp.done.set_visible(end.is_some());

        let ready = job.is_none() && !looking && imp.sticks.chosen().is_some();
        if imp.ready.replace(ready) != ready {
            self.notify_ready();
        }
        if imp.busy.replace(is_busy) != is_busy {
            self.notify_busy();
            if let Some(end) = end {
                self.announce(&end.title, gtk::AccessibleAnnouncementPriority::Medium);
            }
        }
    }

    fn show_progress(&self, job: &Job) {
        let imp = self.imp();
        let state = job.state();
        let Some(view) = WritingView::of(&state) else {
            return;
        };
        let heading = gettext_f("Checking {stick}", &[("stick", job.stick())]);
        imp.heading.set_label(&heading);
        imp.amount.set_label(&view.amount);
        imp.phase.set_label(&view.phase);
        imp.bar.set_fraction(view.fraction);
        imp.pace.set_label(&view.pace);
        if let Some(said) = imp.spoken.borrow_mut().next(&view, Instant::now()) {
            self.announce(&said, gtk::AccessibleAnnouncementPriority::Low);
        }
        imp.stop.set_sensitive(!view.cancelling);
        if let JobState::Running {
            progress: Some(progress),
            ..
        } = &*state
        {
            imp.graph.follow(progress);
        }
    }

    fn show_end(&self, end: &CheckEnd) {
        let imp = self.imp();
        imp.end.set_icon_name(Some(end.icon));
        imp.end.set_title(&end.title);
        let description = glib::markup_escape_text(&end.description);
        imp.end.set_description(Some(&description));
        imp.found.set_visible(!end.curve.points.is_empty());
        imp.found.show_curve(end.curve.clone());
        imp.lines.remove_all();
        for line in &end.lines {
            let row = adw::ActionRow::builder().use_markup(false).build();
            row.set_title(line);
            imp.lines.append(&row);
        }
        imp.lines.set_visible(!end.lines.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{CheckFound, Event, Phase, Report};
    use crate::ui::testing::{progress, says, stick, widget};

    fn shown(page: &CheckPage) -> String {
        let name = page.imp().stack.visible_child_name();
        name.map_or_else(String::new, Into::into)
    }

    #[gtk::test]
    fn from_the_stick_to_what_was_found() {
        let page = widget::<CheckPage>();
        assert!(!page.ready(), "there is no stick yet");
        page.show_drives(Ok(&[stick("a"), stick("b")]));
        assert!(!page.ready(), "none is chosen for a person");
        page.show_drives(Ok(&[stick("a")]));
        page.reset();
        assert!(page.ready() && !page.imp().erase.is_active());

        let job = Job::new("Intenso Rainbow Line", true);
        page.show_job(&job);
        job.take(Event::Phase(Phase::Writing));
        job.take(Event::Progress(progress(213_000_000, 429_265_824)));
        assert_eq!(shown(&page), "working");
        assert!(page.busy() && !page.can_pop() && !page.ready());
        assert_eq!(page.imp().amount.label(), "213 of 429 MB on the stick");
        page.stop();
        assert!(!page.imp().stop.get_sensitive());

        let found = CheckFound {
            claimed: 2_000_000_000,
            real: Some(2_000_000_000),
            ..CheckFound::default()
        };
        let report = Report {
            safe_to_unplug: true,
            found: Some(found),
            ..Report::default()
        };
        job.take(Event::Done(report));
        assert_eq!(shown(&page), "end");
        assert_eq!(page.imp().end.title(), "No faults found");
        assert!(says(
            &*page.imp().lines,
            "The stick has the 2.0 GB that it claims to have."
        ));
        assert!(!page.imp().found.get_visible(), "nothing was filled");
        assert!(!page.busy() && page.can_pop());
    }
}
