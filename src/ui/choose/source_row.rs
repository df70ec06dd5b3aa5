use std::cell::Cell;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::{gio, glib};

use super::source::{Measure, Source};
use crate::ui::text::gettext_f;

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "source_row.ui")]
    pub(in crate::ui) struct SourceRow {
        #[template_child]
        pub(super) icon: TemplateChild<gtk::Image>,
        #[template_child]
        pub(super) remove: TemplateChild<gtk::Button>,
        pub(super) measure: Cell<Option<Measure>>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for SourceRow {
        const NAME: &'static str = "SteadySourceRow";
        type Type = super::SourceRow;
        type ParentType = adw::ActionRow;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for SourceRow {}
    impl WidgetImpl for SourceRow {}
    impl ListBoxRowImpl for SourceRow {}
    impl PreferencesRowImpl for SourceRow {}
    impl ActionRowImpl for SourceRow {}
}

glib::wrapper! {
    /// A chosen file or folder: name, size, and a button that takes it off the list.
    pub(in crate::ui) struct SourceRow(ObjectSubclass<imp::SourceRow>)
        @extends adw::ActionRow, adw::PreferencesRow, gtk::ListBoxRow, gtk::Widget,
        @implements gtk::Accessible, gtk::Actionable, gtk::Buildable, gtk::ConstraintTarget;
}

impl SourceRow {
    /// Shows the source; its size follows when it has been found on a worker thread.
    pub(super) fn new(source: &Source, removed: impl Fn() + 'static) -> Self {
        let row: Self = glib::Object::new();
        let name = source.name();
        let remove_text = gettext_f("Remove {name}", &[("name", &name)]);
        row.set_title(&name);
        row.imp()
            .remove
            .update_property(&[gtk::accessible::Property::Label(&remove_text)]);
        row.imp().remove.connect_clicked(move |_| removed());
        row.measure(source.clone());
        row
    }

    /// How much it holds, once that is known.
    pub(super) fn measured(&self) -> Option<Measure> {
        self.imp().measure.get()
    }

    fn measure(&self, source: Source) {
        let row = self.downgrade();
        glib::spawn_future_local(async move {
            let found = gio::spawn_blocking(move || {
                let measure = Measure::of(&source.path);
                (measure, source.path.is_dir())
            });
            let (measure, is_folder) = found.await.expect("measuring should not panic");
            let Some(row) = row.upgrade() else { return };
            row.imp().measure.set(measure);
            row.set_subtitle(&measure.map(Measure::text).unwrap_or_default());
            if is_folder {
                row.imp().icon.set_icon_name(Some("folder-symbolic"));
            }
        });
    }
}
