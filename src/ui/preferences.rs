//! What a person decides once and for all.

mod dialog;

pub(super) use dialog::PreferencesDialog;
