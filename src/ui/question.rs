//! Questions before something that can't be taken back. Not to do it is always the default.

use adw::prelude::*;
use gettextrs::gettext;

use super::large_text::wrap_buttons;
use super::stick::{loss_text, stick_name};
use super::text::gettext_f;
use crate::drives::Drive;

/// A question that is answered with one of two buttons.
#[derive(Debug)]
pub(super) struct Question {
    pub(super) heading: String,
    pub(super) body: String,
    /// The button that leaves everything as it is; so does closing the question.
    pub(super) no: String,
    /// The button that does it.
    pub(super) yes: String,
    pub(super) appearance: adw::ResponseAppearance,
}

impl Question {
    /// Asks it over `parent`: whether it shall be done.
    pub(super) async fn ask(self, parent: &impl IsA<gtk::Widget>) -> bool {
        self.dialog().choose_future(Some(parent)).await == "yes"
    }

    fn dialog(&self) -> adw::AlertDialog {
        let dialog = adw::AlertDialog::new(Some(&self.heading), Some(&self.body));
        dialog.add_responses(&[("no", &self.no), ("yes", &self.yes)]);
        // Its buttons are made when it is shown.
        dialog.connect_map(|dialog| wrap_buttons(dialog.upcast_ref()));
        dialog.set_response_appearance("yes", self.appearance);
        dialog.set_default_response(Some("no"));
        dialog.set_close_response("no");
        dialog
    }
}

/// Asks whether everything on the stick may be lost. `yes` says what is done then.
pub(super) async fn may_erase(parent: &impl IsA<gtk::Widget>, drive: &Drive, yes: String) -> bool {
    let question = Question {
        heading: gettext_f("Erase {stick}?", &[("stick", &stick_name(drive))]),
        body: loss_text(drive),
        no: gettext("_Cancel"),
        yes,
        appearance: adw::ResponseAppearance::Destructive,
    };
    question.ask(parent).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[gtk::test]
    fn nothing_is_done_unless_a_person_says_so() {
        adw::init().expect("libadwaita should start on a display");
        let question = Question {
            heading: "Erase it?".into(),
            body: "All will be lost.".into(),
            no: "_Cancel".into(),
            yes: "_Erase".into(),
            appearance: adw::ResponseAppearance::Destructive,
        };
        let dialog = question.dialog();
        assert_eq!(dialog.default_response().as_deref(), Some("no"));
        assert_eq!(dialog.close_response(), "no");
        assert_eq!(dialog.response_label("no"), "_Cancel");
    }
}
