use std::cell::RefCell;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::glib;

use super::stick_end::StickEnd;
use super::view::EndView;
use crate::ui::job::{Job, Subject};

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "page.ui")]
    pub(in crate::ui) struct EndPage {
        pub(super) description: RefCell<String>,
        pub(super) details: RefCell<String>,
        #[template_child]
        pub(super) status: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) sticks: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) facts: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) lines: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) copy_details: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) try_again: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) format: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) start_over: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) copy_more: TemplateChild<gtk::Button>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for EndPage {
        const NAME: &'static str = "SteadyEndPage";
        type Type = super::EndPage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for EndPage {}
    impl WidgetImpl for EndPage {}
    impl NavigationPageImpl for EndPage {}
}

glib::wrapper! {
    /// The last page: how the job ended, what is on the stick now, and what to do.
    pub(in crate::ui) struct EndPage(ObjectSubclass<imp::EndPage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl EndPage {
    /// Shows how the job ended.
    pub(in crate::ui) fn show_job(&self, job: &Job) {
        let view = match job.subject() {
            Subject::Files => EndView::of(&job.state(), job.stick()),
            Subject::Image { name } => EndView::of_image(name, job.sticks(), &job.states()),
        };
        let Some(view) = view else {
            return;
        };
        let is_image = *job.subject() != Subject::Files;
        let imp = self.imp();
        self.set_title(&view.title);
        imp.status.set_icon_name(Some(view.icon));
        imp.status.set_title(&view.title);
        imp.status
            .set_description(Some(&glib::markup_escape_text(&view.description)));
        fill(
            &imp.facts,
            view.facts
                .iter()
                .map(|(title, value)| fact_row(title, value)),
        );
        fill(&imp.sticks, view.sticks.iter().map(stick_row));
        fill(&imp.lines, view.lines.iter().map(|line| line_row(line)));
        imp.copy_details.set_visible(!view.details.is_empty());
        imp.try_again.set_visible(view.can_try_again);
        imp.start_over.set_visible(view.can_try_again);
        imp.format.set_visible(view.can_format);
        imp.copy_more.set_visible(!view.can_try_again);
        imp.copy_more.set_label(&if is_image {
            gettext("Write Another")
        } else {
            gettext("Copy More")
        });
        imp.description.replace(view.description);
        imp.details.replace(view.details);
    }

    /// The sentence below the title.
    pub(in crate::ui) fn description(&self) -> String {
        self.imp().description.borrow().clone()
    }

    /// For whoever helps.
    pub(in crate::ui) fn details(&self) -> String {
        self.imp().details.borrow().clone()
    }
}

/// An empty list would be a stray line.
fn fill(list: &gtk::ListBox, rows: impl Iterator<Item = adw::ActionRow>) {
    list.remove_all();
    for row in rows {
        list.append(&row);
    }
    list.set_visible(list.first_child().is_some());
}

fn fact_row(title: &str, value: &str) -> adw::ActionRow {
    let row = plain_row(title, value);
    row.add_css_class("property");
    row
}

fn stick_row(end: &StickEnd) -> adw::ActionRow {
    let row = plain_row(&end.stick, &end.text);
    row.add_prefix(
        &gtk::Image::builder()
            .icon_name(end.icon)
            .accessible_role(gtk::AccessibleRole::Presentation)
            .build(),
    );
    row
}

fn line_row(line: &str) -> adw::ActionRow {
    plain_row(line, "")
}

/// Its texts come after it is told that they are no markup: together, they would be read as such once.
fn plain_row(title: &str, subtitle: &str) -> adw::ActionRow {
    let row = adw::ActionRow::builder().use_markup(false).build();
    row.set_title(title);
    row.set_subtitle(subtitle);
    row
}
