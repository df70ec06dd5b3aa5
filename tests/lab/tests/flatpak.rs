//! The Flatpak as people get it: the bundle of `build-aux/flatpak`, installed and used in its sandbox.

mod common;

use std::{
    path::PathBuf,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use common::{
    PATIENCE, choose_song_in_chooser, give_password, image_arrives, mounted_stick, pulled,
    put_packed_disk, put_source,
};
use steady_lab::{Clicks, Lab, Output, Places, PlugOptions, Stick, package_of};

/// As people get it.
const APP: &str = "io.github.steadyusb.Steady";
/// What a plain check builds, in half the time: the same under another name.
const DEVEL: &str = "io.github.steadyusb.Steady.Devel";
/// Hands a file or folder to the program as a drop from outside does, and tells its path in the sandbox.
const THROUGH_PORTAL: &str = "
import os, sys
from gi.repository import Gio, GLib
path, app = sys.argv[1:]
DIRECTORY = 8
portal = 'org.freedesktop.portal.Documents'
fds = Gio.UnixFDList.new()
number = fds.append(os.open(path, os.O_PATH))
wish = GLib.Variant('(ahusas)', ([number], DIRECTORY * os.path.isdir(path), app, ['read']))
reply, _ = Gio.bus_get_sync(Gio.BusType.SESSION).call_with_unix_fd_list_sync(
    portal, '/org/freedesktop/portal/documents', portal, 'AddFull', wish,
    GLib.VariantType('(asa{sv})'), Gio.DBusCallFlags.NONE, -1, fds, None)
print(f'/run/user/{os.getuid()}/doc/{reply[0][0]}/{os.path.basename(path)}')
";

/// What `build-aux/flatpak --stand-in` left.
fn built(name: &str) -> Result<PathBuf> {
    let path = Places::of_this_checkout()?
        .project
        .join("target/flatpak")
        .join(name);
    let found = path.canonicalize();
    found.with_context(|| format!("{name} is made by build-aux/flatpak --stand-in"))
}

/// A lab whose person has installed that bundle. The runtime has come before, on a stick.
fn installed(app: &str) -> Result<Lab> {
    let lab = Lab::ready()?;
    let runtime = lab.plug(&PlugOptions {
        image: Some(built("platform.img")?),
        read_only: true,
        ..PlugOptions::default()
    })?;
    // As one piece: its thousands of files take minutes in emulation. The automounter lets go of it.
    let copy = format!(
        "dd if={0} of=/var/lib/runtime.img bs=4M status=none
         mkdir -p /var/lib/runtime /var/lib/flatpak
         mount -o loop,ro /var/lib/runtime.img /var/lib/runtime
         mount --bind /var/lib/runtime/flatpak /var/lib/flatpak
         umount --all-targets {0} || true",
        runtime.device
    );
    lab.run_root(&["sh", "-ec", &copy])?.success()?;
    lab.unplug(&runtime)?;
    let bundle = if app == DEVEL {
        "steady-devel.flatpak"
    } else {
        "steady.flatpak"
    };
    lab.put(&built(bundle)?, "/home/tester/steady.flatpak")?;
    let install = "flatpak install --user --noninteractive /home/tester/steady.flatpak";
    lab.run(&["sh", "-ec", install])?.success()?;
    Ok(lab)
}

fn plugged(lab: &Lab) -> Result<Stick> {
    lab.plug(&PlugOptions {
        size: 600 << 20,
        ..PlugOptions::default()
    })
}

/// What a shell in the sandbox says.
fn in_sandbox(lab: &Lab, app: &str, script: &str) -> Result<String> {
    let run = ["flatpak", "run", "--command=sh", app, "-c", script];
    Ok(lab.run(&run)?.success()?.text())
}

/// Runs the sandbox's `steady-cli`.
fn cli(lab: &Lab, arguments: &str) -> Result<Output> {
    let script = format!("exec steady-cli {arguments}");
    lab.run(&["flatpak", "run", "--command=sh", APP, "-c", &script])
}

/// Runs it, is refused, and gives what was said.
fn refused(lab: &Lab, arguments: &str) -> Result<String> {
    let output = cli(lab, arguments)?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.code == 2, "{arguments}: {} {said}", output.code);
    Ok(said)
}

