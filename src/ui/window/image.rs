use std::path::PathBuf;

use adw::subclass::prelude::*;
use gtk::prelude::*;
use gtk::{gio, glib};

use super::Window;
use crate::drives::Drive;
use crate::tasks::{
    self, Did, Failure, GivenChecksum, GivenMap, PreparedWrite, Wording, WriteRequest, shown,
};
use crate::ui::history::keep_receipt;
use crate::ui::job::{Job, Subject};
use crate::ui::stick::{ImageTargets, stick_names};
use crate::ui::text::tr;

/// An image that can be written once a person agrees to what is lost. Nothing was touched yet.
#[derive(Debug)]
pub(super) struct ImagePlan {
    prepared: PreparedWrite,
    path: PathBuf,
    drives: Vec<Drive>,
}

impl ImagePlan {
    /// The name of the image's file.
    fn image(&self) -> String {
        let name = self.path.file_name().unwrap_or_default();
        shown(&name.to_string_lossy())
    }
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
        let path = image.path.clone();
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
            at_end: imp.settings.at_end(),
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
                let plan = prepared.map(|prepared| ImagePlan {
                    prepared,
                    path,
                    drives,
                });
                window.ask_to_erase(plan);
            }
        });
    }

    fn ask_to_erase(&self, plan: Result<ImagePlan, Failure>) {
        let imp = self.imp();
        match plan {
            Ok(plan) => {
                imp.erase
                    .ask(&plan.image(), &plan.drives, plan.prepared.notes());
                imp.image_plan.replace(Some(plan));
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
        let subject = Subject::Image { name: plan.image() };
        let job = Job::of(subject, stick_names(&plan.drives), plan.prepared.checks());
        keep_receipt(&job, Did::Imaged, vec![plan.path]);
        job.follow_all(plan.prepared.start());
        self.show_job(&job);
    }
}
