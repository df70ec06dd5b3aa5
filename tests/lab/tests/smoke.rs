//! The lab itself: a stick is plugged in, used by a person, and pulled; a lab that was killed is
//! no hindrance to the next.

#![expect(clippy::unwrap_used, reason = "in tests a panic is the report")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use steady_lab::{Bus, Lab, Places, PlugOptions, Theme};

/// A lab of this test's own, apart from the checkout's and taken down at the end.
struct Own(Lab, PathBuf);

impl Own {
    fn up(name: &str) -> Self {
        let mut places = Places::of_this_checkout().unwrap();
        places.state.as_mut_os_string().push(format!("-{name}"));
        let places = Places::new(places.project, places.state).unwrap();
        Self(Lab::ready_at(places.clone()).unwrap(), places.state)
    }

    /// Processes that have anything to do with this lab.
    fn processes(&self) -> Vec<String> {
        let state = self.1.to_string_lossy();
        fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok())
            .map(|command| String::from_utf8_lossy(&command).replace('\0', " "))
            .filter(|command| command.contains(&*state))
            .collect()
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        self.0.down().unwrap();
        fs::remove_dir_all(&self.1).unwrap();
    }
}

#[test]
fn a_stick_is_formatted_written_and_pulled() {
    let lab = Lab::ready().unwrap();
    let stick = lab.plug(&PlugOptions::default()).unwrap();
    let sh = |script: &str| {
        lab.run(&["sh", "-ec", script])
            .unwrap()
            .success()
            .unwrap()
            .text()
    };
    let object = stick
        .device
        .replace("/dev/", "/org/freedesktop/UDisks2/block_devices/");
    let call = "busctl --system --timeout=300 call org.freedesktop.UDisks2";
    // As the person at the PC. There is nobody here to answer a prompt for a password, so that it
    // succeeds shows that none comes.
    sh(&format!(
        "{call} {object} org.freedesktop.UDisks2.Block Format 'sa{{sv}}' dos 0
         {call} {object} org.freedesktop.UDisks2.PartitionTable CreatePartitionAndFormat \
             'ttssa{{sv}}sa{{sv}}' 4194304 0 0x0c '' 0 vfat 1 label s FILMS"
    ));
    // The automounter mounts it, as it would on any desktop.
    let mounted = sh(&format!(
        "for _ in $(seq 300); do
             findmnt --noheadings --output TARGET {}1 && exit
             sleep 0.2
         done
         exit 1",
        stick.device
    ));
    assert_eq!(mounted, "/media/tester/FILMS");
    let before = stick.counters().unwrap().bytes_written;
    sh(
        "head -c 8000000 /dev/urandom >/media/tester/FILMS/film && sync -f /media/tester/FILMS/film",
    );
    let after = stick.stats().unwrap().counters;
    assert!(after.bytes_written - before >= 8_000_000, "{after:?}");
    assert!(after.data_bytes_held >= 8_000_000, "{after:?}");
    let sum = sh("sha256sum </media/tester/FILMS/film");
    sh(&format!(
        "udisksctl unmount --block-device {}1",
        stick.device
    ));
    lab.unplug(&stick).unwrap();
    assert!(
        lab.run(&["test", "-e", &stick.device]).unwrap().code != 0,
        "the device is still there"
    );

    let image = stick.image_path();
    let partition = format!("{}@@4M", image.display());
    let copy = image.with_extension("film");
    let copied = Command::new("mcopy")
        .args(["-n", "-i", &partition, "::film"])
        .arg(&copy)
        .status()
        .unwrap();
    assert!(copied.success());
    let on_stick = Command::new("sha256sum")
        .stdin(fs::File::open(&copy).unwrap())
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&on_stick.stdout).trim(), sum);
    fs::remove_file(copy).unwrap();
    assert_fat_is_clean(image);
}

/// The one partition of the stick, at 4 MiB.
fn assert_fat_is_clean(image: &Path) {
    let partition = image.with_extension("partition");
    let cut = Command::new("dd")
        .args(["bs=4M", "skip=1", "conv=sparse", "status=none"])
        .arg(format!("if={}", image.display()))
        .arg(format!("of={}", partition.display()))
        .status()
        .unwrap();
    assert!(cut.success());
    let checked = Command::new("fsck.fat")
        .arg("-n")
        .arg(&partition)
        .output()
        .unwrap();
    fs::remove_file(partition).unwrap();
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stdout)
    );
}

#[test]
fn lines_and_changes_on_the_screen_reach_the_host() {
    let own = Own::up("events");
    let events = own.0.events().unwrap();
    own.0
        .run(&["sh", "-c", "echo from the session >/run/steady-lab/events"])
        .unwrap()
        .success()
        .unwrap();
    let line = events.next_within(Duration::from_mins(1)).unwrap().1;
    assert_eq!(line, "from the session");

    own.0.start(&["python3", "-c", WINDOW]).unwrap();
    own.0.wait("label", "0 of 3").unwrap();
    own.0.watch("label", "/of 3$/").unwrap();
    own.0.click("button", "Count").unwrap();
    let mut told = Vec::new();
    while told.last().is_none_or(|name| name != "3 of 3") {
        let line = events.next_within(Duration::from_mins(1)).unwrap().1;
        let change: serde_json::Value = serde_json::from_str(&line).unwrap();
        told.push(change["name"].as_str().unwrap().to_owned());
    }
    assert_eq!(told, ["0 of 3", "1 of 3", "2 of 3", "3 of 3"]);
    assert_eq!(own.0.read("label", "/of 3/").unwrap().reading(), "3 of 3");
    let shot = own.1.with_extension("png");
    own.0.shot(&shot, true).unwrap();
    assert!(fs::read(&shot).unwrap().starts_with(b"\x89PNG"));
    fs::remove_file(shot).unwrap();
}

