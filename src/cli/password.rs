use std::io::{self, IsTerminal};

use rustix::process::geteuid;

use crate::drives::Drive;
use crate::tasks::TextAgent;

/// Asks for the administrator's password on the terminal while it lives, where this stick may need
/// it and no desktop asks.
pub(super) fn asked_here(drive: &Drive) -> Option<TextAgent> {
    drive.asks_password.then(asked_for_image).flatten()
}

/// The same for writing an image, for which anybody but an administrator is asked.
pub(super) fn asked_for_image() -> Option<TextAgent> {
    let may_ask = io::stdin().is_terminal() && !geteuid().is_root();
    may_ask.then(TextAgent::start).flatten()
}
