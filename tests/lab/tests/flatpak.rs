//! The Flatpak as people get it: the bundle of `build-aux/flatpak`, installed and used in its sandbox.

mod common;

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use common::{choose_song_in_chooser, pulled, put_source};
use steady_lab::{Clicks, Lab, Places, PlugOptions};

const APP: &str = "io.github.steadyusb.Steady";

/// What `build-aux/flatpak --stand-in` left.
fn built(name: &str) -> Result<PathBuf> {
    let path = Places::of_this_checkout()?
        .project
        .join("target/flatpak")
        .join(name);
    let found = path.canonicalize();
    found.with_context(|| format!("{name} is made by build-aux/flatpak --stand-in"))
}

/// A lab whose person has installed the bundle. The runtime has come before, on a stick.
fn installed() -> Result<Lab> {
    let lab = Lab::ready()?;
    let runtime = lab.plug(&PlugOptions {
        image: Some(built("platform.img")?),
        read_only: true,
        ..PlugOptions::default()
    })?;
    // As one piece: its thousands of files take minutes in emulation. The automounter lets go of it.
    let copy = format!(
        "dd if={0} of=/var/lib/runtime.img bs=4M status=none
         mount -o loop,ro /var/lib/runtime.img /mnt
         mkdir -p /var/lib/flatpak
         mount --bind /mnt/flatpak /var/lib/flatpak
         umount --all-targets {0} || true",
        runtime.device
    );
    lab.run_root(&["sh", "-ec", &copy])?.success()?;
    lab.unplug(&runtime)?;
    lab.put(&built("steady.flatpak")?, "/home/tester/steady.flatpak")?;
    let install = "flatpak install --user --noninteractive /home/tester/steady.flatpak";
    lab.run(&["sh", "-ec", install])?.success()?;
    Ok(lab)
}

/// What a shell in the sandbox says.
fn in_sandbox(lab: &Lab, script: &str) -> Result<String> {
    let run = ["flatpak", "run", "--command=sh", APP, "-c", script];
    Ok(lab.run(&run)?.success()?.text())
}

/// It reaches UDisks2 and the folders of sticks, and nothing else of the person's.
fn sees_nothing_else(lab: &Lab) -> Result<()> {
    let names = "gdbus call --system --dest org.freedesktop.DBus --object-path / \
                 --method org.freedesktop.DBus.ListNames";
    let names = in_sandbox(lab, names)?;
    let mut services: Vec<_> = names
        .split('\'')
        .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic()))
        .collect();
    services.sort_unstable();
    assert_eq!(
        services,
        ["org.freedesktop.DBus", "org.freedesktop.UDisks2"],
        "{names}"
    );
    assert_eq!(in_sandbox(lab, "find /dev -type b")?, "");
    lab.run(&["sh", "-c", "echo private >/home/tester/private"])?
        .success()?;
    let home = in_sandbox(lab, "cat /home/tester/private; ls /home/tester")?;
    ensure!(!home.contains("private"), "{home}");
    assert_eq!(in_sandbox(lab, "ls -d /media")?, "/media");
    Ok(())
}

/// The same clicks as in the native program: chosen by “Open With”, formatted, copied, checked. The
/// stick's file system is mounted while the sandbox is there already.
#[test]
fn x06_a_copy_is_clicked_in_the_sandbox_which_holds_nothing_else() -> Result<()> {
    const SIZE: usize = 20_000_000;
    let lab = installed()?;
    sees_nothing_else(&lab)?;
    let contents = put_source(&lab, "film.mp4", SIZE)?;
    let stick = lab.plug(&PlugOptions {
        size: 600 << 20,
        ..PlugOptions::default()
    })?;
    let clicks = Clicks::in_flatpak(&lab, APP);
    clicks.choose(&["/home/tester/film.mp4"])?;
    clicks.format_and_start("Film")?;
    let told = clicks.follow(&stick)?;
    told.ended_well()?;
    let verdict = told.truth.judge(SIZE as u64)?;
    assert_eq!(verdict.ahead, 0, "shown, and not on the stick");
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.label()?, "FILM");
    assert_eq!(medium.list()?, ["film.mp4"]);
    assert!(medium.read("film.mp4")?.as_deref() == Some(contents.as_slice()));
    Ok(())
}

/// The system's file chooser hands over what the sandbox itself can't reach, by its own name.
#[test]
fn long_x06_a_file_is_chosen_through_the_portal() -> Result<()> {
    let lab = installed()?;
    choose_song_in_chooser(&lab, &Clicks::in_flatpak(&lab, APP))
}

/// A stick mounted where the sandbox has no window is not called broken: what helps is said.
#[test]
fn long_a_stick_mounted_out_of_sight_is_told_with_what_helps() -> Result<()> {
    let lab = installed()?;
    let stick = lab.plug(&PlugOptions {
        size: 600 << 20,
        ..PlugOptions::default()
    })?;
    let cli = |arguments: &str| {
        let script = format!("exec steady-cli {arguments}");
        lab.run(&["flatpak", "run", "--command=sh", APP, "-c", &script])
    };
    cli(&format!("format {} --label SEEN --yes", stick.device))?.success()?;
    let elsewhere = format!(
        "umount --all-targets {0}1; mkdir -p /mnt/elsewhere && mount -o uid=1000 {0}1 /mnt/elsewhere",
        stick.device
    );
    lab.run_root(&["sh", "-c", &elsewhere])?.success()?;
    let copy = cli(&format!("copy /app/bin/steady-cli --to {}", stick.device))?;
    let said = String::from_utf8_lossy(&copy.stderr).into_owned();
    assert_eq!(copy.code, 2, "{said}");
    let helps = format!("flatpak override --user --filesystem=\"/mnt/elsewhere\" {APP}");
    assert!(said.contains(&helps), "{said}");

    let helps = ["sh", "-ec", &helps];
    lab.run(&helps)?.success()?;
    cli(&format!("copy /app/bin/steady-cli --to {}", stick.device))?.success()?;
    Ok(())
}
