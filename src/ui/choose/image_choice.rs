use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use crate::tasks::{Entry, Failure, Offer, OfferedImage, Wording, offer_image};
use crate::ui::combo;
use crate::ui::text::{gettext_f, size, tr};

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "image_choice.ui")]
    #[properties(wrapper_type = super::ImageChoice)]
    pub(in crate::ui) struct ImageChoice {
        /// Whether the file is being looked at.
        #[property(get)]
        pub(super) looking: Cell<bool>,
        /// Whether nothing has to be chosen any more.
        #[property(get)]
        pub(super) decided: Cell<bool>,
        /// The file that it is about, if it is about one.
        pub(super) path: RefCell<Option<PathBuf>>,
        /// The image, once it is known which.
        pub(super) image: RefCell<Option<OfferedImage>>,
        /// What an archive offers.
        pub(super) entries: RefCell<Vec<Entry>>,
        #[template_child]
        pub(super) description: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) list: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) write_row: TemplateChild<adw::ActionRow>,
        #[template_child]
        pub(super) write: TemplateChild<gtk::CheckButton>,
        #[template_child]
        pub(super) entry: TemplateChild<adw::ComboRow>,
        #[template_child]
        pub(super) copy_row: TemplateChild<adw::ActionRow>,
        #[template_child]
        pub(super) copy: TemplateChild<gtk::CheckButton>,
        #[template_child]
        pub(super) notes: TemplateChild<gtk::Box>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for ImageChoice {
        const NAME: &'static str = "SteadyImageChoice";
        type Type = super::ImageChoice;
        type ParentType = gtk::Box;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
            class.bind_template_callbacks();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    #[glib::derived_properties]
    impl ObjectImpl for ImageChoice {
        fn constructed(&self) {
            self.parent_constructed();
            self.obj().show_offer(Offer::File);
        }
    }
    impl WidgetImpl for ImageChoice {}
    impl BoxImpl for ImageChoice {}

    #[gtk::template_callbacks]
    impl ImageChoice {
        #[template_callback]
        fn on_changed(&self) {
            self.obj().update_view();
        }

        #[template_callback]
        fn on_entry_chosen(&self) {
            self.obj().look_at_entry();
        }
    }
}

glib::wrapper! {
    /// What to do with the one chosen file, where it is a disk image or like one: write it, or copy
    /// it. Hidden for any other file.
    pub(in crate::ui) struct ImageChoice(ObjectSubclass<imp::ImageChoice>)
        @extends gtk::Box, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::Orientable;
}

impl ImageChoice {
    /// Looks at the one file that is chosen, on a worker thread; `None`: there is not only one.
    pub(super) fn look_at(&self, path: Option<PathBuf>) {
        let imp = self.imp();
        if *imp.path.borrow() == path {
            return;
        }
        imp.path.replace(path.clone());
        imp.entries.take();
        self.show_offer(Offer::File);
        if let Some(path) = path {
            self.look(path, None);
        }
    }

    /// The image, if it is to be written and it is known which one.
    pub(super) fn image(&self) -> Option<OfferedImage> {
        let image = self.imp().image.borrow();
        image.clone().filter(|_| self.writes())
    }

