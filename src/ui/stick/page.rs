mod image;
mod slow;
#[cfg(test)]
impl StickPage {
    /// As if a person had switched formatting on, and named the stick.
    pub(in crate::ui) fn format_first(&self) {
        self.imp().format.set_active(true);
        self.imp().label.set_text("MUSIC");
    }
}

#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};
use std::path::PathBuf;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use super::rows::{Rows, show_none, show_rows};
use super::selection::{Selection, is_same};
use super::standing::Standing;
use super::stick_row::StickRow;
use super::wording::{may_be_looked_for, part_text, stick_name};
use crate::drives::{self, Drive, FileSystem, FormatSpec, Volume, format_problem, label_problem};
use crate::tasks::{Failure, Known, OfferedImage, Slow, Wording};
use crate::ui::combo;
use crate::ui::settings::{Settings, Switch};
use crate::ui::text::{estimate, gettext_f, tr};

pub(in crate::ui) use image::ImageTargets;

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "page.ui")]
    #[properties(wrapper_type = super::StickPage)]
    pub(in crate::ui) struct StickPage {
        /// Whether there is a stick to go on with, and nothing against it.
        #[property(get)]
        pub(super) ready: Cell<bool>,
        /// Whether stick and files are being looked at.
        #[property(get, set = Self::set_busy)]
        pub(super) busy: Cell<bool>,
        pub(super) settings: Settings,
        pub(super) selection: RefCell<Selection>,
        pub(super) rows: Rows,
        /// Heads the radio group and is never shown, so that none of the others has to be active.
        pub(super) none: gtk::CheckButton,
        #[template_child]
        pub(super) banner: TemplateChild<adw::Banner>,
        #[template_child]
        pub(super) stack: TemplateChild<gtk::Stack>,
        #[template_child]
        pub(super) no_stick: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) list: TemplateChild<gtk::ListBox>,
        /// What the rows of `part` stand for: the nodes of the chosen stick's file systems.
        pub(super) parts: RefCell<Vec<PathBuf>>,
        /// The image that is to be written; none: files are copied.
        pub(super) image: RefCell<Option<OfferedImage>>,
        /// Bytes and files to copy, where that is known.
        pub(super) amount: Cell<Option<(u64, u64)>>,
        /// The stick that was looked up last, and what is remembered of it.
        pub(super) known: RefCell<Option<(Drive, Option<Known>)>>,
        #[template_child]
        pub(super) several: TemplateChild<gtk::Label>,
        /// The stick that was looked at last, and why it is slow.
        pub(super) slow: RefCell<Option<(Drive, String)>>,
        #[template_child]
        pub(super) slow_because: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) formatting: TemplateChild<gtk::ListBox>,
        #[template_child]
        pub(super) beside: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) part: TemplateChild<adw::ComboRow>,
        #[template_child]
        pub(super) format: TemplateChild<adw::SwitchRow>,
        #[template_child]
        pub(super) fat32_row: TemplateChild<adw::ActionRow>,
        #[template_child]
        pub(super) fat32: TemplateChild<gtk::CheckButton>,
        #[template_child]
        pub(super) exfat_row: TemplateChild<adw::ActionRow>,
        #[template_child]
        pub(super) exfat: TemplateChild<gtk::CheckButton>,
        #[template_child]
        pub(super) label: TemplateChild<adw::EntryRow>,
        #[template_child]
        pub(super) message: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) check: TemplateChild<adw::SwitchRow>,
        #[template_child]
        pub(super) estimate: TemplateChild<gtk::Label>,
        #[template_child]
        pub(super) go: TemplateChild<gtk::Button>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for StickPage {
        const NAME: &'static str = "SteadyStickPage";
        type Type = super::StickPage;
        type ParentType = adw::NavigationPage;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
            class.bind_template_callbacks();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    #[glib::derived_properties]
    impl ObjectImpl for StickPage {
        fn constructed(&self) {
            self.parent_constructed();
            let page = self.obj();
            let weak = page.downgrade();
            self.settings
                .connect_changed(Switch::Check, move |settings| {
                    if let Some(page) = weak.upgrade() {
                        page.imp().check.set_active(settings.is_on(Switch::Check));
                    }
                });
            page.propose();
            page.update_view();
        }
    }
    impl WidgetImpl for StickPage {}
    impl NavigationPageImpl for StickPage {}

    #[gtk::template_callbacks]
    impl StickPage {
        #[template_callback]
        fn on_options_changed(&self) {
            self.obj().update_view();
        }
    }

    impl StickPage {
        fn set_busy(&self, busy: bool) {
            self.busy.set(busy);
            self.obj().update_view();
        }
    }
}

