use std::path::PathBuf;

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gdk, gio, glib};

use super::Window;

impl Window {
    /// Adds files and folders, from wherever the person is; while a job works, for the next one.
    pub(in crate::ui) fn add_sources(&self, paths: impl IntoIterator<Item = PathBuf>) {
        if self.is_busy() {
            // The list belongs to the job under way, if it is one that has a list.
            if self.imp().job.borrow().is_some() {
                self.imp().next.borrow_mut().extend(paths);
            } else {
                self.imp().choose.add(paths);
            }
            self.toast(&gettext("It comes next, once this is done"));
            return;
        }
        if self.imp().job.borrow().is_some() {
            self.leave_job("choose");
        }
        self.go_to("choose");
        self.imp().choose.add(paths);
    }

    pub(super) fn accept_drops(&self) {
        let target = gtk::DropTarget::new(gdk::FileList::static_type(), gdk::DragAction::COPY);
        let window = self.downgrade();
        target.connect_drop(move |_, value, _, _| {
            let (Some(window), Ok(list)) = (window.upgrade(), value.get::<gdk::FileList>()) else {
                return false;
            };
            window.add_files(&list.files());
            true
        });
        self.add_controller(target);
    }

    /// Takes files from the clipboard.
    pub(super) fn paste(&self) {
        let window = self.clone();
        glib::spawn_future_local(async move {
            let files = gdk::FileList::static_type();
            let clipboard = window.clipboard();
            let pasted = clipboard.read_value_future(files, glib::Priority::DEFAULT);
            match pasted.await.map(|value| value.get::<gdk::FileList>()) {
                Ok(Ok(list)) => window.add_files(&list.files()),
                _ => window.toast(&gettext("There are no files on the clipboard")),
            }
        });
    }

    pub(super) fn choose_files(&self) {
        let dialog = gtk::FileDialog::builder()
            .title(gettext("Choose Files"))
            .accept_label(gettext("_Choose"))
            .build();
        let window = self.clone();
        glib::spawn_future_local(async move {
            let chosen = dialog.open_multiple_future(Some(&window)).await;
            window.add_chosen(chosen);
        });
    }

    pub(super) fn choose_folder(&self) {
        let dialog = gtk::FileDialog::builder()
            .title(gettext("Choose Folder"))
            .accept_label(gettext("_Choose"))
            .build();
        let window = self.clone();
        glib::spawn_future_local(async move {
            let chosen = dialog.select_multiple_folders_future(Some(&window)).await;
            window.add_chosen(chosen);
        });
    }

    fn add_chosen(&self, chosen: Result<gio::ListModel, glib::Error>) {
        match chosen {
            Ok(files) => {
                let files: Vec<_> = files.iter::<gio::File>().flatten().collect();
                self.add_files(&files);
            }
            Err(error) if error.matches(gtk::DialogError::Dismissed) => {}
            Err(error) => {
                tracing::warn!(%error, "the dialog for files failed");
                self.toast(&gettext("The file dialog could not be opened"));
            }
        }
    }

    pub(super) fn add_files(&self, files: &[gio::File]) {
        let paths: Vec<_> = files.iter().filter_map(FileExt::path).collect();
        if paths.len() < files.len() {
            self.toast(&gettext("Only files on this computer can be copied"));
        }
        self.add_sources(paths);
    }

    pub(super) fn toast(&self, text: &str) {
        let toast = adw::Toast::builder().title(text).use_markup(false).build();
        self.imp().toasts.add_toast(toast);
    }
}
