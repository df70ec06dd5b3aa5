//! A job under way.

mod details;
mod page;
mod spoken;
mod stick_progress;
mod stick_view;
mod view;

pub(super) use page::WritingPage;
pub(super) use spoken::Spoken;
pub(super) use view::WritingView;
