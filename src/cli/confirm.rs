use std::io::{self, BufRead, IsTerminal};

/// Asks on the terminal whether a stick may be erased. Without a terminal the answer is no, and
/// the way to say yes is told.
pub(super) fn may_erase(stick: &str, yes: bool) -> bool {
    if yes {
        return true;
    }
    if !io::stdin().is_terminal() {
        eprintln!("This erases everything on “{stick}”. Say so with --yes.");
        return false;
    }
    eprint!("This erases everything on “{stick}”. Go on? [y/N] ");
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).is_ok() && matches!(answer.trim(), "y" | "Y" | "yes")
}
