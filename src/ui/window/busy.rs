//! What a job under way asks of the window: keep the system awake, ask before closing, tell the end.

use adw::prelude::*;
use adw::subclass::prelude::*;
use gettextrs::gettext;
use gtk::{gio, glib};

use super::Window;
use crate::ui::action::Action;
use crate::ui::job::Subject;
use crate::ui::question::Question;
use crate::ui::settings::Switch;

impl Window {
    /// A suspended system would stop the job half-way.
    pub(super) fn inhibit_suspend(&self, inhibit: bool) {
        let Some(application) = self.application() else {
            return;
        };
        let inhibitor = &self.imp().inhibitor;
        match (inhibitor.take(), inhibit) {
            (Some(cookie), false) => application.uninhibit(cookie),
            (None, true) => {
                let flags =
                    gtk::ApplicationInhibitFlags::SUSPEND | gtk::ApplicationInhibitFlags::LOGOUT;
                let reason = gettext("Files are being written to a stick");
                inhibitor.set(Some(application.inhibit(Some(self), flags, Some(&reason))));
            }
            (unchanged, _) => inhibitor.set(unchanged),
        }
    }

    /// A job is stopped only by a person who knows of it.
    pub(super) fn ask_before_closing(&self) {
        if self.imp().format.busy() {
            self.toast(&gettext(
                "The stick is being formatted. That can’t be stopped, but takes only a moment.",
            ));
            return;
        }
        if self.imp().check.busy() {
            self.toast(&gettext("The stick is being checked. Stop that first."));
            return;
        }
        let window = self.clone();
        glib::spawn_future_local(async move {
            if window.imp().closing.get() {
                return;
            }
            let is_image = window.writes_image();
            let (heading, body, keep) = if is_image {
                (
                    gettext("Stop writing?"),
                    gettext("The image is not complete yet. What was written of it can’t be used."),
                    gettext("_Keep Writing"),
                )
            } else {
                (
                    gettext("Stop copying?"),
                    gettext(
                        "The stick is still being written. Files that are complete stay on it.",
                    ),
                    gettext("_Keep Copying"),
                )
            };
            let question = Question {
                heading,
                body,
                no: keep,
                yes: gettext("_Stop"),
                appearance: adw::ResponseAppearance::Destructive,
            };
            if !question.ask(&window).await {
                return;
            }
            // The job may have ended while the question was open: then its end is worth reading.
            if window.is_busy() {
                window.imp().closing.set(true);
                window.act(Action::Cancel);
            }
        });
    }

    fn writes_image(&self) -> bool {
        let job = self.imp().job.borrow();
        job.as_ref()
            .is_some_and(|job| *job.subject() != Subject::Files)
    }

    /// Tells the end to whoever does not look at the window.
    pub(super) fn tell_end(&self) {
        let title = self.imp().end.title();
        self.announce(&title, gtk::AccessibleAnnouncementPriority::Medium);
        let wanted = self.imp().settings.is_on(Switch::Notifications) && !self.is_active();
        if let Some(application) = self.application().filter(|_| wanted) {
            let notification = gio::Notification::new(&title);
            notification.set_body(Some(&plain_body(&self.imp().end.description())));
            application.send_notification(Some("end"), &notification);
        }
    }
}

/// Some desktops take a notification's text for markup, and there is no telling which: with a sign
/// that only looks like the one that begins it, a stick's or a file's name is a name everywhere.
fn plain_body(text: &str) -> String {
    text.replace('<', "‹")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_no_markup_in_a_notification() {
        let body = plain_body("“<img src='http://x'>.jpg” & 2 files");
        assert_eq!(body, "“‹img src='http://x'>.jpg” & 2 files");
    }
}
