//! Checks a stick: has it the room that it claims, does it keep what it is given, how fast is it.

mod page;
mod view;

pub(super) use page::CheckPage;
