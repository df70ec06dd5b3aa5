//! What goes on the stick.

mod image_choice;
mod main_menu;
mod page;
mod source;
mod source_row;

pub(super) use page::ChoosePage;
