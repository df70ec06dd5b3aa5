use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::glib;

use super::view::WritingView;
use crate::tasks::JobState;
use crate::ui::graph::SpeedGraph;
use crate::ui::job::CopyJob;
use crate::ui::text::gettext_f;

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "page.ui")]
    pub(in crate::ui) struct WritingPage {
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
        pub(super) drawn: glib::WeakRef<CopyJob>,
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
    pub(in crate::ui) fn show_job(&self, job: &CopyJob) {
        let Some(view) = WritingView::of(&job.state()) else {
            return;
        };
        let imp = self.imp();
        let heading = gettext_f("Writing to {stick}", &[("stick", job.stick())]);
        self.set_title(&heading);
        imp.heading.set_label(&heading);
        imp.amount.set_label(&view.amount);
        imp.phase.set_label(&view.phase);
        imp.bar.set_fraction(view.fraction);
        imp.pace.set_label(&view.pace);
        imp.current.set_label(&view.current);
        imp.cancel.set_label(&if view.cancelling {
            gettext("Stopping…")
        } else {
            gettext("Cancel")
        });
        self.draw(job);
    }

    fn draw(&self, job: &CopyJob) {
        let imp = self.imp();
        if imp.drawn.upgrade().as_ref() != Some(job) {
            imp.drawn.set(Some(job));
            imp.graph.reset();
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
    /// The speed.
    pub(in crate::ui) fn graph(&self) -> SpeedGraph {
        self.imp().graph.get()
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
