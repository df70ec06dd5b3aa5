use std::cell::OnceCell;
use std::ops::Deref;

use gtk::glib;
use gtk::glib::object::{IsA, IsClass};

/// A page that is made when it is first needed: the first page is there sooner without it.
#[derive(Debug)]
pub(super) struct Later<P>(OnceCell<P>);

impl<P> Default for Later<P> {
    fn default() -> Self {
        Self(OnceCell::new())
    }
}

impl<P: IsA<glib::Object> + IsClass> Deref for Later<P> {
    type Target = P;

    fn deref(&self) -> &P {
        self.0.get_or_init(glib::Object::new)
    }
}
