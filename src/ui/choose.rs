//! What goes on the stick.

mod image_choice;
mod page;
mod source;
mod source_row;

pub(super) use page::ChoosePage;
