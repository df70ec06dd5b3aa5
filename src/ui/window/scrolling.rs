use adw::prelude::*;

/// Has what scrolls called by its page: where nothing else takes the focus, it does, so that a
/// person without a pointer can scroll, and a screen reader would have nothing to say.
pub(super) fn name_after(page: &adw::NavigationPage) {
    for scrolled in within(page.upcast_ref()) {
        // One of the usual role can't have a name.
        scrolled.set_accessible_role(gtk::AccessibleRole::Group);
        let call = move |page: &adw::NavigationPage| {
            scrolled.update_property(&[gtk::accessible::Property::Label(&page.title())]);
        };
        call(page);
        page.connect_title_notify(call);
    }
}

fn within(widget: &gtk::Widget) -> Vec<gtk::ScrolledWindow> {
    let children = std::iter::successors(widget.first_child(), WidgetExt::next_sibling);
    let own = widget.downcast_ref::<gtk::ScrolledWindow>().cloned();
    own.into_iter()
        .chain(children.flat_map(|child| within(&child)))
        .collect()
}
