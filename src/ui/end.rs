//! A job that has ended: done, failed or stopped.

mod page;
mod view;

pub(super) use page::EndPage;
