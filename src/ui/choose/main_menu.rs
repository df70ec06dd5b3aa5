//! What a screen reader says of the menu, where the toolkit leaves it without words.

use gtk::prelude::*;

/// Gives the button inside its name, and the items theirs once they are shown.
pub(super) fn name(menu: &gtk::MenuButton) {
    // The focus goes to the button inside, and GTK does not give it the name.
    let name = menu.tooltip_text().unwrap_or_default();
    if let Some(button) = menu.first_child() {
        button.update_property(&[gtk::accessible::Property::Label(&name)]);
    }
    if let Some(popover) = menu.popover() {
        popover.connect_map(|popover| name_items(popover.upcast_ref()));
    }
}

fn name_items(widget: &gtk::Widget) {
    let is_item = widget.accessible_role() == gtk::AccessibleRole::MenuItem;
    if let Some(text) = is_item.then(|| text_inside(widget)).flatten() {
        // GTK names an item by a label that itself has nothing to say.
        widget.reset_relation(gtk::AccessibleRelation::LabelledBy);
        widget.update_property(&[gtk::accessible::Property::Label(&text)]);
        return;
    }
    children(widget).for_each(|child| name_items(&child));
}

fn text_inside(widget: &gtk::Widget) -> Option<String> {
    let own = widget.downcast_ref::<gtk::Label>().map(gtk::Label::text);
    own.filter(|text| !text.is_empty())
        .map(Into::into)
        .or_else(|| children(widget).find_map(|child| text_inside(&child)))
}

fn children(widget: &gtk::Widget) -> impl Iterator<Item = gtk::Widget> {
    std::iter::successors(widget.first_child(), WidgetExt::next_sibling)
}

#[cfg(test)]
mod tests {
    use gtk::{AccessibleProperty, gio};

    use super::*;
    use crate::ui::testing::{settle, visible, widget};

    #[gtk::test]
    fn items_have_a_name_once_they_are_shown() {
        let model = gio::Menu::new();
        model.append(Some("_Format a Stick"), None);
        model.append(Some("H_elp"), None);
        let window = widget::<gtk::Window>();
        let menu = gtk::MenuButton::builder().menu_model(&model).build();
        window.set_child(Some(&menu));
        name(&menu);
        window.present();
        menu.popup();
        settle();
        let popover = menu.popover().expect("a menu");
        let all = visible(popover.upcast_ref());
        let items = all
            .iter()
            .filter(|widget| widget.accessible_role() == gtk::AccessibleRole::MenuItem);
        let named = items
            .filter(|item| gtk::test_accessible_has_property(*item, AccessibleProperty::Label));
        assert_eq!(named.count(), 2);
        window.destroy();
    }
}
