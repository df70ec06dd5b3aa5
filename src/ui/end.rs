//! A job that has ended: done, failed or stopped.

mod image_view;
mod page;
mod stick_end;
mod view;

pub(super) use page::EndPage;
