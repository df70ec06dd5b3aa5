use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::image_choice::ImageChoice;
use super::main_menu;
use super::source::Source;
use super::source_row::SourceRow;
use crate::tasks::OfferedImage;

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "page.ui")]
    #[properties(wrapper_type = super::ChoosePage)]
    pub(in crate::ui) struct ChoosePage {
        /// Whether there is something to go on with.
        #[property(get)]
        pub(super) ready: Cell<bool>,
        pub(super) sources: RefCell<Vec<(Source, SourceRow)>>,
        #[template_child]
        pub(super) stack: TemplateChild<gtk::Stack>,
        #[template_child]
        pub(super) main_menu: TemplateChild<gtk::MenuButton>,
        #[template_child]
        pub(super) list: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) image: TemplateChild<ImageChoice>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ChoosePage {
        const NAME: &'static str = "SteadyChoosePage";
        type Type = super::ChoosePage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            ImageChoice::ensure_type();
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    #[glib::derived_properties]
    impl ObjectImpl for ChoosePage {
        fn constructed(&self) {
            self.parent_constructed();
            let page = self.obj().downgrade();
            self.image.connect_decided_notify(move |_| {
                if let Some(page) = page.upgrade() {
                    page.update_view();
                }
            });
            main_menu::name(&self.main_menu);
        }
    }
    impl WidgetImpl for ChoosePage {}
    impl NavigationPageImpl for ChoosePage {}
}

glib::wrapper! {
    /// The first page: files and folders, chosen or dropped.
    pub(in crate::ui) struct ChoosePage(ObjectSubclass<imp::ChoosePage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl ChoosePage {
    /// Adds what is not on the list yet.
    pub(in crate::ui) fn add(&self, paths: impl IntoIterator<Item = PathBuf>) {
        for path in paths {
            let source = Source { path };
            if self.holds(&source) {
                continue;
            }
            let (page, removed) = (self.downgrade(), source.clone());
            let row = SourceRow::new(&source, move || {
                if let Some(page) = page.upgrade() {
                    page.remove(&removed);
                }
            });
            self.imp().list.append(&row);
            self.imp().sources.borrow_mut().push((source, row));
        }
        self.update_view();
    }

    /// What was chosen, in its order.
    pub(in crate::ui) fn paths(&self) -> Vec<PathBuf> {
        let sources = self.imp().sources.borrow();
        sources
            .iter()
            .map(|(source, _)| source.path.clone())
            .collect()
    }

    /// The chosen disk image, if it is to be written as one.
    pub(in crate::ui) fn image(&self) -> Option<OfferedImage> {
        self.imp().image.image()
    }

    /// Waits until the chosen file has been looked at. Then there may be more to choose, or what is
    /// proposed was not seen yet: false.
    pub(in crate::ui) async fn looked(&self) -> bool {
        let image = &self.imp().image;
        if !image.looking() {
            return true;
        }
        let (over, looked) = async_channel::bounded(1);
        let handler = image.connect_looking_notify(move |_| {
            // Full: it was told already.
            over.try_send(()).unwrap_or_default();
        });
        // It closes only with the page.
        looked.recv().await.unwrap_or_default();
        image.disconnect(handler);
        self.ready() && !image.get_visible()
    }

    /// How much all of it is, once that is known: bytes and files.
    pub(in crate::ui) fn amount(&self) -> Option<(u64, u64)> {
        let sources = self.imp().sources.borrow();
        let mut measured = sources.iter().map(|(_, row)| row.measured());
        measured.try_fold((0, 0), |(bytes, files), measure| {
            let measure = measure?;
            Some((bytes + measure.bytes, files + measure.files))
        })
    }

    /// Empties the list.
    pub(in crate::ui) fn clear(&self) {
        self.imp().list.remove_all();
        self.imp().sources.borrow_mut().clear();
        self.update_view();
    }

    fn holds(&self, source: &Source) -> bool {
        let sources = self.imp().sources.borrow();
        sources.iter().any(|(held, _)| held == source)
    }

    fn remove(&self, removed: &Source) {
        let mut sources = self.imp().sources.borrow_mut();
        if let Some(at) = sources.iter().position(|(source, _)| source == removed) {
            let (_, row) = sources.remove(at);
            self.imp().list.remove(&row);
        }
        drop(sources);
        self.update_view();
    }

    fn update_view(&self) {
        let imp = self.imp();
        let only = match imp.sources.borrow().as_slice() {
            [(source, _)] => Some(source.path.clone()),
            _ => None,
        };
        imp.image.look_at(only);
        let is_empty = imp.sources.borrow().is_empty();
        let shown = if is_empty { "empty" } else { "chosen" };
        imp.stack.set_visible_child_name(shown);
        let ready = !is_empty && imp.image.decided();
        if self.imp().ready.replace(ready) != ready {
            self.notify_ready();
        }
    }
}

#[cfg(test)]
impl ChoosePage {
    /// Shows this as what the chosen file can be used for.
    pub(in crate::ui) fn offer(&self, offer: crate::tasks::Offer) {
        self.imp().image.show_offer(offer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[gtk::test]
    fn a_file_is_listed_once_and_can_be_removed() {
        let page = crate::ui::testing::widget::<ChoosePage>();
        let shown = || page.imp().stack.visible_child_name();
        assert!(!page.ready());
        assert_eq!(shown().as_deref(), Some("empty"));

        page.add(["/music/a & b.ogg".into(), "/music/c.ogg".into()]);
        page.add(["/music/a & b.ogg".into()]);
        assert_eq!(page.paths().len(), 2);
        assert!(page.ready());
        assert_eq!(shown().as_deref(), Some("chosen"));
        let titles: Vec<_> = page
            .imp()
            .sources
            .borrow()
            .iter()
            .map(|(_, row)| row.title())
            .collect();
        assert_eq!(titles, ["a & b.ogg", "c.ogg"]);

        page.remove(&Source {
            path: "/music/a & b.ogg".into(),
        });
        assert_eq!(page.paths(), [PathBuf::from("/music/c.ogg")]);
        page.clear();
        assert!(!page.ready());
        assert_eq!(shown().as_deref(), Some("empty"));
    }
}
