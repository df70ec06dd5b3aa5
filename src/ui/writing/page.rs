use std::cell::RefCell;
use std::time::Instant;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::glib;

use super::spoken::Spoken;
use super::stick_progress::StickProgress;
use super::stick_view::StickView;
use super::view::WritingView;
use crate::tasks::JobState;
use crate::ui::graph::SpeedGraph;
use crate::ui::job::Job;
use crate::ui::text::{gettext_f, ngettext_f};

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "page.ui")]
    pub(in crate::ui) struct WritingPage {
        /// Of the job that is shown, where it has several sticks.
        pub(super) rows: RefCell<Vec<StickProgress>>,
        #[template_child]
        pub(super) sticks: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) heading: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) amount: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) phase: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) bar: TemplateChild<gtk::ProgressBar>,
        #[template_child]
        pub(super) pace: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) current: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) graph: TemplateChild<SpeedGraph>,
        /// Whose speed the graph shows.
        pub(super) drawn: glib::WeakRef<Job>,
        /// What a screen reader was told of the job that is shown.
        pub(super) spoken: RefCell<Spoken>,
        #[template_child]
        pub(super) more: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) details: TemplateChild<adw::ExpanderRow>,
        /// One for each detail that is shown.
        pub(super) detail_rows: RefCell<Vec<adw::ActionRow>>,
        #[template_child]
        pub(super) cancel: TemplateChild<gtk::Button>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for WritingPage {
        const NAME: &'static str = "SteadyWritingPage";
        type Type = super::WritingPage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            SpeedGraph::ensure_type();
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for WritingPage {}
    impl WidgetImpl for WritingPage {}
    impl NavigationPageImpl for WritingPage {}
}

glib::wrapper! {
    /// The page of a job under way. It cannot be left but by the end of the job.
    pub(in crate::ui) struct WritingPage(ObjectSubclass<imp::WritingPage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl WritingPage {
    /// Shows the job as it is now; what it showed last stays when the job has ended.
    pub(in crate::ui) fn show_job(&self, job: &Job) {
        if !job.is_busy() {
            return;
        }
        let imp = self.imp();
        let heading = match job.sticks() {
            [stick] => gettext_f("Writing to {stick}", &[("stick", stick)]),
            sticks => ngettext_f(
                "Writing to {count} stick",
                "Writing to {count} sticks",
                sticks.len() as u64,
                &[],
            ),
        };
        self.set_title(&heading);
        imp.heading.set_label(&heading);
        let has_several = job.sticks().len() > 1;
        imp.sticks.set_visible(has_several);
        for of_one in [&*imp.amount, &*imp.phase, &*imp.pace, &*imp.current] {
            of_one.set_visible(!has_several);
        }
        imp.bar.set_visible(!has_several);
        if has_several {
            self.show_sticks(job);
        } else if let Some(view) = WritingView::of(&job.state()) {
            self.draw(job);
            self.show_view(&view);
        }
        imp.graph.set_visible(!has_several);
        imp.more.set_visible(!has_several);
        imp.cancel.set_label(&if job.can_cancel() {
            gettext("Cancel")
        } else {
            gettext("Stopping…")
        });
    }

    fn show_view(&self, view: &WritingView) {
        let imp = self.imp();
        imp.amount.set_label(&view.amount);
        imp.phase.set_label(&view.phase);
        imp.bar.set_fraction(view.fraction);
        imp.pace.set_label(&view.pace);
        imp.current.set_label(&view.current);
        self.show_details(&view.details);
        if let Some(said) = imp.spoken.borrow_mut().next(view, Instant::now()) {
            self.announce(&said, gtk::AccessibleAnnouncementPriority::Low);
        }
    }

    /// Keeps the rows that are there: neither focus nor pointer loses them.
    fn show_details(&self, details: &[(String, String)]) {
        let imp = self.imp();
        let mut rows = imp.detail_rows.borrow_mut();
        while rows.len() > details.len() {
            if let Some(row) = rows.pop() {
                imp.details.remove(&row);
            }
        }
        while rows.len() < details.len() {
            let row = adw::ActionRow::builder().use_markup(false).build();
            row.add_css_class("property");
            imp.details.add_row(&row);
            rows.push(row);
        }
        for (row, (name, value)) in rows.iter().zip(details) {
            row.set_title(name);
            row.set_subtitle(value);
        }
    }

    fn show_sticks(&self, job: &Job) {
        let imp = self.imp();
        let names = job.sticks();
        if !imp
            .rows
            .borrow()
            .iter()
            .map(StickProgress::name)
            .eq(names.iter().cloned())
        {
            imp.sticks.remove_all();
            let rows: Vec<_> = names.iter().map(|name| StickProgress::new(name)).collect();
            for row in &rows {
                imp.sticks.append(row);
            }
            imp.rows.replace(rows);
        }
        for (row, state) in imp.rows.borrow().iter().zip(&*job.states()) {
            row.show(&StickView::of(state));
        }
    }

    fn draw(&self, job: &Job) {
        let imp = self.imp();
        if imp.drawn.upgrade().as_ref() != Some(job) {
            imp.drawn.set(Some(job));
            imp.graph.reset();
            imp.spoken.take();
        }
        if let JobState::Running {
            progress: Some(progress),
            ..
        } = &*job.state()
        {
            imp.graph.follow(progress);
        }
    }
}

#[cfg(test)]
impl WritingPage {
    /// The rows of several sticks.
    pub(in crate::ui) fn rows(&self) -> Vec<(String, String, Option<f64>)> {
        let rows = self.imp().rows.borrow();
        rows.iter().map(StickProgress::shown).collect()
    }

    /// The speed.
    pub(in crate::ui) fn graph(&self) -> SpeedGraph {
        self.imp().graph.get()
    }

    /// Opens what is there for the curious.
    pub(in crate::ui) fn open_details(&self) {
        self.imp().details.set_expanded(true);
    }

    /// Calls back when the number that matters changes.
    pub(in crate::ui) fn connect_amount_changed(&self, changed: impl Fn() + 'static) {
        self.imp().amount.connect_label_notify(move |_| changed());
    }

    /// The texts of bar, number and phase, as a person sees them.
    pub(in crate::ui) fn shown(&self) -> (f64, String, String) {
        let imp = self.imp();
        (
            imp.bar.fraction(),
            imp.amount.label().into(),
            imp.phase.label().into(),
        )
    }
}