/// Where the sandbox finds what is dropped on it from outside.
fn through_portal(lab: &Lab, path: &str) -> Result<String> {
    let add = lab.run(&["python3", "-c", THROUGH_PORTAL, path, APP])?;
    Ok(add.success()?.text().trim().to_owned())
}

/// Has a stick formatted in the sandbox and then mounted at `/mnt/elsewhere`, as the administrator wants it.
fn mounted_elsewhere(lab: &Lab) -> Result<Stick> {
    let stick = plugged(lab)?;
    cli(lab, &format!("format {} --label SEEN --yes", stick.device))?.success()?;
    let elsewhere = format!(
        "umount -q --all-targets {0}1
         mkdir -p /mnt/elsewhere
         echo 'LABEL=SEEN /mnt/elsewhere vfat noauto,users,uid=1000 0 0' >>/etc/fstab",
        stick.device
    );
    lab.run_root(&["sh", "-c", &elsewhere])?.success()?;
    lab.run(&["sh", "-c", "findmnt /mnt/elsewhere || mount /mnt/elsewhere"])?
        .success()?;
    Ok(stick)
}

/// It reaches UDisks2 and the folders of sticks, and nothing else of the person's.
fn sees_nothing_else(lab: &Lab, app: &str) -> Result<()> {
    let names = "gdbus call --system --dest org.freedesktop.DBus --object-path / \
                 --method org.freedesktop.DBus.ListNames";
    let names = in_sandbox(lab, app, names)?;
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
    assert_eq!(in_sandbox(lab, app, "find /dev -type b")?, "");
    lab.run(&["sh", "-c", "echo private >/home/tester/private"])?
        .success()?;
    let home = in_sandbox(lab, app, "cat /home/tester/private; ls /home/tester")?;
    ensure!(!home.contains("private"), "{home}");
    assert_eq!(in_sandbox(lab, app, "ls -d /media")?, "/media");
    Ok(())
}

/// The same clicks as in the native program: chosen by “Open With”, formatted, copied, checked. The
/// stick's file system is mounted while the sandbox is there already.
fn copies_by_clicks(lab: &Lab, app: &str) -> Result<()> {
    const SIZE: usize = 20_000_000;
    let contents = put_source(lab, "film.mp4", SIZE)?;
    let stick = plugged(lab)?;
    let clicks = Clicks::in_flatpak(lab, app);
    clicks.choose(&["/home/tester/film.mp4"])?;
    clicks.format_and_start("Film")?;
    let told = clicks.follow(&stick)?;
    told.ended_well()?;
    let verdict = told.truth.judge(SIZE as u64)?;
    assert_eq!(verdict.ahead, 0, "shown, and not on the stick");
    let medium = pulled(lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.label()?, "FILM");
    assert_eq!(medium.list()?, ["film.mp4"]);
    assert!(medium.read("film.mp4")?.as_deref() == Some(contents.as_slice()));
    Ok(())
}

/// What stands between a sandbox and the system's bus.
fn proxy(lab: &Lab) -> Result<String> {
    let version = lab.run(&["xdg-dbus-proxy", "--version"])?;
    Ok(version.success()?.text().trim().to_owned())
}

#[test]
fn x06_a_copy_is_clicked_in_the_sandbox_which_holds_nothing_else() -> Result<()> {
    let lab = installed(DEVEL)?;
    assert_eq!(proxy(&lab)?, "xdg-dbus-proxy 0.1.6");
    sees_nothing_else(&lab, DEVEL)?;
    copies_by_clicks(&lab, DEVEL)
}

/// Debian 12's proxy is one that newer D-Bus libraries do not get through.
#[test]
fn long_a_copy_is_clicked_behind_the_proxy_of_debian_12() -> Result<()> {
    let older = package_of(&Places::of_this_checkout()?, "bookworm", "xdg-dbus-proxy")?;
    let lab = installed(APP)?;
    lab.put(&older.join("usr/bin/xdg-dbus-proxy"), "/home/tester/proxy")?;
    let instead =
        "chmod 755 /home/tester/proxy && mount --bind /home/tester/proxy /usr/bin/xdg-dbus-proxy";
    lab.run_root(&["sh", "-c", instead])?.success()?;
    assert_eq!(proxy(&lab)?, "xdg-dbus-proxy 0.1.4");
    sees_nothing_else(&lab, APP)?;
    copies_by_clicks(&lab, APP)?;
    let running = "for it in $(pgrep -x xdg-dbus-proxy); do cmp /home/tester/proxy /proc/$it/exe || exit; done";
    lab.run_root(&["sh", "-c", &format!("pgrep -x xdg-dbus-proxy && {running}")])?
        .success()
        .context("another proxy runs")?;
    Ok(())
}

