use adw::subclass::prelude::*;
use gtk::prelude::*;
use gtk::{gio, glib};

use super::Window;
use crate::drives::Drive;
use crate::tasks::{
    self, AtEnd, Failure, GivenChecksum, GivenMap, PreparedWrite, Wording, WriteRequest,
};
use crate::ui::job::{CopyJob, Subject};
use crate::ui::stick::{ImageTargets, stick_names};
use crate::ui::text::tr;

/// An image that can be written once a person agrees to what is lost. Nothing was touched yet.
#[derive(Debug)]
pub(super) struct ImagePlan {
    prepared: PreparedWrite,
    image: String,
    drives: Vec<Drive>,
}

impl Window {
    /// Looks at the image and the sticks again, then asks what may be erased.
    pub(super) fn prepare_image(&self, targets: ImageTargets) {
        let imp = self.imp();
        let ImageTargets {
            image,
            drives,
            check,
        } = targets;
        let name = image.path.file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        let request = WriteRequest {
            entry: image.file.entry.map(|entry| entry.name),
            image: image.path,
            sticks: drives.clone(),
            check,
            checksum: image
                .checksum
                .map_or(GivenChecksum::None, GivenChecksum::List),
            map: GivenMap::Beside,
            // It is among the notes, and who agrees to erasing agrees to this.
            lock: true,
            at_end: AtEnd::PowerOff,
        };
        imp.stick.reset(false);
        imp.stick.set_busy(true);
        let window = self.downgrade();
        let attempt = imp.attempt.get();
        glib::spawn_future_local(async move {
            let prepared = gio::spawn_blocking(move || tasks::prepare_write(&request));
            let prepared = prepared.await.expect("preparing should not panic");
            let Some(window) = window.upgrade() else {
                return;
            };
            if window.imp().attempt.get() == attempt {
                window.imp().stick.set_busy(false);
                window.ask_to_erase(prepared, name, drives);
            }
        });
    }

    fn ask_to_erase(
        &self,
        prepared: Result<PreparedWrite, Failure>,
        image: String,
        drives: Vec<Drive>,
    ) {
        let imp = self.imp();
        match prepared {
            Ok(prepared) => {
                imp.erase.ask(&image, &drives, prepared.notes());
                imp.image_plan.replace(Some(ImagePlan {
                    prepared,
                    image,
                    drives,
                }));
                self.go_to("erase");
            }
            Err(failure) => {
                tracing::info!(?failure, "refused before the first byte");
                imp.stick.say(&tr(&Wording::of_failure(&failure)));
            }
        }
    }

    /// Starts what the person has agreed to.
    pub(super) fn erase_and_write(&self) {
        let Some(plan) = self.imp().image_plan.take() else {
            return;
        };
        let subject = Subject::Image { name: plan.image };
        let job = CopyJob::of(subject, stick_names(&plan.drives), plan.prepared.checks());
        job.follow_all(plan.prepared.start());
        self.show_job(&job);
    }
}
