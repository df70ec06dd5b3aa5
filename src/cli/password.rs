use std::io::{self, IsTerminal};

use crate::drives::Drive;
use crate::tasks::TextAgent;

/// Asks for the administrator's password on the terminal while it lives, where this stick may need
/// it and no desktop asks.
pub(super) fn asked_here(drive: &Drive) -> Option<TextAgent> {
    if drive.asks_password && io::stdin().is_terminal() {
        TextAgent::start()
    } else {
        None
    }
}
