//! Writes what an installation puts beside `steady-cli`: `cli-pages FOLDER` fills
//! `FOLDER/man/man1` and a folder of completions for each shell, below `FOLDER` where that shell looks.

use std::{env, fs, io, iter, path::Path, path::PathBuf};

use clap_complete::{Shell, generate_to};
use clap_mangen::Man;

/// Where each shell looks for completions of programs, below `share`.
const COMPLETIONS: [(Shell, &str); 3] = [
    (Shell::Bash, "bash-completion/completions"),
    (Shell::Fish, "fish/vendor_completions.d"),
    (Shell::Zsh, "zsh/site-functions"),
];

/// For the page of the whole program, in the language of manual pages.
const EXAMPLES: &str = r"
.SH EXAMPLES
.TP
steady\-cli list
Shows the sticks.
.TP
steady\-cli copy Music \-\-to /dev/sdb
Copies a folder onto a stick as it is.
.TP
steady\-cli copy film.mp4 \-\-to /dev/sdb \-\-format fat32 \-\-label FILMS
Erases the stick before.
.TP
steady\-cli copy Photos \-\-to /dev/sdb \-\-repair \-\-on\-problem replace,rename
Goes on after the stick was pulled.
.TP
steady\-cli write debian.img.xz \-\-to /dev/sdb
Writes an image, which erases the stick.
.SH SEE ALSO
.BR udisksctl (1)
";

fn main() -> io::Result<()> {
    let share: PathBuf = env::args_os()
        .nth(1)
        .ok_or_else(|| io::Error::other("usage: cli-pages FOLDER"))?
        .into();
    let manual = share.join("man/man1");
    fs::create_dir_all(&manual)?;
    write_pages(&manual)?;
    for (shell, folder) in COMPLETIONS {
        let folder = share.join(folder);
        fs::create_dir_all(&folder)?;
        generate_to(shell, &mut steady::cli::command(), "steady-cli", &folder)?;
    }
    // Bash looks for the bare name of the program.
    let bash = share.join(COMPLETIONS[0].1);
    fs::rename(bash.join("steady-cli.bash"), bash.join("steady-cli"))
}

/// A page for the program and one for each of its commands.
fn write_pages(manual: &Path) -> io::Result<()> {
    let mut program = steady::cli::command().disable_help_subcommand(true);
    program.build();
    for command in iter::once(&program).chain(program.get_subcommands()) {
        let page =
            Man::new(command.clone()).source(concat!("steady-cli ", env!("CARGO_PKG_VERSION")));
        let mut text = Vec::new();
        page.render(&mut text)?;
        let mut text = String::from_utf8(text).map_err(io::Error::other)?;
        if command.get_name() == program.get_name() {
            // The one text that follows a command's own help.
            text = text.replace(".SH EXTRA", ".SH \"EXIT STATUS\"") + EXAMPLES.trim_start();
        }
        fs::write(manual.join(page.get_filename()), text)?;
    }
    Ok(())
}