    /// Shows what can be done with the file.
    pub(super) fn show_offer(&self, offer: Offer) {
        let imp = self.imp();
        imp.image.take();
        let proposed = match &offer {
            Offer::Image(image) => image.is_bootable(),
            Offer::Choice(_) => true,
            Offer::File | Offer::Refused(_) => false,
        };
        let notes: &[Failure] = match &offer {
            Offer::Image(image) => &image.notes,
            Offer::Refused(failure) => std::slice::from_ref(failure),
            Offer::File | Offer::Choice(_) => &[],
        };
        while let Some(note) = imp.notes.first_child() {
            imp.notes.remove(&note);
        }
        for note in notes {
            imp.notes
                .append(&note_label(&tr(&Wording::of_failure(note))));
        }
        imp.notes.set_visible(!notes.is_empty());
        // One of an archive's images may be damaged, and the others not.
        let can_write =
            matches!(offer, Offer::Image(_) | Offer::Choice(_)) || !imp.entries.borrow().is_empty();
        imp.list.set_visible(can_write);
        let write = if proposed {
            gettext("Write as bootable image")
        } else {
            gettext("Write as image")
        };
        imp.write_row.set_title(&write);
        imp.write
            .update_property(&[gtk::accessible::Property::Label(&write)]);
        self.set_visible(offer != Offer::File);
        if let Offer::Refused(failure) = &offer {
            let sentence = tr(&Wording::of_failure(failure));
            self.announce(&sentence, gtk::AccessibleAnnouncementPriority::Medium);
        }
        match offer {
            Offer::Image(image) => {
                self.describe(&words(&image));
                // Of an archive's images a person has chosen this one to be written.
                if imp.entries.borrow().is_empty() {
                    self.choose(proposed);
                }
                imp.image.replace(Some(*image));
            }
            Offer::Choice(entries) => {
                self.describe(&gettext("There are several disk images in it"));
                self.choose(true);
                self.offer_entries(entries);
            }
            Offer::Refused(_) => {
                self.describe("");
                imp.notes
                    .append(&note_label(&gettext("It can be copied as a file.")));
            }
            Offer::File => {}
        }
        self.update_view();
    }

    fn choose(&self, writes: bool) {
        self.imp().write.set_active(writes);
        self.imp().copy.set_active(!writes);
    }

    fn writes(&self) -> bool {
        let imp = self.imp();
        imp.list.get_visible() && imp.write.is_active()
    }

    fn describe(&self, text: &str) {
        self.imp().description.set_visible(!text.is_empty());
        self.imp().description.set_label(text);
    }

    fn offer_entries(&self, entries: Vec<Entry>) {
        let imp = self.imp();
        let undecided = std::iter::once(gettext("Not decided yet"));
        let names: gtk::StringList = undecided.chain(entries.iter().map(entry_text)).collect();
        imp.entries.replace(entries);
        combo::offer(&imp.entry, &names);
    }

    /// An archive's image was chosen, or none of them.
    fn look_at_entry(&self) {
        let imp = self.imp();
        let chosen = (imp.entry.selected() as usize).checked_sub(1);
        let name = chosen.and_then(|at| imp.entries.borrow().get(at).map(|it| it.name.clone()));
        imp.image.take();
        match (imp.path.borrow().clone(), name) {
            (Some(path), Some(name)) => self.look(path, Some(name)),
            _ => self.update_view(),
        }
    }

    fn look(&self, path: PathBuf, entry: Option<String>) {
        self.set_looking(true);
        let choice = self.downgrade();
        glib::spawn_future_local(async move {
            let looked = gio::spawn_blocking(move || {
                let offer = offer_image(&path, entry.as_deref());
                (path, entry, offer)
            });
            let (path, entry, offer) = looked.await.expect("looking should not panic");
            let Some(choice) = choice.upgrade() else {
                return;
            };
            if choice.is_about(&path, entry.as_deref()) {
                choice.set_looking(false);
                choice.show_offer(offer);
            }
        });
    }

    /// Whether nothing else was chosen meanwhile.
    fn is_about(&self, path: &Path, entry: Option<&str>) -> bool {
        let imp = self.imp();
        let chosen = (imp.entry.selected() as usize).checked_sub(1);
        let entries = imp.entries.borrow();
        let chosen = chosen.and_then(|at| entries.get(at));
        imp.path.borrow().as_deref() == Some(path)
            && chosen.map(|entry| entry.name.as_str()) == entry
    }

    fn set_looking(&self, looking: bool) {
        if self.imp().looking.replace(looking) != looking {
            self.notify_looking();
        }
    }

    fn update_view(&self) {
        let imp = self.imp();
        if imp.path.borrow().is_none() {
            self.set_looking(false);
        }
        imp.entry
            .set_visible(!imp.entries.borrow().is_empty() && self.writes());
        let decided = !self.writes() || imp.image.borrow().is_some();
        if imp.decided.replace(decided) != decided {
            self.notify_decided();
        }
    }
}

/// “Disk image · 4.0 GB, packed as xz in 1.2 GB”.
fn words(image: &OfferedImage) -> String {
    let words = Wording::of_image(&image.file);
    let words: Vec<_> = words.iter().map(tr).collect();
    words.join(" · ")
}

