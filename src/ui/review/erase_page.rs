use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use crate::drives::Drive;
use crate::tasks::{Failure, Wording};
use crate::ui::stick::{contents_text, stick_name};
use crate::ui::text::{gettext_f, ngettext_f, tr};

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "erase_page.ui")]
    pub(in crate::ui) struct ErasePage {
        #[template_child]
        pub(super) heading: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) loss: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) sticks: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) notes: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) cancel: TemplateChild<gtk::Button>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ErasePage {
        const NAME: &'static str = "SteadyErasePage";
        type Type = super::ErasePage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for ErasePage {}
    impl WidgetImpl for ErasePage {}
    impl NavigationPageImpl for ErasePage {
        /// Who presses Enter without reading loses nothing.
        fn showing(&self) {
            self.parent_showing();
            self.cancel.grab_focus();
            if let Some(window) = self.obj().root().and_downcast::<gtk::Window>() {
                window.set_default_widget(Some(&*self.cancel));
            }
        }

        fn hiding(&self) {
            self.parent_hiding();
            if let Some(window) = self.obj().root().and_downcast::<gtk::Window>() {
                window.set_default_widget(gtk::Widget::NONE);
            }
        }
    }
}

glib::wrapper! {
    /// The page before an image is written: which sticks are erased for it, and what else a person
    /// should know.
    pub(in crate::ui) struct ErasePage(ObjectSubclass<imp::ErasePage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl ErasePage {
    /// Asks whether these sticks may be erased for the image of that name.
    pub(in crate::ui) fn ask(&self, image: &str, drives: &[Drive], notes: &[Failure]) {
        let imp = self.imp();
        let (heading, loss) = match drives {
            [drive] => (
                gettext_f("Erase {stick}?", &[("stick", &stick_name(drive))]),
                gettext_f(
                    "Everything on this stick will be lost, and “{image}” takes its place. This can’t be undone.",
                    &[("image", image)],
                ),
            ),
            drives => (
                ngettext_f(
                    "Erase {count} stick?",
                    "Erase {count} sticks?",
                    drives.len() as u64,
                    &[],
                ),
                gettext_f(
                    "Everything on these sticks will be lost, and “{image}” takes its place. This can’t be undone.",
                    &[("image", image)],
                ),
            ),
        };
        imp.heading.set_label(&heading);
        imp.loss.set_label(&loss);
        imp.sticks.remove_all();
        for drive in drives {
            imp.sticks.append(
                &adw::ActionRow::builder()
                    .use_markup(false)
                    .title(stick_name(drive))
                    .subtitle(contents_text(drive))
                    .build(),
            );
        }
        imp.notes.remove_all();
        for note in notes {
            let row = adw::ActionRow::builder()
                .use_markup(false)
                .title(tr(&Wording::of_failure(note)))
                .build();
            row.add_prefix(
                &gtk::Image::builder()
                    .icon_name("dialog-information-symbolic")
                    .accessible_role(gtk::AccessibleRole::Presentation)
                    .build(),
            );
            imp.notes.append(&row);
        }
        // An empty list would be a stray line.
        imp.notes.set_visible(!notes.is_empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Kind;
    use crate::ui::testing::{says, stick, volume, widget};

    #[gtk::test]
    fn each_stick_is_named_with_what_is_lost() {
        let page = widget::<ErasePage>();
        let mut music = stick("a");
        music.volumes = vec![volume("MUSIC")];
        page.ask("debian.iso", &[music.clone()], &[]);
        assert!(says(&page, "Erase Intenso Rainbow Line?"));
        assert!(says(
            &page,
            "Everything on this stick will be lost, and “debian.iso” takes its place. This can’t be undone."
        ));
        assert!(says(&page, "2.0 GB · “MUSIC” · serial number …1234a"));
        assert!(!page.imp().notes.get_visible());

        let mut empty = stick("b");
        empty.model = "Ultra".into();
        let note = Failure::new(Kind::WillLock, "");
        page.ask("debian.iso", &[music, empty], &[note]);
        assert!(says(&page, "Erase 2 sticks?"));
        assert!(says(&page, "Intenso Ultra") && says(&page, "Intenso Rainbow Line"));
        assert!(says(
            &page,
            "2.0 GB · serial number …1234b · nothing known is on it"
        ));
        assert!(page.imp().notes.get_visible());
    }
}
