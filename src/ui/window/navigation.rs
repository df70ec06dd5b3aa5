//! From page to page.

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::Window;

impl Window {
    /// Goes on to a page, or back to it where it was visited on the way.
    pub(super) fn go_to(&self, tag: &str) {
        let navigation = &self.imp().navigation;
        if self.is_at(tag) {
            return;
        }
        self.complete();
        let is_page = |page: &adw::NavigationPage| page.tag().as_deref() == Some(tag);
        let visited = navigation.navigation_stack();
        if visited.iter().flatten().any(|page| is_page(&page)) {
            navigation.pop_to_tag(tag);
        } else {
            navigation.push_by_tag(tag);
        }
    }

    /// Whether that page is shown.
    pub(super) fn is_at(&self, tag: &str) -> bool {
        let page = self.imp().navigation.visible_page();
        page.and_then(|page| page.tag()).as_deref() == Some(tag)
    }

    /// From what was chosen to the sticks, once it has been looked at. What is to be chosen then
    /// comes first.
    pub(super) fn go_to_sticks(&self) {
        let window = self.clone();
        glib::spawn_future_local(async move {
            let imp = window.imp();
            if !imp.choose.looked().await || !window.is_at("choose") {
                return;
            }
            let image = imp.choose.image();
            imp.stick.set_amount(match &image {
                Some(image) => image.bytes.map(|bytes| (bytes, 1)),
                None => imp.choose.amount(),
            });
            imp.stick.set_image(image);
            window.go_to("stick");
        });
    }

    /// From the end of a job back to a page; from the first one everything is new, or what was
    /// dropped or opened meanwhile.
    pub(super) fn leave_job(&self, tag: &str) {
        let imp = self.imp();
        imp.job.take();
        let from_the_beginning = tag == "choose";
        if from_the_beginning {
            imp.choose.clear();
            imp.choose.add(imp.next.take());
        }
        imp.stick.reset(from_the_beginning);
        self.go_to(tag);
    }
}
