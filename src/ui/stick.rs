//! Which stick, and formatted or not; for an image, which sticks.

mod page;
mod selection;
mod standing;
mod stick_list;
mod stick_row;
mod wording;

pub(super) use page::{ImageTargets, StickChoice, StickPage};
pub(super) use stick_list::StickList;
pub(super) use wording::{contents_text, loss_text, stick_name, stick_names};

use crate::drives::Drive;

/// Whether only the serial number tells it from another one of them.
fn looks_like_another(drive: &Drive, drives: &[Drive]) -> bool {
    let look = |drive: &Drive| (stick_name(drive), drive.size / 1_000_000_000);
    drives
        .iter()
        .filter(|other| look(other) == look(drive))
        .nth(1)
        .is_some()
}
