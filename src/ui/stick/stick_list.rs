use std::cell::{Cell, RefCell};

use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::glib;

use super::rows::{Rows, show_none, show_rows};
use super::selection::Selection;
use super::standing::Standing;
use super::stick_row::StickRow;
use super::wording::may_be_looked_for;
use crate::drives::{self, Drive};

#[expect(unreachable_pub, reason = "the accessors come from the derive")]
mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate, glib::Properties)]
    #[template(file = "stick_list.ui")]
    #[properties(wrapper_type = super::StickList)]
    pub(in crate::ui) struct StickList {
        /// Whether there is anything to choose from.
        #[property(get)]
        pub(super) filled: Cell<bool>,
        /// Counts the changes of what is chosen.
        #[property(get)]
        pub(super) changes: Cell<u32>,
        pub(super) selection: RefCell<Selection>,
        pub(super) rows: Rows,
        /// Heads the radio group and is never shown, so that none of the others has to be active.
        pub(super) none: gtk::CheckButton,
        #[template_child]
        pub(super) stack: TemplateChild<gtk::Stack>,
        #[template_child]
        pub(super) status: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) list: TemplateChild<gtk::ListBox>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for StickList {
        const NAME: &'static str = "SteadyStickList";
        type Type = super::StickList;
        type ParentType = adw::Bin;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    #[glib::derived_properties]
    impl ObjectImpl for StickList {}
    impl WidgetImpl for StickList {}
    impl BinImpl for StickList {}
}

glib::wrapper! {
    /// The live list of sticks, of which one can be chosen.
    pub(in crate::ui) struct StickList(ObjectSubclass<imp::StickList>)
        @extends adw::Bin, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget;
}

impl StickList {
    /// Shows the list as it is now.
    pub(in crate::ui) fn show_drives(&self, drives: Result<&[Drive], &drives::Error>) {
        let imp = self.imp();
        show_none(&imp.status, &drives);
        let drives = drives.unwrap_or_default().iter();
        let drives: Vec<_> = drives
            .filter(|drive| may_be_looked_for(drive))
            .cloned()
            .collect();
        let is_usable = |drive: &Drive| Standing::of(drive, None).is_usable;
        imp.selection.borrow_mut().look(&drives, is_usable);
        self.show_rows(&drives);
        let filled = !drives.is_empty();
        imp.stack
            .set_visible_child_name(if filled { "sticks" } else { "none" });
        if imp.filled.replace(filled) != filled {
            self.notify_filled();
        }
        self.tell_change();
    }

    /// The chosen stick, as it is now.
    pub(in crate::ui) fn chosen(&self) -> Option<Drive> {
        self.imp().selection.borrow().chosen().cloned()
    }

    /// As if nobody had chosen yet.
    pub(in crate::ui) fn forget(&self) {
        let imp = self.imp();
        imp.selection.take();
        let rows = imp.rows.borrow().clone();
        let drives: Vec<_> = rows.iter().filter_map(StickRow::drive).collect();
        self.show_drives(Ok(&drives));
    }

    fn show_rows(&self, drives: &[Drive]) {
        let imp = self.imp();
        show_rows(
            &imp.list,
            &imp.rows,
            drives,
            || self.new_row(),
            |drive| imp.selection.borrow().holds(drive),
            |drive| Standing::of(drive, None),
        );
    }

    fn new_row(&self) -> StickRow {
        let list = self.downgrade();
        StickRow::new(Some(&self.imp().none), move |drive, is_wanted| {
            let Some(list) = list.upgrade().filter(|_| is_wanted) else {
                return;
            };
            list.imp().selection.borrow_mut().choose(drive);
            list.tell_change();
        })
    }

    fn tell_change(&self) {
        let changes = &self.imp().changes;
        changes.set(changes.get().wrapping_add(1));
        self.notify_changes();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drives::Refusal;
    use crate::ui::testing::{stick, widget};

    #[gtk::test]
    fn of_two_sticks_none_is_chosen_until_a_person_does() {
        let list = widget::<StickList>();
        assert!(!list.filled());
        list.show_drives(Ok(&[stick("a"), stick("b")]));
        assert!(list.filled() && list.chosen().is_none());
        let rows = list.imp().rows.borrow().clone();
        adw::prelude::ActionRowExt::activate(&rows[1]);
        assert_eq!(list.chosen().map(|drive| drive.id).as_deref(), Some("b"));
        list.show_drives(Ok(&[stick("0"), stick("b")]));
        assert_eq!(list.chosen().map(|drive| drive.id).as_deref(), Some("b"));
        list.forget();
        assert!(list.chosen().is_none());
    }

    #[gtk::test]
    fn what_is_refused_is_told_and_never_chosen() {
        let list = widget::<StickList>();
        let mut locked = stick("a");
        locked.refusal = Some(Refusal::WriteProtected);
        list.show_drives(Ok(&[locked]));
        assert!(list.filled() && list.chosen().is_none());
        let row = list.imp().rows.borrow()[0].clone();
        assert!(!row.get_sensitive());
        assert!(
            row.subtitle()
                .is_some_and(|text| text.contains("lock switch"))
        );
    }
}
