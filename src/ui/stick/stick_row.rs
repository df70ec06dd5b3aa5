use std::cell::RefCell;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::wording::{refusal_text, stick_details, stick_name};
use crate::drives::Drive;

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "stick_row.ui")]
    pub(in crate::ui) struct StickRow {
        pub(super) drive: RefCell<Option<Drive>>,
        #[template_child]
        pub(super) check: TemplateChild<gtk::CheckButton>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for StickRow {
        const NAME: &'static str = "SteadyStickRow";
        type Type = super::StickRow;
        type ParentType = adw::ActionRow;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for StickRow {}
    impl WidgetImpl for StickRow {}
    impl ListBoxRowImpl for StickRow {}
    impl PreferencesRowImpl for StickRow {}
    impl ActionRowImpl for StickRow {}
}

glib::wrapper! {
    /// A stick on the list, with its radio button, or with the reason why it is not offered.
    pub(in crate::ui) struct StickRow(ObjectSubclass<imp::StickRow>)
        @extends adw::ActionRow, adw::PreferencesRow, gtk::ListBoxRow, gtk::Widget,
        @implements gtk::Accessible, gtk::Actionable, gtk::Buildable, gtk::ConstraintTarget;
}

impl StickRow {
    /// A row of the radio `group`; calls back when a person chooses it.
    pub(super) fn new(group: &gtk::CheckButton, chosen: impl Fn(Drive) + 'static) -> Self {
        let row: Self = glib::Object::new();
        let check = &row.imp().check;
        check.set_group(Some(group));
        let weak = row.downgrade();
        check.connect_active_notify(move |check| {
            let drive = weak
                .upgrade()
                .and_then(|row| row.imp().drive.borrow().clone());
            if let (true, Some(drive)) = (check.is_active(), drive) {
                chosen(drive);
            }
        });
        row
    }

    /// Shows the drive as it is now.
    pub(super) fn show(&self, drive: &Drive, with_serial: bool, is_chosen: bool) {
        let name = stick_name(drive);
        let details = stick_details(drive, with_serial);
        let subtitle = match drive.refusal {
            None => details,
            Some(refusal) if details.is_empty() => refusal_text(refusal),
            Some(refusal) => format!("{details}\n{}", refusal_text(refusal)),
        };
        self.set_title(&name);
        self.set_subtitle(&subtitle);
        self.set_sensitive(drive.refusal.is_none());
        let check = &self.imp().check;
        check.update_property(&[
            gtk::accessible::Property::Label(&name),
            gtk::accessible::Property::Description(&subtitle),
        ]);
        // The drive comes last: until then the button only shows what is chosen already.
        self.imp().drive.take();
        check.set_active(is_chosen);
        self.imp().drive.replace(Some(drive.clone()));
    }

    /// The drive that it shows.
    pub(super) fn drive(&self) -> Option<Drive> {
        self.imp().drive.borrow().clone()
    }
}
