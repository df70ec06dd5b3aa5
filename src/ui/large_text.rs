use adw::prelude::*;

/// Lets what stands on buttons go on in a second line: with large text a word or two are wider than
/// a narrow window, and cut off they say nothing.
pub(super) fn wrap_buttons(widget: &gtk::Widget) {
    if let Some(button) = widget.downcast_ref::<gtk::Button>()
        && let Some(label) = button.child().and_downcast::<gtk::Label>()
    {
        button.set_can_shrink(false);
        label.set_ellipsize(gtk::pango::EllipsizeMode::None);
        label.set_wrap(true);
        label.set_wrap_mode(gtk::pango::WrapMode::WordChar);
        label.set_natural_wrap_mode(gtk::NaturalWrapMode::None);
        label.set_justify(gtk::Justification::Center);
    }
    let mut child = widget.first_child();
    while let Some(here) = child {
        wrap_buttons(&here);
        child = here.next_sibling();
    }
}
