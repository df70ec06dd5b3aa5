//! The window.

fn main() -> std::process::ExitCode {
    steady::ui::run().into()
}
