//! The focus is never nowhere: whoever works by keys alone would be lost, too.

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::Window;

impl Window {
    /// Where what had the focus can't keep it, such as a button that has been pressed and has to
    /// wait, something else on the page gets it.
    pub(super) fn keep_focus(&self) {
        self.connect_focus_widget_notify(|window| {
            let window = window.downgrade();
            // What takes the focus away often gives it to something else next.
            glib::idle_add_local_once(move || {
                if let Some(window) = window.upgrade() {
                    window.find_focus();
                }
            });
        });
    }

    fn find_focus(&self) {
        let is_nowhere = gtk::prelude::GtkWindowExt::focus(self).is_none();
        if !is_nowhere || self.visible_dialog().is_some() {
            return;
        }
        if let Some(page) = self.imp().navigation.visible_page() {
            page.child_focus(gtk::DirectionType::TabForward);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::action::Action;
    use crate::ui::testing::{settle, widget};

    #[gtk::test]
    fn x08_a_button_that_has_to_wait_gives_the_focus_on() {
        let window = widget::<Window>();
        window.present();
        settle();
        window.add_sources(["/films/film.mkv".into()]);
        settle();
        let focus = || gtk::prelude::GtkWindowExt::focus(&window);
        for _ in 0..20 {
            let pressed = focus().and_downcast::<gtk::Button>();
            if pressed.and_then(|button| button.action_name()).as_deref() == Some("win.continue") {
                break;
            }
            window.child_focus(gtk::DirectionType::TabForward);
        }
        let before = focus().expect("a button");
        window.enable(Action::Continue, false);
        settle();
        let after = focus().expect("the focus is nowhere");
        assert!(after != before && after.is_sensitive() && after.is_mapped());
        window.destroy();
    }
}
