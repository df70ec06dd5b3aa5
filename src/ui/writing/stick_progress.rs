use adw::subclass::prelude::*;
use gtk::glib;
use gtk::prelude::*;

use super::stick_view::StickView;

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "stick_progress.ui")]
    pub(in crate::ui) struct StickProgress {
        #[template_child]
        pub(super) name: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) icon: TemplateChild<gtk::Image>,
        #[template_child]
        pub(super) bar: TemplateChild<gtk::ProgressBar>,
        #[template_child]
        pub(super) text: TemplateChild<gtk::Label>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for StickProgress {
        const NAME: &'static str = "SteadyStickProgress";
        type Type = super::StickProgress;
        type ParentType = gtk::ListBoxRow;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for StickProgress {}
    impl WidgetImpl for StickProgress {}
    impl ListBoxRowImpl for StickProgress {}
}

glib::wrapper! {
    /// One of several sticks while they are written: its name, its bar, and a line.
    pub(in crate::ui) struct StickProgress(ObjectSubclass<imp::StickProgress>)
        @extends gtk::ListBoxRow, gtk::Widget,
        @implements gtk::Accessible, gtk::Actionable, gtk::Buildable, gtk::ConstraintTarget;
}

impl StickProgress {
    /// The row of the stick that people call so.
    pub(super) fn new(stick: &str) -> Self {
        let row: Self = glib::Object::new();
        let imp = row.imp();
        imp.name.set_label(stick);
        imp.bar
            .update_property(&[gtk::accessible::Property::Label(stick)]);
        row
    }

    /// What people call the stick.
    pub(super) fn name(&self) -> String {
        self.imp().name.label().into()
    }

    /// Shows the stick as it is now.
    pub(super) fn show(&self, view: &StickView) {
        let imp = self.imp();
        imp.text.set_label(&view.text);
        imp.bar.set_visible(view.fraction.is_some());
        imp.bar.set_fraction(view.fraction.unwrap_or_default());
        imp.icon.set_visible(view.icon.is_some());
        imp.icon.set_icon_name(view.icon);
    }
}

#[cfg(test)]
impl StickProgress {
    /// Name, line and bar, as a person sees them.
    pub(in crate::ui) fn shown(&self) -> (String, String, Option<f64>) {
        let imp = self.imp();
        let bar = imp.bar.get_visible().then(|| imp.bar.fraction());
        (imp.name.label().into(), imp.text.label().into(), bar)
    }
}
