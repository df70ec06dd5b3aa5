use adw::prelude::*;
use gettextrs::gettext;

use super::topic::Topic;

/// A list of topics; each opens its page.
pub(in crate::ui) fn help_dialog() -> adw::Dialog {
    let navigation = adw::NavigationView::new();
    let group = adw::PreferencesGroup::new();
    for topic in Topic::ALL {
        let row = adw::ActionRow::builder()
            .use_markup(false)
            .title(topic.title())
            .activatable(true)
            .build();
        let arrow = gtk::Image::builder()
            .icon_name("go-next-symbolic")
            .accessible_role(gtk::AccessibleRole::Presentation)
            .build();
        row.add_suffix(&arrow);
        let pages = navigation.downgrade();
        row.connect_activated(move |_| {
            if let Some(pages) = pages.upgrade() {
                pages.push(&topic_page(topic));
            }
        });
        group.add(&row);
    }
    let list = adw::PreferencesPage::new();
    list.add(&group);
    navigation.add(&page(&gettext("Help"), true, &list));
    adw::Dialog::builder()
        .title(gettext("Help"))
        .content_width(520)
        .content_height(560)
        .child(&navigation)
        .build()
}

pub(in crate::ui) fn topic_page(topic: Topic) -> adw::NavigationPage {
    let text = gtk::Box::builder()
        .orientation(gtk::Orientation::Vertical)
        .spacing(12)
        .margin_top(12)
        .margin_bottom(24)
        .margin_start(18)
        .margin_end(18)
        .build();
    // In the bar it would be cut off.
    let heading = gtk::Label::builder()
        .label(topic.title())
        .accessible_role(gtk::AccessibleRole::Heading)
        .wrap(true)
        .xalign(0.0)
        .css_classes(["title-2"])
        .build();
    text.append(&heading);
    for paragraph in topic.paragraphs() {
        let label = gtk::Label::builder()
            .label(paragraph)
            .wrap(true)
            .wrap_mode(gtk::pango::WrapMode::WordChar)
            .xalign(0.0)
            // For whoever reads by keyboard, or wants to copy it.
            .selectable(true)
            .build();
        text.append(&label);
    }
    let clamp = adw::Clamp::builder().maximum_size(600).child(&text).build();
    let scrolled = gtk::ScrolledWindow::builder()
        .hscrollbar_policy(gtk::PolicyType::Never)
        .child(&clamp)
        .build();
    page(&topic.title(), false, &scrolled)
}

fn page(title: &str, in_bar: bool, content: &impl IsA<gtk::Widget>) -> adw::NavigationPage {
    let view = adw::ToolbarView::builder().content(content).build();
    view.add_top_bar(&adw::HeaderBar::builder().show_title(in_bar).build());
    adw::NavigationPage::new(&view, title)
}
