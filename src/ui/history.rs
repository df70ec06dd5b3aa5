//! Receipts of what was done: kept when a job ends, shown in a dialog.

mod dialog;
mod keep;
mod wording;

pub(super) use dialog::HistoryDialog;
pub(super) use keep::keep_receipt;
