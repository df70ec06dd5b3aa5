//! Writes what an installation puts beside `steady-cli`: `cli-pages FOLDER` fills
//! `FOLDER/man/man1` and a folder of completions for each shell, below `FOLDER` where that shell looks.

use std::{env, fs, io, path::PathBuf};

use clap_complete::{Shell, generate_to};

/// Where each shell looks for completions of programs, below `share`.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Fish, "fish/vendor_completions.d"),
    (Shell::Zsh, "zsh/site-functions"),
];

fn main() -> io::Result<()> {
    let share: PathBuf = env::args_os()
        .nth(1)
        .ok_or_else(|| io::Error::other("usage: cli-pages FOLDER"))?
        .into();
    let manual = share.join("man/man1");
    fs::create_dir_all(&manual)?;
    clap_mangen::generate_to(steady::cli::command(), manual)?;
    for (shell, folder) in COMPLETIONS {
        let folder = share.join(folder);
        fs::create_dir_all(&folder)?;
        generate_to(shell, &mut steady::cli::command(), "steady-cli", &folder)?;
    }
    // Bash looks for the bare name of the program.
    let bash = share.join(COMPLETIONS[0].1);
    fs::rename(bash.join("steady-cli.bash"), bash.join("steady-cli"))
}
