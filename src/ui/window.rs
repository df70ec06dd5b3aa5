//! The window composes the pages and decides nothing: its actions go from page to page, and what
//! is shown of a job follows from the job's state.

mod busy;
mod copy;
mod focus;
mod image;
mod later;
#[cfg(test)]
mod load;
mod menu;
mod navigation;
#[cfg(test)]
mod screens;
mod scrolling;
mod sources;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use super::action::Action;
use super::application::Application;
use super::check::CheckPage;
use super::choose::ChoosePage;
use super::config;
use super::end::EndPage;
use super::format::FormatPage;
use super::job::Job;
use super::large_text;
use super::review::{ErasePage, ReviewPage};
use super::settings::Settings;
use super::stick::StickPage;
use super::writing::WritingPage;
use crate::drives::{self, Drive};
use crate::tasks::{self, Gathering};
use copy::Plan;
use image::ImagePlan;
use later::Later;

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "window.ui")]
    pub(in crate::ui) struct Window {
        pub(super) settings: Settings,
        pub(super) job: RefCell<Option<Job>>,
        /// What waits for a choice on the review page.
        pub(super) plan: RefCell<Option<Plan>>,
        /// What waits for a person to agree to what is lost.
        pub(super) image_plan: RefCell<Option<ImagePlan>>,
        /// What came while a job was under way.
        pub(super) next: RefCell<Vec<PathBuf>>,
        /// The look at the sources that is under way, or was the last.
        pub(super) gathering: RefCell<Option<Arc<Gathering>>>,
        /// Counts the ways back, so that what was begun before one of them is dropped.
        pub(super) attempt: Cell<u32>,
        /// The window closes at the end of the job.
        pub(super) closing: Cell<bool>,
        pub(super) inhibitor: Cell<Option<u32>>,
        /// The pages after the first are there.
        pub(super) complete: Cell<bool>,
        #[template_child]
        pub(super) toasts: TemplateChild<adw::ToastOverlay>,
        #[template_child]
        pub(super) navigation: TemplateChild<adw::NavigationView>,
        #[template_child]
        pub(super) choose: TemplateChild<ChoosePage>,
        pub(super) stick: Later<StickPage>,
        pub(super) review: Later<ReviewPage>,
        pub(super) erase: Later<ErasePage>,
        pub(super) writing: Later<WritingPage>,
        pub(super) end: Later<EndPage>,
        pub(super) format: Later<FormatPage>,
        pub(super) check: Later<CheckPage>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for Window {
        const NAME: &'static str = "SteadyWindow";
        type Type = super::Window;
        type ParentType = adw::ApplicationWindow;

        fn class_init(class: &mut Self::Class) {
            ChoosePage::ensure_type();
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for Window {
        fn constructed(&self) {
            self.parent_constructed();
            let window = self.obj();
            if config::IS_DEVEL {
                window.add_css_class("devel");
            }
            window.add_actions();
            window.accept_drops();
            large_text::wrap_buttons(self.choose.upcast_ref());
            scrolling::name_after(self.choose.upcast_ref());
            window.hear_last();
            window.keep_focus();
            window.remember_sticks_as_wanted();
            let weak = window.downgrade();
            self.navigation.connect_popped(move |_, _| {
                if let Some(window) = weak.upgrade() {
                    window.give_up_attempt();
                }
            });
        }
    }

    impl WidgetImpl for Window {}

    impl WindowImpl for Window {
        fn close_request(&self) -> glib::Propagation {
            if self.obj().is_busy() {
                self.obj().ask_before_closing();
                return glib::Propagation::Stop;
            }
            self.obj().give_up_attempt();
            self.parent_close_request()
        }
    }

    impl ApplicationWindowImpl for Window {}
    impl AdwApplicationWindowImpl for Window {}
}

glib::wrapper! {
    /// The one window.
    pub(super) struct Window(ObjectSubclass<imp::Window>)
        @extends adw::ApplicationWindow, gtk::ApplicationWindow, gtk::Window, gtk::Widget,
        @implements gio::ActionGroup, gio::ActionMap, gtk::Accessible, gtk::Buildable,
            gtk::ConstraintTarget, gtk::Native, gtk::Root, gtk::ShortcutManager;
}

impl Window {
    pub(super) fn new(application: &Application) -> Self {
        glib::Object::builder()
            .property("application", application)
            .build()
    }

    /// Once the first page is there, makes the others and looks for sticks.
    pub(super) fn begin_once_shown(&self) {
        let is_drawn = Cell::new(false);
        self.add_tick_callback(move |window, _| {
            // The first time is right before the first frame.
            if !is_drawn.replace(true) {
                return glib::ControlFlow::Continue;
            }
            window.complete();
            window.watch_sticks();
            glib::ControlFlow::Break
        });
    }

    /// Makes the pages after the first, unless they are there.
    fn complete(&self) {
        let imp = self.imp();
        if imp.complete.replace(true) {
            return;
        }
        let pages: [&adw::NavigationPage; 7] = [
            imp.stick.upcast_ref(),
            imp.review.upcast_ref(),
            imp.erase.upcast_ref(),
            imp.writing.upcast_ref(),
            imp.end.upcast_ref(),
            imp.format.upcast_ref(),
            imp.check.upcast_ref(),
        ];
        for page in pages {
            imp.navigation.add(page);
            large_text::wrap_buttons(page.upcast_ref());
            scrolling::name_after(page);
        }
        self.enable_while_ready(Action::Copy, &*imp.stick);
        self.enable_while_ready(Action::CopyAsChosen, &*imp.review);
        self.enable_while_ready(Action::Format, &*imp.format);
        self.enable_while_ready(Action::Check, &*imp.check);
        self.stay_awake_beside();
    }

    /// Shows the sticks, now and after each change.
    fn watch_sticks(&self) {
        let drives = tasks::watch_sticks();
        let window = self.downgrade();
        glib::spawn_future_local(async move {
            while let Ok(drives) = drives.recv().await {
                let Some(window) = window.upgrade() else {
                    return;
                };
                window.show_drives(drives);
            }
        });
    }

    fn show_drives(&self, drives: Result<Vec<Drive>, drives::Error>) {
        self.complete();
        let imp = self.imp();
        imp.format.show_drives(drives.as_deref());
        imp.check.show_drives(drives.as_deref());
        imp.stick.show_drives(drives);
    }

    /// Follows the job on the pages, from its first event to its end.
    fn show_job(&self, job: &Job) {
        self.complete();
        let window = self.downgrade();
        job.connect_changed(move |job| {
            let Some(window) = window.upgrade() else {
                return;
            };
            // A job that was left behind has nothing to show any more.
            if window.imp().job.borrow().as_ref() == Some(job) {
                window.update_view(job);
            }
        });
        self.imp().job.replace(Some(job.clone()));
        self.update_view(job);
    }

    /// From the job's state to page, actions and inhibitor.
    fn update_view(&self, job: &Job) {
        let imp = self.imp();
        let is_busy = job.is_busy();
        self.enable(Action::Cancel, job.can_cancel());
        self.inhibit_suspend(is_busy);
        imp.writing.show_job(job);
        imp.end.show_job(job);
        if is_busy {
            self.go_to("writing");
            return;
        }
        if job.was_dismissed() && !imp.closing.get() {
            // Nothing has happened, and nothing is told.
            self.leave_job("stick");
            return;
        }
        let has_just_ended = imp.writing.is_mapped();
        self.go_to("end");
        if has_just_ended {
            self.tell_end();
        }
        if imp.closing.get() {
            self.close();
        }
    }

    fn is_busy(&self) -> bool {
        let job = self.imp().job.borrow();
        job.as_ref().is_some_and(Job::is_busy) || self.is_busy_beside()
    }

    fn add_actions(&self) {
        for action in Action::ALL {
            let entry = gio::ActionEntry::builder(action.name())
                .activate(move |window: &Self, _, _| window.act(action))
                .build();
            self.add_action_entries([entry]);
        }
        let of_later_pages = [
            Action::Cancel,
            Action::Copy,
            Action::CopyAsChosen,
            Action::Format,
            Action::Check,
        ];
        for action in of_later_pages {
            self.enable(action, false);
        }
        self.enable_while_ready(Action::Continue, &*self.imp().choose);
    }

    fn act(&self, action: Action) {
        self.complete();
        let imp = self.imp();
        match action {
            Action::ChooseFiles => self.choose_files(),
            Action::ChooseFolder => self.choose_folder(),
            Action::Paste => self.paste(),
            Action::Continue => self.go_to_sticks(),
            Action::Copy => match imp.stick.image_targets() {
                Some(targets) => self.prepare_image(targets),
                None => self.prepare(),
            },
            Action::EraseAndWrite => self.erase_and_write(),
            Action::CopyAsChosen => self.copy_as_chosen(),
            Action::Back => {
                imp.navigation.pop();
            }
            Action::Cancel => {
                if let Some(job) = &*imp.job.borrow() {
                    job.cancel();
                }
            }
            Action::TryAgain => self.leave_job("stick"),
            Action::StartOver => self.leave_job("choose"),
            Action::CopyDetails => {
                self.clipboard().set_text(&imp.end.details());
                imp.toasts
                    .add_toast(adw::Toast::new(&gettext("Details copied")));
            }
            Action::Quit => self.close(),
            _ => self.open(action),
        }
    }

    fn simple_action(&self, action: Action) -> gio::SimpleAction {
        self.lookup_action(action.name())
            .and_downcast()
            .expect("each action should have been added")
    }

    fn enable(&self, action: Action, enabled: bool) {
        self.simple_action(action).set_enabled(enabled);
    }

    fn enable_while_ready(&self, action: Action, page: &impl IsA<glib::Object>) {
        page.bind_property("ready", &self.simple_action(action), "enabled")
            .sync_create()
            .build();
    }
}