/// The system's file chooser hands over what the sandbox itself can't reach, by its own name.
#[test]
fn long_x06_a_file_is_chosen_through_the_portal() -> Result<()> {
    let lab = installed(APP)?;
    choose_song_in_chooser(&lab, &Clicks::in_flatpak(&lab, APP))
}

/// The desktop itself asks for the password, and lets the sandbox have that stick.
#[test]
fn long_an_image_is_written_from_the_sandbox_once_the_password_is_given() -> Result<()> {
    let lab = installed(APP)?;
    let disk = put_packed_disk(&lab, 20)?;
    let (stick, _) = mounted_stick(&lab)?;
    // The program's log waits for somebody to read it.
    let _log = lab.events()?;
    let clicks = Clicks::in_flatpak(&lab, APP);
    clicks.choose_image("/home/tester/disk.img.xz")?;
    clicks.erase_and_write()?;
    give_password(&lab)?;
    lab.wait("label", "Read back from the stick, everything is the same")?;
    image_arrives(&lab, &stick, "disk.img.xz", &disk)
}

/// A stick mounted where the sandbox has no window is not called broken: what helps is said. With that help it
/// is unmounted for the sandbox, too.
#[test]
fn long_a_stick_mounted_out_of_sight_is_told_with_what_helps() -> Result<()> {
    let lab = installed(APP)?;
    let stick = mounted_elsewhere(&lab)?;
    let copy = format!("copy /app/bin/steady-cli --to {}", stick.device);
    let said = refused(&lab, &copy)?;
    let helps = format!("flatpak override --user --filesystem=\"/mnt\" {APP}");
    assert!(said.contains(&helps), "{said}");

    lab.run(&["sh", "-ec", &helps])?.success()?;
    cli(&lab, &copy)?.success()?;
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.list()?, ["steady-cli"]);
    Ok(())
}

/// The portal shows files by paths and on a device of its own. Where they lie is known all the same.
#[test]
fn long_x06_what_comes_through_the_portal_is_recognised() -> Result<()> {
    let lab = installed(APP)?;
    let see = format!("flatpak override --user --filesystem=/mnt {APP}");
    lab.run(&["sh", "-ec", &see])?.success()?;
    let stick = mounted_elsewhere(&lab)?;
    lab.run(&["sh", "-c", "echo film >/mnt/elsewhere/film.mp4"])?
        .success()?;

    let film = through_portal(&lab, "/mnt/elsewhere/film.mp4")?;
    let erasing = format!("--to {} --format fat32 --yes", stick.device);
    let said = refused(&lab, &format!("copy {film} {erasing}"))?;
    ensure!(said.contains("“film.mp4” is on the stick itself"), "{said}");
    ensure!(!said.contains("/doc/"), "a path of the portal: {said}");
    for folder in ["/mnt/elsewhere", "/mnt"] {
        let dropped = through_portal(&lab, folder)?;
        for how in [format!("--to {}", stick.device), erasing.clone()] {
            let said = refused(&lab, &format!("copy {dropped} {how}"))?;
            let told = ["can’t be copied into itself", "is on the stick itself"];
            ensure!(told.iter().any(|told| said.contains(told)), "{said}");
        }
    }
    let there = lab.run(&["cat", "/mnt/elsewhere/film.mp4"])?;
    assert_eq!(there.success()?.text(), "film");

    // A folder of photos is dropped.
    let many = "mkdir photos && cd photos && seq -f %05.0f.jpg 40000 | xargs touch";
    lab.run(&["sh", "-ec", &format!("cd /home/tester && {many}")])?
        .success()?;
    let photos = through_portal(&lab, "/home/tester/photos")?;
    lab.start(&["flatpak", "run", APP, &photos])?;
    lab.wait("list item", "photos")?;
    // One question to the portal for each, which is emulated, too.
    let begun = Instant::now();
    while lab.read("label", "/^40.?000 files/").is_err() {
        ensure!(begun.elapsed() < PATIENCE, "{}", lab.tree()?);
        sleep(Duration::from_secs(2));
    }
    println!("figure: 40,000 files counted in {:?}", begun.elapsed());
    Ok(())
}
