//! Help in the program: short pages in people's words.

mod dialog;
mod topic;

pub(super) use dialog::help_dialog;
#[cfg(test)]
pub(super) use dialog::topic_page;
#[cfg(test)]
pub(super) use topic::Topic;
