use std::cell::{Cell, RefCell};
use std::time::Duration;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use super::view::FormatEnd;
use crate::drives::{self, Drive, FileSystem, FormatSpec, format_problem, label_problem};
use crate::tasks::{Did, Failure, Kind, PreparedFormat, Wording, prepare_format};
use crate::ui::history::keep_receipt;
use crate::ui::job::Job;
use crate::ui::question::may_erase;
use crate::ui::settings::Settings;
use crate::ui::stick::{StickList, stick_name};
use crate::ui::text::{gettext_f, tr};

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "page.ui")]
    #[properties(wrapper_type = super::FormatPage)]
    pub(in crate::ui) struct FormatPage {
        /// Whether there is a stick to format, and nothing against it.
        #[property(get)]
        pub(super) ready: Cell<bool>,
        /// Whether it is being formatted.
        #[property(get)]
        pub(super) busy: Cell<bool>,
        /// Whether it is being looked at, or asked about.
        pub(super) looking: Cell<bool>,
        pub(super) job: RefCell<Option<Job>>,
        #[template_child]
        pub(super) banner: TemplateChild<adw::Banner>,
        #[template_child]
        pub(super) stack: TemplateChild<gtk::Stack>,
        #[template_child]
        pub(super) sticks: TemplateChild<StickList>,
        #[template_child]
        pub(super) options: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) fat32: TemplateChild<gtk::CheckButton>,
        #[template_child]
        pub(super) exfat: TemplateChild<gtk::CheckButton>,
        #[template_child]
        pub(super) label: TemplateChild<adw::EntryRow>,
        #[template_child]
        pub(super) message: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) working: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) bar: TemplateChild<gtk::ProgressBar>,
        #[template_child]
        pub(super) end: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) go: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) again: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) done: TemplateChild<gtk::Button>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for FormatPage {
        const NAME: &'static str = "SteadyFormatPage";
        type Type = super::FormatPage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            StickList::ensure_type();
            class.bind_template();
            class.bind_template_callbacks();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    #[glib::derived_properties]
    impl ObjectImpl for FormatPage {
        fn constructed(&self) {
            self.parent_constructed();
            self.obj().update_view();
        }
    }
    impl WidgetImpl for FormatPage {}
    impl NavigationPageImpl for FormatPage {}

    #[gtk::template_callbacks]
    impl FormatPage {
        #[template_callback]
        fn on_changed(&self) {
            self.banner.set_revealed(false);
            self.obj().update_view();
        }
    }
}

