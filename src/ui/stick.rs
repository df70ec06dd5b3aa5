//! Which stick, and formatted or not.

mod page;
mod selection;
mod stick_row;
mod wording;

pub(super) use page::{StickChoice, StickPage};
pub(super) use wording::{loss_text, stick_name};
