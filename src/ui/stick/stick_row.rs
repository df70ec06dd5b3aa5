use std::cell::RefCell;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::standing::Standing;
use super::wording::{stick_details, stick_name};
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
    /// A stick on the list, with its button, or with the reason why it is not offered.
    pub(in crate::ui) struct StickRow(ObjectSubclass<imp::StickRow>)
        @extends adw::ActionRow, adw::PreferencesRow, gtk::ListBoxRow, gtk::Widget,
        @implements gtk::Accessible, gtk::Actionable, gtk::Buildable, gtk::ConstraintTarget;
}

impl StickRow {
    /// A row of the radio `group`, or one of several that can be ticked; calls back when a person
    /// chooses it, or chooses it no more.
    pub(super) fn new(
        group: Option<&gtk::CheckButton>,
        changed: impl Fn(Drive, bool) + 'static,
    ) -> Self {
        let row: Self = glib::Object::new();
        let check = &row.imp().check;
        check.set_group(group);
        // The row names it by its title alone, which two sticks may share.
        check.reset_relation(gtk::AccessibleRelation::LabelledBy);
        let weak = row.downgrade();
        check.connect_active_notify(move |check| {
            let drive = weak
                .upgrade()
                .and_then(|row| row.imp().drive.borrow().clone());
            if let Some(drive) = drive {
                changed(drive, check.is_active());
            }
        });
        row
    }

    /// Shows the drive as it is now.
    pub(super) fn show(&self, drive: &Drive, is_chosen: bool, standing: Standing) {
        let name = stick_name(drive);
        let details = stick_details(drive);
        let lines = [Some(details), standing.text].into_iter().flatten();
        let lines: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
        let subtitle = lines.join("\n");
        self.set_title(&name);
        self.set_subtitle(&subtitle);
        self.set_sensitive(standing.is_usable);
        // Two that look alike must not sound alike.
        let spoken = match subtitle.lines().next() {
            Some(details) if drive.distinction.is_some() => format!("{name}, {details}"),
            _ => name,
        };
        let check = &self.imp().check;
        check.update_property(&[
            gtk::accessible::Property::Label(&spoken),
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
