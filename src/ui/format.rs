//! Formats a stick and does nothing else.

mod page;
mod view;

pub(super) use page::FormatPage;
