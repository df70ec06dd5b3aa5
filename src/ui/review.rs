//! What will not work, before the first byte: one question a kind of problem.

mod group;
mod page;
mod wording;

pub(super) use page::ReviewPage;