glib::wrapper! {
    /// Formats a stick: which one and how, then the work, then the end.
    pub(in crate::ui) struct FormatPage(ObjectSubclass<imp::FormatPage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl FormatPage {
    /// Shows the list as it is now.
    pub(in crate::ui) fn show_drives(&self, drives: Result<&[Drive], &drives::Error>) {
        self.imp().sticks.show_drives(drives);
    }

    /// As for a new stick: nothing said, the last format proposed, no name.
    pub(in crate::ui) fn reset(&self) {
        let imp = self.imp();
        if imp.busy.get() {
            return;
        }
        imp.job.take();
        imp.label.set_text("");
        match Settings::default().file_system() {
            FileSystem::Fat32 => imp.fat32.set_active(true),
            FileSystem::ExFat => imp.exfat.set_active(true),
        }
        imp.sticks.forget();
        imp.banner.set_revealed(false);
        self.update_view();
    }

    /// Looks at the stick once more, asks, and formats it.
    pub(in crate::ui) fn format(&self) {
        let Some(drive) = self.imp().sticks.chosen() else {
            return;
        };
        let spec = self.spec();
        Settings::default().set_file_system(spec.file_system);
        let page = self.clone();
        glib::spawn_future_local(async move {
            page.set_looking(true);
            let asked = drive.clone();
            let prepared = gio::spawn_blocking(move || prepare_format(&asked, &spec)).await;
            let prepared = prepared.expect("looking should not panic");
            let may_start =
                prepared.is_err() || may_erase(&page, &drive, gettext("_Erase and Format")).await;
            page.set_looking(false);
            match prepared {
                Ok(prepared) if may_start => page.start(prepared, &drive),
                Ok(_) => {}
                Err(failure) if failure.kind == Kind::Dismissed => {}
                Err(failure) => {
                    tracing::info!(?failure, "refused before formatting");
                    let banner = &page.imp().banner;
                    banner.set_title(&tr(&Wording::of_failure(&failure)));
                    banner.set_revealed(true);
                }
            }
        });
    }

    fn start(&self, prepared: PreparedFormat, drive: &Drive) {
        let job = Job::new(&stick_name(drive), false);
        keep_receipt(&job, Did::Formatted, Vec::new());
        self.show_job(&job);
        job.follow(prepared.start());
    }

    /// Follows the job to its end.
    pub(in crate::ui) fn show_job(&self, job: &Job) {
        let page = self.downgrade();
        job.connect_changed(move |_| {
            if let Some(page) = page.upgrade() {
                page.update_view();
            }
        });
        self.imp().job.replace(Some(job.clone()));
        self.update_view();
        // Nobody can tell how far it is, only that it goes on.
        let page = self.downgrade();
        glib::timeout_add_local(Duration::from_millis(200), move || match page.upgrade() {
            Some(page) if page.busy() => {
                // Who wants no motion sees none.
                if page.settings().is_gtk_enable_animations() {
                    page.imp().bar.pulse();
                }
                glib::ControlFlow::Continue
            }
            _ => glib::ControlFlow::Break,
        });
    }

    fn set_looking(&self, looking: bool) {
        self.imp().looking.set(looking);
        self.update_view();
    }

    fn spec(&self) -> FormatSpec {
        let imp = self.imp();
        FormatSpec {
            file_system: if imp.exfat.is_active() {
                FileSystem::ExFat
            } else {
                FileSystem::Fat32
            },
            label: imp.label.text().into(),
        }
    }

    /// What is against formatting as asked.
    fn objection(&self) -> Option<String> {
        let spec = self.spec();
        let problem = match self.imp().sticks.chosen() {
            Some(drive) => format_problem(drive.size, &spec),
            None => label_problem(spec.file_system, &spec.label).map(drives::FormatProblem::Label),
        };
        problem.map(|problem| tr(&Wording::of_failure(&Failure::new(problem.into(), ""))))
    }

    fn update_view(&self) {
        let imp = self.imp();
        let job = imp.job.borrow().clone();
        let end = job
            .as_ref()
            .and_then(|job| FormatEnd::of(&job.state(), job.stick()));
        let is_busy = job.is_some() && end.is_none();
        self.set_can_pop(!is_busy);
        imp.stack.set_visible_child_name(match (&job, &end) {
            (None, _) => "choose",
            (Some(_), None) => "working",
            (Some(_), Some(_)) => "end",
        });
        if let Some(job) = &job {
            let title = gettext_f("Formatting {stick}", &[("stick", job.stick())]);
            imp.working.set_title(&title);
        }
        if let Some(end) = &end {
            imp.end.set_icon_name(Some(end.icon));
            imp.end.set_title(&end.title);
            let description = glib::markup_escape_text(&end.description);
            imp.end.set_description(Some(&description));
        }
        let looking = imp.looking.get();
        let has_sticks = imp.sticks.filled();
        imp.sticks.set_sensitive(!looking);
        imp.options.set_sensitive(!looking);
        imp.options.set_visible(has_sticks);
        imp.go.set_visible(job.is_none() && has_sticks);
        imp.again
            .set_visible(end.as_ref().is_some_and(|end| end.can_try_again));
        imp.done.set_visible(end.is_some());

        let objection = self.objection();
        imp.message.set_visible(has_sticks && objection.is_some());
        imp.message
            .set_label(objection.as_deref().unwrap_or_default());
        let ready =
            job.is_none() && !looking && objection.is_none() && imp.sticks.chosen().is_some();
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Event, Phase, Report};
    use crate::ui::testing::{stick, widget};

    fn shown(page: &FormatPage) -> String {
        let name = page.imp().stack.visible_child_name();
        name.map_or_else(String::new, Into::into)
    }

    #[gtk::test]
    fn a_stick_is_formatted_as_chosen_only() {
        let page = widget::<FormatPage>();
        assert!(!page.ready(), "there is no stick yet");
        page.show_drives(Ok(&[stick("a"), stick("b")]));
        assert!(!page.ready(), "none is chosen for a person");
        page.show_drives(Ok(&[stick("a")]));
        page.reset();
        assert!(page.ready());
        page.imp().label.set_text("TWELVE SIGNS");
        assert!(!page.ready() && page.imp().message.get_visible());
        page.imp().label.set_text("MUSIC");
        page.imp().exfat.set_active(true);
        assert!(page.ready() && !page.imp().message.get_visible());
        assert_eq!(page.spec().file_system, FileSystem::ExFat);
        assert_eq!(page.spec().label, "MUSIC");
    }

    #[gtk::test]
    fn from_the_stick_to_safe_to_unplug() {
        let page = widget::<FormatPage>();
        page.show_drives(Ok(&[stick("a")]));
        let job = Job::new("Intenso Rainbow Line", false);
        page.show_job(&job);
        job.take(Event::Phase(Phase::Formatting));
        assert_eq!(shown(&page), "working");
        assert!(page.busy() && !page.can_pop() && !page.ready());
        assert_eq!(
            page.imp().working.title(),
            "Formatting Intenso Rainbow Line"
        );
        let report = Report {
            safe_to_unplug: true,
            ..Report::default()
        };
        job.take(Event::Done(report));
        assert_eq!(shown(&page), "end");
        assert_eq!(page.imp().end.title(), "Safe to unplug");
        assert!(!page.busy() && page.can_pop());
        assert!(page.imp().done.get_visible() && !page.imp().again.get_visible());
        page.reset();
        assert_eq!(shown(&page), "choose");
        assert!(page.ready());
    }
}
