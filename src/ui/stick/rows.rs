//! What the lists of sticks have in common.

use std::cell::RefCell;

use gettextrs::gettext;
use gtk::glib;

use super::selection::is_same;
use super::standing::Standing;
use super::stick_row::StickRow;
use crate::drives::{self, Drive};
use crate::tasks::{Failure, Wording};
use crate::ui::text::tr;

/// The rows of a list, in its order.
pub(super) type Rows = RefCell<Vec<StickRow>>;

/// Shows a row for each drive. Rows of sticks that stay are kept, so that neither focus nor pointer
/// loses them.
pub(super) fn show_rows(
    list: &gtk::ListBox,
    rows: &Rows,
    drives: &[Drive],
    new_row: impl Fn() -> StickRow,
    is_chosen: impl Fn(&Drive) -> bool,
    standing: impl Fn(&Drive) -> Standing,
) {
    let mut before = rows.take();
    let mut shown = Vec::with_capacity(drives.len());
    for (at, drive) in (0..).zip(drives) {
        let kept = before
            .iter()
            .position(|row| row.drive().is_some_and(|shown| is_same(&shown, drive)));
        let row = kept.map_or_else(
            || {
                let row = new_row();
                list.insert(&row, at);
                row
            },
            |kept| before.remove(kept),
        );
        row.show(drive, is_chosen(drive), standing(drive));
        shown.push(row);
    }
    for row in before {
        list.remove(&row);
    }
    rows.replace(shown);
}

/// Shows why there is no stick to choose from.
pub(super) fn show_none<T>(status: &adw::StatusPage, drives: &Result<T, &drives::Error>) {
    status.set_title(&match drives {
        Ok(_) => gettext("No stick found. Plug one in."),
        Err(_) => gettext("No sticks can be found"),
    });
    let reason = drives.as_ref().err().map(|error| {
        // The error itself stays with the list; only its sentence is needed here.
        tr(&Wording::of_failure(&Failure::new((*error).into(), "")))
    });
    let reason = reason.map(|reason| glib::markup_escape_text(&reason));
    status.set_description(reason.as_deref());
}
