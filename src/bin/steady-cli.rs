//! Steady on a terminal.

fn main() -> std::process::ExitCode {
    steady::cli::main()
}
