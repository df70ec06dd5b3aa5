//! What the menu opens: pages that do something else than copy, and dialogs.

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::{gio, glib};

use super::Window;
use crate::tasks::Known;
use crate::ui::about::about_dialog;
use crate::ui::action::{Action, Hears};
use crate::ui::help::help_dialog;
use crate::ui::history::HistoryDialog;
use crate::ui::preferences::PreferencesDialog;
use crate::ui::settings::{Settings, Switch};
use crate::ui::shortcuts::shortcuts_dialog;

impl Window {
    pub(super) fn open(&self, action: Action) {
        match action {
            Action::FormatStick => {
                self.imp().format.reset();
                self.go_to("format");
            }
            Action::Format => self.imp().format.format(),
            Action::CheckStick => {
                self.imp().check.reset();
                self.go_to("check");
            }
            Action::Check => self.imp().check.check(),
            Action::StopCheck => self.imp().check.stop(),
            Action::History => HistoryDialog::new().present(Some(self)),
            Action::Preferences => glib::Object::new::<PreferencesDialog>().present(Some(self)),
            Action::Shortcuts => shortcuts_dialog().present(Some(self)),
            Action::Help => help_dialog().present(Some(self)),
            Action::About => about_dialog().present(Some(self)),
            _ => {}
        }
    }

    /// Keys that whatever has the focus may want first.
    pub(super) fn hear_last(&self) {
        let controller = gtk::ShortcutController::new();
        for action in Action::ALL {
            if action.hears() != Hears::WindowLast {
                continue;
            }
            for key in action.keys() {
                let trigger = gtk::ShortcutTrigger::parse_string(key);
                let named = gtk::NamedAction::new(&format!("win.{}", action.name()));
                controller.add_shortcut(gtk::Shortcut::new(trigger, Some(named)));
            }
        }
        self.add_controller(controller);
    }

    /// Whether a stick is being formatted or checked.
    pub(super) fn is_busy_beside(&self) -> bool {
        self.imp().format.busy() || self.imp().check.busy()
    }

    /// Formatting and checking, too, must not be interrupted.
    pub(super) fn stay_awake_beside(&self) {
        let weak = self.downgrade();
        let stay_awake = move || {
            if let Some(window) = weak.upgrade() {
                window.inhibit_suspend(window.is_busy());
            }
        };
        let also = stay_awake.clone();
        self.imp().format.connect_busy_notify(move |_| stay_awake());
        self.imp().check.connect_busy_notify(move |_| also());
    }

    /// Who wants no stick remembered wants those forgotten that are.
    pub(super) fn remember_sticks_as_wanted(&self) {
        let settings = &self.imp().settings;
        remember_sticks(settings);
        settings.connect_changed(Switch::RememberSticks, remember_sticks);
    }
}

fn remember_sticks(settings: &Settings) {
    let on = settings.is_on(Switch::RememberSticks);
    let hold = gio::Application::default().map(|application| application.hold());
    glib::spawn_future_local(async move {
        let done = gio::spawn_blocking(move || Known::set_remembering(on)).await;
        if let Err(error) = done.expect("forgetting should not panic") {
            tracing::warn!(%error, "the sticks are not forgotten");
        }
        drop(hold);
    });
}
