//! Which stick, and formatted or not; for an image, which sticks.

mod page;
mod rows;
mod selection;
mod standing;
mod stick_list;
mod stick_row;
mod wording;

pub(super) use page::{ImageTargets, StickChoice, StickPage};
pub(super) use stick_list::StickList;
pub(super) use wording::{contents_text, loss_text, stick_name, stick_names};
