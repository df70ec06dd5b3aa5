use std::io::{self, BufRead, IsTerminal};

use super::output::{Lines, warn};

/// Asks on the terminal whether these sticks may be erased. Without a terminal the answer is no, and
/// the way to say yes is told.
pub(super) fn may_erase(sticks: &[String], yes: bool) -> bool {
    if yes {
        return true;
    }
    let names: Vec<_> = sticks.iter().map(|name| format!("“{name}”")).collect();
    let names = names.join(" and ");
    if !io::stdin().is_terminal() {
        warn(&format!(
            "This erases everything on {names}. Say so with --yes."
        ));
        return false;
    }
    Lines::new(io::stderr()).ask(&format!("This erases everything on {names}. Go on? [y/N] "));
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
