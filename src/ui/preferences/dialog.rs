use adw::subclass::prelude::*;
use gtk::glib;

use crate::ui::settings::{Settings, Switch};

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "dialog.ui")]
    pub(in crate::ui) struct PreferencesDialog {
        #[template_child]
        pub(super) check: TemplateChild<adw::SwitchRow>,
        #[template_child]
        pub(super) power_off: TemplateChild<adw::SwitchRow>,
        #[template_child]
        pub(super) notifications: TemplateChild<adw::SwitchRow>,
        #[template_child]
        pub(super) remember_sticks: TemplateChild<adw::SwitchRow>,
        #[template_child]
        pub(super) history: TemplateChild<adw::SwitchRow>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for PreferencesDialog {
        const NAME: &'static str = "SteadyPreferencesDialog";
        type Type = super::PreferencesDialog;
        type ParentType = adw::PreferencesDialog;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for PreferencesDialog {
        fn constructed(&self) {
            self.parent_constructed();
            let settings = Settings::default();
            for (switch, row) in [
                (Switch::Check, &self.check),
                (Switch::PowerOff, &self.power_off),
                (Switch::Notifications, &self.notifications),
                (Switch::RememberSticks, &self.remember_sticks),
                (Switch::History, &self.history),
            ] {
                settings.bind(switch, &**row);
            }
        }
    }
    impl WidgetImpl for PreferencesDialog {}
    impl AdwDialogImpl for PreferencesDialog {}
    impl PreferencesDialogImpl for PreferencesDialog {}
}

glib::wrapper! {
    /// The preferences; what is switched takes effect at once.
    pub(in crate::ui) struct PreferencesDialog(ObjectSubclass<imp::PreferencesDialog>)
        @extends adw::PreferencesDialog, adw::Dialog, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::ShortcutManager;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing::widget;

    #[gtk::test]
    fn a_switch_shows_and_changes_what_is_decided() {
        let settings = Settings::default();
        settings.reset();
        let dialog = widget::<PreferencesDialog>();
        assert!(dialog.imp().history.is_active());
        dialog.imp().history.set_active(false);
        assert!(!settings.is_on(Switch::History));
        settings.reset();
        assert!(dialog.imp().history.is_active());
    }
}
