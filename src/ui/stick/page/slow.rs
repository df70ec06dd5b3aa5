//! Why the chosen stick is slow, in a person's words.

use gettextrs::gettext;
use gtk::prelude::*;
use gtk::subclass::prelude::*;

use super::StickPage;
use crate::drives::Drive;
use crate::tasks::{Slow, Wording};
use crate::ui::stick::selection::is_same;
use crate::ui::text::tr;

impl StickPage {
    /// What was found out about a stick.
    pub(super) fn take_slow(&self, drive: &Drive, reasons: &[Slow]) {
        let reasons = reasons.iter().map(|reason| tr(&Wording::of_slow(*reason)));
        let reasons: Vec<_> = reasons.collect();
        let text = if reasons.is_empty() {
            String::new()
        } else {
            // Translators: the reasons follow, one a line
            let heading = gettext("This stick could be faster.");
            format!("{heading}\n{}", reasons.join("\n"))
        };
        self.imp().slow.replace(Some((drive.clone(), text)));
        self.show_slow();
    }

    /// Shows it while that stick is the chosen one.
    pub(super) fn show_slow(&self) {
        let imp = self.imp();
        let slow = imp.slow.borrow();
        let selection = imp.selection.borrow();
        let text = match (&*slow, selection.chosen()) {
            (Some((drive, text)), Some(chosen)) if is_same(drive, chosen) => text.as_str(),
            _ => "",
        };
        imp.slow_because.set_label(text);
        imp.slow_because.set_visible(!text.is_empty());
    }
}
