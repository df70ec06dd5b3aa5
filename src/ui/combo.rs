//! Rows that offer names to choose from.

use adw::prelude::*;
use gtk::glib;

/// Offers these names in the row.
///
/// They look as in any such row, and have names for a screen reader too, which those of the toolkit
/// lack.
pub(super) fn offer(row: &adw::ComboRow, names: &gtk::StringList) {
    if row.list_factory().is_none() {
        row.set_list_factory(Some(&list_factory(row)));
    }
    row.set_model(Some(names));
}

fn list_factory(row: &adw::ComboRow) -> gtk::SignalListItemFactory {
    let factory = gtk::SignalListItemFactory::new();
    let row = row.downgrade();
    factory.connect_setup(move |_, item| {
        let item = item.downcast_ref::<gtk::ListItem>();
        if let (Some(item), Some(row)) = (item, row.upgrade()) {
            set_up(item, &row);
        }
    });
    factory.connect_bind(|_, item| {
        let Some(item) = item.downcast_ref::<gtk::ListItem>() else {
            return;
        };
        let name = item.item().and_downcast::<gtk::StringObject>();
        item.set_accessible_label(&name.map(|name| name.string()).unwrap_or_default());
    });
    factory
}

/// A name, and a mark that is seen where it is the chosen one.
fn set_up(item: &gtk::ListItem, row: &adw::ComboRow) {
    let label = gtk::Label::builder()
        .xalign(0.0)
        .hexpand(true)
        .wrap(true)
        .wrap_mode(gtk::pango::WrapMode::WordChar)
        .build();
    let mark = gtk::Image::builder()
        .icon_name("object-select-symbolic")
        .accessible_role(gtk::AccessibleRole::Presentation)
        .build();
    let name = item.property_expression_weak("accessible-label");
    name.bind(&label, "label", gtk::Widget::NONE);
    let chosen = gtk::ClosureExpression::new::<f64>(
        [
            item.property_expression_weak("position"),
            row.property_expression_weak("selected"),
        ],
        glib::closure!(|_: Option<glib::Object>, place: u32, chosen: u32| {
            if place == chosen { 1.0 } else { 0.0 }
        }),
    );
    chosen.bind(&mark, "opacity", gtk::Widget::NONE);
    let both = gtk::Box::new(gtk::Orientation::Horizontal, 6);
    both.append(&label);
    both.append(&mark);
    item.set_child(Some(&both));
}
