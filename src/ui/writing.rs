//! A job under way.

mod page;
mod view;

pub(super) use page::WritingPage;
pub(super) use view::WritingView;