glib::wrapper! {
    /// The second page: the live list of sticks, and what is done to the chosen one.
    pub(in crate::ui) struct StickPage(ObjectSubclass<imp::StickPage>)
        @extends adw::NavigationPage, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

/// What a person chose on this page.
#[derive(Debug, Clone)]
pub(in crate::ui) struct StickChoice {
    /// The stick.
    pub(in crate::ui) drive: Drive,
    /// The node of the part that is meant, where it has several.
    pub(in crate::ui) volume: Option<PathBuf>,
    /// How it shall be formatted first, if at all.
    pub(in crate::ui) format: Option<FormatSpec>,
    /// Whether what is written shall be read back and compared.
    pub(in crate::ui) check: bool,
}

impl StickPage {
    /// Shows the list as it is now.
    pub(in crate::ui) fn show_drives(&self, drives: Result<Vec<Drive>, drives::Error>) {
        let imp = self.imp();
        show_none(&imp.no_stick, &drives.as_ref());
        let mut drives = drives.unwrap_or_default();
        drives.retain(may_be_looked_for);
        let lost = self.look(&drives);
        self.show_rows(&drives);
        if let Some(lost) = lost.first() {
            let stick = stick_name(lost);
            let stick = [("stick", stick.as_str())];
            // A card reader stays when its card is pulled.
            let stays = drives.iter().any(|drive| drive.object == lost.object);
            self.say(&if stays {
                gettext_f("{stick} can’t be used any more.", &stick)
            } else {
                gettext_f("{stick} was unplugged.", &stick)
            });
        }
        self.update_view();
    }

    /// What was chosen, once a stick was.
    pub(in crate::ui) fn choice(&self) -> Option<StickChoice> {
        let imp = self.imp();
        let drive = imp.selection.borrow().chosen().cloned()?;
        Some(StickChoice {
            drive,
            volume: self.volume(),
            format: self.format_spec(),
            check: imp.check.is_active(),
        })
    }

    /// Bytes and files that will be copied, where that is known.
    pub(in crate::ui) fn set_amount(&self, amount: Option<(u64, u64)>) {
        self.imp().amount.set(amount);
        // Another copy may have ended since the stick was looked up.
        self.imp().known.take();
        self.update_view();
    }

    /// Shows a sentence above the list until something else is chosen.
    pub(in crate::ui) fn say(&self, sentence: &str) {
        self.imp().banner.set_title(sentence);
        self.imp().banner.set_revealed(true);
    }

    /// As for a new job: nothing said, formatting off. With `forget` the stick is chosen anew too.
    pub(in crate::ui) fn reset(&self, forget: bool) {
        let imp = self.imp();
        imp.banner.set_revealed(false);
        if forget {
            imp.format.set_active(false);
            imp.label.set_text("");
            self.propose();
            imp.selection.take();
            self.show_drives(Ok(self.drives()));
        }
    }

    /// The sticks on the list.
    fn drives(&self) -> Vec<Drive> {
        let rows = self.imp().rows.borrow();
        rows.iter().filter_map(StickRow::drive).collect()
    }

    /// Takes the list into the selection; gives what was chosen and is lost.
    fn look(&self, drives: &[Drive]) -> Vec<Drive> {
        let imp = self.imp();
        let image = imp.image.borrow();
        let is_usable = |drive: &Drive| Standing::of(drive, image.as_ref()).is_usable;
        imp.selection.borrow_mut().look(drives, is_usable)
    }

    /// What is decided once and for all, and the format that was chosen last. Never a name: it
    /// belongs to one stick.
    fn propose(&self) {
        let imp = self.imp();
        imp.check.set_active(imp.settings.is_on(Switch::Check));
        match imp.settings.file_system() {
            FileSystem::Fat32 => imp.fat32.set_active(true),
            FileSystem::ExFat => imp.exfat.set_active(true),
        }
    }

    fn show_rows(&self, drives: &[Drive]) {
        let imp = self.imp();
        let image = imp.image.borrow();
        show_rows(
            &imp.list,
            &imp.rows,
            drives,
            || self.new_row(),
            |drive| imp.selection.borrow().holds(drive),
            |drive| Standing::of(drive, image.as_ref()),
        );
    }

    fn new_row(&self) -> StickRow {
        let page = self.downgrade();
        // One of several for files, any number for an image.
        let is_one = self.imp().image.borrow().is_none();
        let group = is_one.then_some(&self.imp().none);
        StickRow::new(group, move |drive, is_wanted| {
            let Some(page) = page.upgrade() else { return };
            if !is_one {
                page.imp().selection.borrow_mut().tick(drive, is_wanted);
            } else if is_wanted {
                page.imp().selection.borrow_mut().choose(drive);
            } else {
                return;
            }
            page.imp().banner.set_revealed(false);
            page.update_view();
        })
    }

    fn format_spec(&self) -> Option<FormatSpec> {
        let imp = self.imp();
        let formats = imp.format.is_active() && imp.image.borrow().is_none();
        formats.then(|| FormatSpec {
            file_system: if imp.exfat.is_active() {
                FileSystem::ExFat
            } else {
                FileSystem::Fat32
            },
            label: imp.label.text().into(),
        })
    }

    /// The part of the stick that is meant, where it has several.
    fn volume(&self) -> Option<PathBuf> {
        let imp = self.imp();
        let parts = imp.parts.borrow();
        let chosen = (imp.part.selected() as usize).checked_sub(1)?;
        parts.get(chosen).cloned()
    }

    /// Offers the parts of the chosen stick where there are several. Which one is meant is for the
    /// person to say.
    fn show_parts(&self) {
        let imp = self.imp();
        let parts = imp.selection.borrow().chosen().map_or_else(Vec::new, parts);
        let nodes: Vec<_> = parts.iter().map(|part| part.device.clone()).collect();
        if *imp.parts.borrow() == nodes {
            return;
        }
        imp.parts.replace(nodes);
        let undecided = std::iter::once(gettext("Not decided yet"));
        let names: gtk::StringList = undecided.chain(parts.iter().map(part_text)).collect();
        combo::offer(&imp.part, &names);
    }

    /// Says how long it will take, where the stick is known.
    fn show_estimate(&self) {
        let imp = self.imp();
        let chosen = imp.selection.borrow().chosen().cloned();
        let looked_up = imp.known.borrow().as_ref().map(|(drive, _)| drive.clone());
        if let Some(drive) = &chosen
            && looked_up.is_none_or(|looked_up| !is_same(&looked_up, drive))
        {
            imp.known.replace(Some((drive.clone(), None)));
            self.look_up(drive.clone());
        }
        let text = chosen.and(imp.amount.get()).and_then(|(bytes, files)| {
            let known = imp.known.borrow();
            let (_, known) = known.as_ref()?;
            let seconds = known
                .as_ref()?
                .seconds(bytes, files, imp.check.is_active())?;
            Some(estimate(seconds))
        });
        imp.estimate.set_visible(text.is_some());
        imp.estimate.set_label(&text.unwrap_or_default());
    }

    fn look_up(&self, drive: Drive) {
        let page = self.downgrade();
        glib::spawn_future_local(async move {
            let looked_up = gio::spawn_blocking(move || {
                let known = Known::of(&drive);
                let slow = Slow::reasons(&drive, known.as_ref());
                (known, slow, drive)
            });
            let (known, slow, drive) = looked_up.await.expect("looking up should not panic");
            let Some(page) = page.upgrade() else { return };
            page.take_slow(&drive, &slow);
            if let Some(known) = known {
                page.take_known(drive, known);
            }
        });
    }

    fn take_known(&self, drive: Drive, known: Known) {
        self.imp().known.replace(Some((drive, Some(known))));
        self.update_view();
    }

    /// What is against formatting as asked.
    fn objection(&self) -> Option<String> {
        let spec = self.format_spec()?;
        let problem = match self.imp().selection.borrow().chosen() {
            Some(drive) => format_problem(drive.size, &spec),
            None => label_problem(spec.file_system, &spec.label).map(drives::FormatProblem::Label),
        };
        problem.map(|problem| tr(&Wording::of_failure(&Failure::new(problem.into(), ""))))
    }

    fn update_view(&self) {
        let imp = self.imp();
        let is_empty = imp.rows.borrow().is_empty();
        let busy = imp.busy.get();
        imp.stack
            .set_visible_child_name(if is_empty { "none" } else { "sticks" });
        imp.list.set_sensitive(!busy);
        imp.format.set_sensitive(!busy);
        imp.check.set_sensitive(!busy);
        imp.label.set_sensitive(!busy);
        self.show_parts();
        let is_image = self.show_image();
        let formats = imp.format.is_active();
        imp.part.set_sensitive(!busy);
        imp.part
            .set_visible(!formats && !imp.parts.borrow().is_empty());
        for row in [&*imp.fat32_row, &*imp.exfat_row] {
            row.set_sensitive(!busy);
            row.set_visible(formats);
        }
        imp.label.set_visible(formats);

        self.show_estimate();
        self.show_slow();
        let objection = self.objection();
        imp.message.set_visible(objection.is_some());
        if let Some(objection) = &objection {
            imp.message.set_label(objection);
            imp.label.add_css_class("error");
        } else {
            imp.label.remove_css_class("error");
        }

        imp.go.set_label(&if busy {
            gettext("Looking…")
        } else if formats || is_image {
            gettext("Continue")
        } else {
            gettext("Copy")
        });
        let is_part_known = formats || imp.parts.borrow().is_empty() || self.volume().is_some();
        let is_chosen = if is_image {
            !imp.selection.borrow().all().is_empty()
        } else {
            imp.selection.borrow().chosen().is_some() && is_part_known
        };
        let ready = is_chosen && objection.is_none() && !busy;
        if imp.ready.replace(ready) != ready {
            self.notify_ready();
        }
    }
}

/// The usable file systems of a stick that has several.
fn parts(drive: &Drive) -> Vec<Volume> {
    let usable = drive
        .volumes
        .iter()
        .filter(|volume| volume.can_mount != Some(false));
    let usable: Vec<_> = usable.cloned().collect();
    if usable.len() > 1 { usable } else { Vec::new() }
}