fn entry_text(entry: &Entry) -> String {
    // Translators: a file in an archive and its size, as in “disk.img (4.0 GB)”
    gettext_f(
        "{name} ({size})",
        &[("name", &entry.name), ("size", &size(entry.size))],
    )
}

fn note_label(text: &str) -> gtk::Label {
    gtk::Label::builder()
        .label(text)
        .wrap(true)
        .wrap_mode(gtk::pango::WrapMode::WordChar)
        .xalign(0.0)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::Kind;
    use crate::ui::testing::{image, says, wait_until, widget};

    fn offered(name: &str, bytes: u64) -> Offer {
        Offer::Image(Box::new(image(name, bytes)))
    }

    #[gtk::test]
    fn a_bootable_image_is_proposed_to_be_written_and_can_be_copied() {
        let choice = widget::<ImageChoice>();
        assert!(!choice.get_visible() && choice.decided());
        choice.show_offer(offered("debian.img", 1 << 20));
        assert!(choice.get_visible());
        assert!(says(&choice, "Disk image · 1.0 MB"));
        assert!(says(&choice, "Write as bootable image"));
        assert!(choice.image().is_some() && choice.decided());
        choice.imp().copy.set_active(true);
        assert!(choice.image().is_none() && choice.decided());
    }

    #[gtk::test]
    fn what_will_not_boot_is_told_and_not_proposed() {
        let choice = widget::<ImageChoice>();
        let mut disc = image("windows.iso", 1 << 20);
        disc.file.layout.table = None;
        disc.notes = vec![Failure {
            path: Some("windows.iso".into()),
            ..Failure::new(Kind::WindowsInstaller, "")
        }];
        choice.show_offer(Offer::Image(Box::new(disc)));
        assert!(says(&choice, "Write as image"));
        assert!(says(
            &choice,
            "“windows.iso” installs Windows. A computer will probably not start from a stick written like this. Open the image and copy its files to a stick formatted as FAT32 instead."
        ));
        assert!(choice.image().is_none());
        choice.imp().write.set_active(true);
        assert!(choice.image().is_some(), "it is for the person to say");
    }

    #[gtk::test]
    fn what_cannot_be_written_says_why_and_can_be_copied() {
        let choice = widget::<ImageChoice>();
        choice.show_offer(offered("debian.img", 1 << 20));
        let failure = Failure {
            path: Some("empty.img".into()),
            ..Failure::new(Kind::ImageEmpty, "")
        };
        choice.show_offer(Offer::Refused(failure));
        assert!(says(&choice, "“empty.img” is empty."));
        assert!(says(&choice, "It can be copied as a file."));
        assert!(!choice.imp().list.get_visible() && choice.decided());
        assert!(choice.image().is_none());
        choice.show_offer(Offer::File);
        assert!(!choice.get_visible());
    }

    #[gtk::test]
    fn of_an_archives_images_one_has_to_be_chosen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("two.zip");
        let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        for name in ["a.img", "b.img"] {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(name, options).unwrap();
            std::io::Write::write_all(&mut archive, &[7; 4096]).unwrap();
        }
        archive.finish().unwrap();

        let choice = widget::<ImageChoice>();
        choice.look_at(Some(path.clone()));
        assert!(choice.looking());
        wait_until(|| !choice.looking());
        assert!(says(&choice, "There are several disk images in it"));
        assert!(!choice.decided(), "which one?");
        choice.imp().copy.set_active(true);
        assert!(choice.decided(), "as a file it needs no choice");
        choice.imp().write.set_active(true);
        choice.imp().entry.set_selected(2);
        wait_until(|| choice.decided());
        let chosen = choice.image().and_then(|image| image.file.entry);
        assert_eq!(chosen.map(|entry| entry.name).as_deref(), Some("b.img"));
        assert!(choice.imp().entry.get_visible(), "another can be chosen");

        // Another file takes its place while it is looked at.
        choice.look_at(Some(folder.path().join("none.img")));
        choice.look_at(None);
        assert!(!choice.get_visible() && choice.decided() && !choice.looking());
    }
}
