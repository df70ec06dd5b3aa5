use std::fs;
use std::path::{Path, PathBuf};

use super::unmount::Mount;

/// Longest name that the kernel keeps in `comm`.
const COMM_MAX: usize = 15;

/// What one process has in use.
#[derive(Debug, Default)]
struct InUse {
    /// Targets of its working folder, root, program and open files.
    links: Vec<PathBuf>,
    /// `/proc/PID/maps`.
    maps: Vec<u8>,
}

/// Name of a program that keeps a file system from being unmounted. Best effort: one person's
/// programs can be seen, others' not, and from a sandbox none.
///
/// `proc` is `/proc`.
pub(super) fn program_using(proc: &Path, mount: &Mount) -> Option<String> {
    let mut processes: Vec<u32> = fs::read_dir(proc)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    // Who came first is more likely to be known to the person than its helpers.
    processes.sort_unstable();
    processes
        .into_iter()
        .map(|process| proc.join(process.to_string()))
        .find(|process| holds(&in_use(process), mount))
        .and_then(|process| name(&process))
}

fn in_use(process: &Path) -> InUse {
    let files = fs::read_dir(process.join("fd")).into_iter().flatten();
    let files = files.flatten().map(|entry| entry.path());
    let own = ["cwd", "root", "exe"].map(|link| process.join(link));
    InUse {
        // Links are read, not followed: a stick that hangs must not hang this.
        links: files
            .chain(own)
            .filter_map(|link| fs::read_link(link).ok())
            .collect(),
        maps: fs::read(process.join("maps")).unwrap_or_default(),
    }
}

fn holds(in_use: &InUse, mount: &Mount) -> bool {
    let below = |link: &PathBuf| link.starts_with(&mount.place);
    in_use.links.iter().any(below)
        || in_use
            .maps
            .split(|&byte| byte == b'\n')
            .any(|line| mapped_device(line) == Some(mount.device_number))
}

/// The device of a mapped file: `7f00-7f01 r--p 0000 08:11 42 /run/media/x/film`, where numbers
/// are hexadecimal, and 0 stands for none.
fn mapped_device(line: &[u8]) -> Option<u64> {
    let line = std::str::from_utf8(line).ok()?;
    let (major, minor) = line.split_whitespace().nth(3)?.split_once(':')?;
    let number = |text| u32::from_str_radix(text, 16).ok();
    let device = rustix::fs::makedev(number(major)?, number(minor)?);
    (device != 0).then_some(device)
}

/// What the process calls itself; from its program's file where the kernel has cut that short.
fn name(process: &Path) -> Option<String> {
    let comm = fs::read_to_string(process.join("comm")).ok()?;
    let comm = comm.trim_end_matches('\n');
    let program = fs::read_link(process.join("exe")).ok();
    let whole = program
        .as_deref()
        .and_then(|path| path.file_name()?.to_str())
        .filter(|name| comm.len() == COMM_MAX && name.starts_with(comm));
    Some(whole.unwrap_or(comm).to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    /// `(comm, exe, cwd, an open file, maps)` of a process.
    type Process = (
        &'static str,
        &'static str,
        &'static str,
        &'static str,
        &'static str,
    );

    fn found(process: Process) -> Option<String> {
        let (comm, exe, cwd, open, maps) = process;
        let proc = tempfile::tempdir().expect("a temporary folder");
        let folder = proc.path().join("4711");
        fs::create_dir_all(folder.join("fd")).expect("folders");
        fs::create_dir(proc.path().join("sys")).expect("a folder");
        fs::write(folder.join("comm"), format!("{comm}\n")).expect("a file");
        fs::write(folder.join("maps"), maps).expect("a file");
        for (link, target) in [("exe", exe), ("cwd", cwd), ("root", "/"), ("fd/3", open)] {
            symlink(target, folder.join(link)).expect("a link");
        }
        let mount = Mount {
            object: String::new(),
            place: "/run/media/ann/MUSIC".into(),
            device_number: rustix::fs::makedev(8, 17),
            read_only: false,
        };
        program_using(proc.path(), &mount)
    }

    #[test]
    fn b03_the_program_is_named_that_holds_the_stick() {
        let mapped = "7f00-7f01 r--p 00000000 08:11 42   /gone\n";
        let other = "7f00-7f01 r--p 00000000 08:12 42   /x\n7f02-7f03 rw-p 0 00:00 0\nodd\n";
        for (process, expected) in [
            (
                (
                    "vlc",
                    "/usr/bin/vlc",
                    "/",
                    "/run/media/ann/MUSIC/a.mp3",
                    other,
                ),
                Some("vlc"),
            ),
            (
                (
                    "bash",
                    "/usr/bin/bash",
                    "/run/media/ann/MUSIC",
                    "/dev/null",
                    "",
                ),
                Some("bash"),
            ),
            (
                ("tool", "/run/media/ann/MUSIC/tool", "/", "/dev/null", ""),
                Some("tool"),
            ),
            (
                ("viewer", "/usr/bin/viewer", "/", "/dev/null", mapped),
                Some("viewer"),
            ),
            (
                (
                    "bash",
                    "/usr/bin/bash",
                    "/run/media/ann/MUSIC2",
                    "socket:[1]",
                    other,
                ),
                None,
            ),
            (
                (
                    "gnome-text-edit",
                    "/usr/bin/gnome-text-editor",
                    "/",
                    "/run/media/ann/MUSIC/t",
                    "",
                ),
                Some("gnome-text-editor"),
            ),
            (
                (
                    "Isolated Web Co",
                    "/usr/lib/firefox",
                    "/",
                    "/run/media/ann/MUSIC/t",
                    "",
                ),
                Some("Isolated Web Co"),
            ),
        ] {
            assert_eq!(found(process).as_deref(), expected, "{process:?}");
        }
    }
}
