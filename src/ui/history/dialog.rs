use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use super::wording;
use crate::tasks::{History, Receipt};
use crate::ui::question::Question;
use crate::ui::settings::{Settings, Switch};

mod imp {
    use super::*;

    #[derive(Debug, Default, gtk::CompositeTemplate)]
    #[template(file = "dialog.ui")]
    pub(in crate::ui) struct HistoryDialog {
        #[template_child]
        pub(super) clear: TemplateChild<gtk::Button>,
        #[template_child]
        pub(super) stack: TemplateChild<gtk::Stack>,
        #[template_child]
        pub(super) empty: TemplateChild<adw::StatusPage>,
        #[template_child]
        pub(super) list: TemplateChild<gtk::ListBox>,
    }

    #[glib::object_subclass]
    impl ObjectSubclass for HistoryDialog {
        const NAME: &'static str = "SteadyHistoryDialog";
        type Type = super::HistoryDialog;
        type ParentType = adw::Dialog;

        fn class_init(class: &mut Self::Class) {
            class.bind_template();
            class.bind_template_callbacks();
        }

        fn instance_init(object: &glib::subclass::InitializingObject<Self>) {
            object.init_template();
        }
    }

    impl ObjectImpl for HistoryDialog {
        fn constructed(&self) {
            self.parent_constructed();
            self.obj().show_receipts(&[]);
        }
    }
    impl WidgetImpl for HistoryDialog {}
    impl AdwDialogImpl for HistoryDialog {}

    #[gtk::template_callbacks]
    impl HistoryDialog {
        #[template_callback]
        fn on_clear(&self) {
            let dialog = self.obj().clone();
            glib::spawn_future_local(async move {
                if dialog.may_clear().await {
                    dialog.clear().await;
                }
            });
        }
    }
}

glib::wrapper! {
    /// What was done before, the newest first.
    pub(in crate::ui) struct HistoryDialog(ObjectSubclass<imp::HistoryDialog>)
        @extends adw::Dialog, gtk::Widget,
        @implements gtk::Accessible, gtk::Buildable, gtk::ConstraintTarget, gtk::ShortcutManager;
}

impl HistoryDialog {
    /// Reads the receipts and shows them.
    pub(in crate::ui) fn new() -> Self {
        let dialog: Self = glib::Object::new();
        let weak = dialog.downgrade();
        glib::spawn_future_local(async move {
            let receipts = gio::spawn_blocking(|| {
                History::default_place().map_or(Ok(Vec::new()), |history| history.receipts())
            });
            let receipts = receipts.await.expect("reading should not panic");
            let Some(dialog) = weak.upgrade() else { return };
            match receipts {
                Ok(receipts) => dialog.show_receipts(&receipts),
                Err(error) => {
                    tracing::warn!(%error, "the history cannot be read");
                    let imp = dialog.imp();
                    imp.empty.set_title(&gettext("The history can’t be read"));
                    imp.empty.set_description(None);
                }
            }
        });
        dialog
    }

    /// Shows these.
    pub(in crate::ui) fn show_receipts(&self, receipts: &[Receipt]) {
        let imp = self.imp();
        imp.list.remove_all();
        for receipt in receipts {
            imp.list.append(&row(receipt));
        }
        let is_empty = receipts.is_empty();
        imp.clear.set_visible(!is_empty);
        imp.stack
            .set_visible_child_name(if is_empty { "empty" } else { "receipts" });
        let is_kept = Settings::default().is_on(Switch::History);
        imp.empty.set_description(Some(&if is_kept {
            gettext("Each job leaves a receipt here: what was written, when, and to which stick.")
        } else {
            gettext("No history is kept. That can be changed in the preferences.")
        }));
    }

    async fn may_clear(&self) -> bool {
        let question = Question {
            heading: gettext("Clear the history?"),
            body: gettext("The receipts are deleted. Nothing on any stick changes."),
            no: gettext("_Cancel"),
            yes: gettext("_Clear"),
            appearance: adw::ResponseAppearance::Destructive,
        };
        question.ask(self).await
    }

    async fn clear(&self) {
        let cleared = gio::spawn_blocking(|| {
            History::default_place().map_or(Ok(()), |history| history.clear())
        });
        match cleared.await.expect("clearing should not panic") {
            Ok(()) => self.show_receipts(&[]),
            Err(error) => tracing::warn!(%error, "the history was not cleared"),
        }
    }
}

fn row(receipt: &Receipt) -> adw::ActionRow {
    let row = adw::ActionRow::builder().use_markup(false).build();
    // Not before it is known that this is no markup.
    row.set_title(&wording::title(receipt));
    row.set_subtitle(&wording::details(receipt));
    let icon = gtk::Image::builder()
        .icon_name(wording::icon(receipt.ended))
        .accessible_role(gtk::AccessibleRole::Presentation)
        .build();
    row.add_prefix(&icon);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{Did, Ended};
    use crate::ui::testing::widget;

    #[gtk::test]
    fn receipts_are_listed_and_an_empty_history_says_why() {
        let settings = Settings::default();
        settings.reset();
        let dialog = widget::<HistoryDialog>();
        let imp = dialog.imp();
        let shown = || imp.stack.visible_child_name();
        assert_eq!(shown().as_deref(), Some("empty"));
        assert!(!imp.clear.get_visible());
        settings.set(Switch::History, false);
        dialog.show_receipts(&[]);
        let why = imp.empty.description().expect("why");
        assert!(why.contains("No history is kept"));
        settings.reset();

        dialog.show_receipts(&[Receipt {
            ended_at: 1_795_000_000,
            did: Did::Formatted,
            stick: "Intenso <Rainbow> & Line".into(),
            what: String::new(),
            files: 0,
            bytes: 0,
            bytes_per_second: 0.0,
            checked: false,
            ended: Ended::Done,
        }]);
        assert_eq!(shown().as_deref(), Some("receipts"));
        let row = imp.list.row_at_index(0).and_downcast::<adw::ActionRow>();
        let told = row.and_then(|row| row.subtitle()).expect("a row");
        assert!(told.contains("Intenso <Rainbow> & Line"));
    }
}
