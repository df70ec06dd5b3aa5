//! The keys, as the actions tell them.

use adw::prelude::*;
use gettextrs::gettext;
use gtk::gdk;

use super::action::Action;

/// A dialog with all keys and what they do.
pub(super) fn shortcuts_dialog() -> adw::PreferencesDialog {
    let page = adw::PreferencesPage::new();
    page.add(&all_keys());
    let dialog = adw::PreferencesDialog::builder()
        .title(gettext("Keyboard Shortcuts"))
        .search_enabled(false)
        // In a window of 360 px there is a little less where the display can't show shadows.
        .width_request(300)
        .build();
    dialog.add(&page);
    dialog
}

fn all_keys() -> adw::PreferencesGroup {
    let group = adw::PreferencesGroup::new();
    for action in Action::ALL {
        if let Some(meaning) = action.meaning() {
            group.add(&row(&meaning, action.keys()));
        }
    }
    let menu = gettext("Open the menu");
    group.add(&row(&menu, &["F10"]));
    group
}

fn row(meaning: &str, keys: &[&str]) -> adw::ActionRow {
    let labels: Vec<_> = keys.iter().filter_map(|key| key_label(key)).collect();
    let row = adw::ActionRow::builder()
        .use_markup(false)
        .title(meaning)
        .build();
    let label = gtk::Label::builder()
        // Translators: between two keys of which each does the same
        .label(labels.join(&gettext(" or ")))
        .css_classes(["dim-label", "numeric"])
        .wrap(true)
        .natural_wrap_mode(gtk::NaturalWrapMode::None)
        .justify(gtk::Justification::Right)
        .build();
    row.add_suffix(&label);
    row
}

/// As it is printed on the keyboard.
fn key_label(key: &str) -> Option<String> {
    let (key, modifiers): (gdk::Key, gdk::ModifierType) = gtk::accelerator_parse(key)?;
    Some(gtk::accelerator_get_label(key, modifiers).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::testing::says;

    #[gtk::test]
    fn every_key_is_told() {
        adw::init().expect("libadwaita should start on a display");
        let keys = all_keys();
        for text in [
            "Ctrl+Q or Ctrl+W",
            "F1",
            "Ctrl+O",
            "Escape or Alt+Left",
            "Ctrl+V",
        ] {
            assert!(says(&keys, text), "{text}");
        }
    }
}
