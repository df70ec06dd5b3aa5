//! A job under way.

mod page;
mod view;

pub(super) use page::WritingPage;