/// Each switch of `plug` is what the guest sees.
#[test]
fn sticks_and_readers_are_plugged_as_told() {
    let lab = Lab::ready().unwrap();
    let image = Places::of_this_checkout().unwrap().work.join("told.img");
    let mut contents = vec![0; 8 << 20];
    contents[..21].copy_from_slice(b"what was there before");
    fs::write(&image, contents).unwrap();
    let locked = lab
        .plug(&PlugOptions {
            image: Some(image.clone()),
            read_only: true,
            bus: Bus::Usb1,
            serial: Some("LOCKED1".into()),
            name: Some("locked".into()),
            ..PlugOptions::default()
        })
        .unwrap();
    let reader = lab
        .plug(&PlugOptions {
            size: 64 << 20,
            bus: Bus::Usb2,
            slots: 4,
            ..PlugOptions::default()
        })
        .unwrap();
    let sh = |script: &str| {
        let output = lab.run_root(&["sh", "-ec", script]).unwrap();
        output.success().unwrap().text()
    };
    // Serial, speed, lock switch and size, as the kernel tells them of each drive.
    let drives = || {
        let drives = sh("for block in /sys/block/sd*; do
                 usb=$(readlink -f $block/device)
                 while [ ! -e $usb/speed ] && [ $usb != / ]; do usb=$(dirname $usb); done
                 [ $usb = / ] || echo $(cat $usb/serial $usb/speed $block/ro $block/size)
             done | sort");
        drives.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        drives(),
        [
            "LABSTICK1 480 0 0",
            "LABSTICK1 480 0 0",
            "LABSTICK1 480 0 0",
            "LABSTICK1 480 0 131072",
            "LOCKED1 12 1 16384",
        ]
    );
    assert_eq!(
        sh(&format!("head -c 21 {}", locked.device)),
        "what was there before"
    );
    sh(&format!(
        "head -c 5000000 /dev/zero >{0} && sync -f {0}",
        reader.device
    ));
    assert!(reader.counters().unwrap().bytes_written >= 5_000_000);
    lab.unplug(&reader).unwrap();
    assert_eq!(drives(), ["LOCKED1 12 1 16384"]);
    lab.unplug(&locked).unwrap();
    fs::remove_file(image).unwrap();
}

/// The program follows the desktop from light to dark and back.
#[test]
fn the_program_follows_the_desktops_theme() {
    let lab = Lab::ready().unwrap();
    lab.start(&["steady"]).unwrap();
    lab.wait("button", "Choose Files…").unwrap();
    let brightness = || -> f64 {
        let window =
            "import -window $(xdotool getactivewindow) -colorspace gray -format '%[fx:mean]' info:";
        let output = lab.run(&["sh", "-c", window]).unwrap();
        output.success().unwrap().text().parse().unwrap()
    };
    let await_that = |what: fn(f64) -> bool| {
        let begun = Instant::now();
        while !what(brightness()) {
            assert!(
                begun.elapsed() < Duration::from_mins(2),
                "still {}",
                brightness()
            );
        }
    };
    await_that(|mean| mean > 0.8);
    lab.theme(Theme::Dark).unwrap();
    await_that(|mean| mean < 0.4);
    lab.theme(Theme::Light).unwrap();
    await_that(|mean| mean > 0.8);
}

/// A window with a label that counts.
const WINDOW: &str = r#"
import gi
gi.require_version("Gtk", "4.0")
from gi.repository import GLib, Gtk

def show(app):
    label, button = Gtk.Label(label="0 of 3"), Gtk.Button(label="Count")
    def count():
        number = int(label.get_label()[0]) + 1
        label.set_label(f"{number} of 3")
        return number < 3
    button.connect("clicked", lambda _: GLib.timeout_add(500, count) and None)
    box = Gtk.Box()
    box.append(label)
    box.append(button)
    Gtk.ApplicationWindow(application=app, child=box).present()

app = Gtk.Application(application_id="io.github.steadyusb.Counter")
app.connect("activate", show)
app.run()
"#;

#[test]
fn a_killed_lab_is_no_hindrance_and_down_leaves_nothing() {
    let own = Own::up("killed");
    own.0.plug(&PlugOptions::default()).unwrap();
    let pid = fs::read_to_string(own.1.join("state.json")).unwrap();
    let state: serde_json::Value = serde_json::from_str(&pid).unwrap();
    let qemu = state["qemu"]["pid"].to_string();
    assert!(
        Command::new("kill")
            .args(["-KILL", &qemu])
            .status()
            .unwrap()
            .success()
    );
    while own.0.is_up() {
        std::thread::sleep(Duration::from_millis(50));
    }

    own.0.up().unwrap();
    assert!(own.0.sticks().is_empty());
    let greeting = own.0.run(&["echo", "here"]).unwrap();
    assert_eq!((greeting.code, greeting.text().as_str()), (0, "here"));

    own.0.plug(&PlugOptions::default()).unwrap();
    own.0.down().unwrap();
    assert_eq!(own.processes(), Vec::<String>::new());
}
