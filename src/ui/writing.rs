//! A job under way.

mod page;
mod stick_progress;
mod stick_view;
mod view;

pub(super) use page::WritingPage;
pub(super) use view::WritingView;
