//! What will not work, and what will be lost, before the first byte.

mod erase_page;
mod group;
mod page;
mod wording;

pub(super) use erase_page::ErasePage;
pub(super) use page::ReviewPage;
