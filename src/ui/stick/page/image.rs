//! The page while an image is to be written: any number of sticks, and no formatting.

use gtk::prelude::*;
use gtk::subclass::prelude::*;

use super::StickPage;
use crate::drives::Drive;
use crate::tasks::{OfferedImage, Wording};
use crate::ui::text::tr;

/// What a person chose on this page for an image.
#[derive(Debug, Clone)]
pub(in crate::ui) struct ImageTargets {
    /// What is written.
    pub(in crate::ui) image: OfferedImage,
    /// The sticks, at least one.
    pub(in crate::ui) drives: Vec<Drive>,
    /// Whether what is written shall be read back and compared.
    pub(in crate::ui) check: bool,
}

impl StickPage {
    /// From now on sticks are chosen for this image, or for files.
    pub(in crate::ui) fn set_image(&self, image: Option<OfferedImage>) {
        let imp = self.imp();
        let before = imp.image.replace(image);
        if *imp.image.borrow() == before {
            return;
        }
        let drives = self.drives();
        if imp.image.borrow().is_none() {
            imp.selection.borrow_mut().keep_one();
        }
        // What was chosen and has no room for the image says so in its row.
        self.look(&drives);
        // Rows for one stick have other buttons than rows for several.
        imp.list.remove_all();
        imp.rows.take();
        self.show_rows(&drives);
        self.update_view();
    }

    /// What was chosen, if that is an image and a stick for it.
    pub(in crate::ui) fn image_targets(&self) -> Option<ImageTargets> {
        let imp = self.imp();
        let image = imp.image.borrow().clone()?;
        let drives = imp.selection.borrow().all().to_vec();
        (!drives.is_empty()).then(|| ImageTargets {
            image,
            drives,
            check: imp.check.is_active(),
        })
    }

    /// Shows what holds for an image only; says whether there is one.
    pub(super) fn show_image(&self) -> bool {
        let imp = self.imp();
        let image = imp.image.borrow();
        let found = image.as_ref().map_or_else(Vec::new, Wording::of_beside);
        let found: Vec<_> = found.iter().map(tr).collect();
        imp.beside.set_label(&found.join("\n"));
        imp.beside.set_visible(!found.is_empty());
        imp.several.set_visible(image.is_some());
        imp.formatting.set_visible(image.is_none());
        image.is_some()
    }
}
