//! Everything by keys alone, as whoever has no pointer works: after each key something has the
//! focus, and a screen reader can say what.

mod common;

use std::{
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use common::{copy_of, formatted_image, image_arrives, pulled, put_disk, put_source};
use steady_lab::{Element, Lab, PlugOptions};

const MIB: u64 = 1 << 20;
/// More steps than any page has.
const STEPS: usize = 40;
/// As long as a page takes to come on a busy machine.
const SOON: Duration = Duration::from_secs(30);

/// Keys in the program's window.
struct Keys<'a>(&'a Lab);

impl<'a> Keys<'a> {
    /// Starts the program and waits for its window.
    fn open(lab: &'a Lab) -> Result<Self> {
        lab.start(&["steady"])?;
        let keys = Self(lab);
        lab.wait("button", "Choose Files…")?;
        keys.focus()?;
        Ok(keys)
    }

    /// What has the focus. Something always has.
    fn focus(&self) -> Result<Element> {
        let begun = Instant::now();
        loop {
            match self.0.focus()? {
                Some(element) => {
                    let told = !element.name.is_empty() || element.text.is_some();
                    ensure!(
                        told,
                        "nothing can be said of {element:?}:\n{}",
                        self.0.tree()?
                    );
                    return Ok(element);
                }
                None if begun.elapsed() > SOON => {
                    anyhow::bail!("the focus is lost:\n{}", self.0.tree()?)
                }
                None => thread::sleep(Duration::from_millis(200)),
            }
        }
    }

    fn press(&self, keys: &str) -> Result<()> {
        self.0.key(keys)
    }

    fn write(&self, text: &str) -> Result<()> {
        let named = |sign| match sign {
            '/' => "slash".to_owned(),
            '.' => "period".to_owned(),
            ' ' => "space".to_owned(),
            other => other.to_string(),
        };
        let keys: Vec<_> = text.chars().map(named).collect();
        self.press(&keys.join(" "))
    }

    /// Goes on with Tab until that has the focus, which never is nowhere on the way.
    fn to(&self, name: &str) -> Result<()> {
        let mut seen = Vec::new();
        for _ in 0..STEPS {
            let focus = self.focus()?;
            if focus.name == name || focus.name.starts_with(name) {
                return Ok(());
            }
            seen.push(format!("{} {:?}", focus.role, focus.name));
            self.press("Tab")?;
            // The program answers a moment later.
            let begun = Instant::now();
            while self.0.focus()?.as_ref() == Some(&focus)
                && begun.elapsed() < Duration::from_secs(2)
            {}
        }
        anyhow::bail!(
            "Tab does not come to {name:?}, only to {seen:#?}\n{}",
            self.0.tree()?
        )
    }

    /// Goes to that and presses it.
    fn use_it(&self, name: &str) -> Result<()> {
        self.to(name)?;
        self.press("space")
    }

    /// From the chosen files to the sticks.
    fn go_on(&self) -> Result<()> {
        self.use_it("Continue")?;
        self.0.wait("heading", "Which stick?")?;
        self.focus().map(drop)
    }

    /// Waits for the end of the job.
    fn end(&self) -> Result<()> {
        self.focus()?;
        self.0.wait("label", "Safe to unplug")?;
        self.focus().map(drop)
    }
}

/// Files are chosen with Ctrl+O, the stick is formatted, and from the end one goes on to the next.
#[test]
fn long_x08_a_copy_with_format_by_keys() -> Result<()> {
    let lab = Lab::ready()?;
    let song = put_source(&lab, "song.ogg", 1_500_000)?;
    let stick = lab.plug(&PlugOptions {
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    let keys = Keys::open(&lab)?;
    keys.press("ctrl+o")?;
    lab.wait("file chooser", "Choose Files")?;
    keys.press("ctrl+l")?;
    // The system's own dialog: its field has to be there before it can take keys.
    lab.wait("text", "")?;
    let begun = Instant::now();
    while lab.read("text", "")?.text.as_deref() != Some("/home/tester/song.ogg") {
        ensure!(begun.elapsed() < SOON * 4, "the path is not taken");
        keys.press("ctrl+a")?;
        keys.write("/home/tester/song.ogg")?;
    }
    keys.press("Return")?;
    // It lists the song, too.
    let begun = Instant::now();
    while lab.read("file chooser", "Choose Files").is_ok() {
        ensure!(begun.elapsed() < SOON * 4, "the chooser stays");
    }
    lab.wait("list item", "song.ogg")?;
    keys.focus()?;
    keys.go_on()?;
    // Escape goes back, and what was chosen is still there.
    keys.press("Escape")?;
    lab.wait("list item", "song.ogg")?;
    keys.go_on()?;
    lab.wait("radio button", "/./")?;
    keys.use_it("Format first")?;
    keys.to("Name of the stick")?;
    keys.write("MUSIC")?;
    keys.use_it("Continue")?;
    lab.wait("button", "Erase and Copy")?;
    let first = keys.focus()?;
    ensure!(
        first.name == "Cancel",
        "nothing is erased by Return alone: {first:?}"
    );
    keys.use_it("Erase and Copy")?;
    keys.end()?;
    lab.read("label", "1.5 MB")?;

    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    assert_eq!(medium.label()?, "MUSIC");
    assert_eq!(medium.list()?, ["song.ogg"]);
    assert!(medium.read("song.ogg")? == Some(song));

    keys.use_it("Copy More")?;
    lab.wait("heading", "What should go on the stick?")?;
    keys.focus()?;
    keys.press("ctrl+q")?;
    common::gone(&lab, "steady")
}

/// A folder is pasted; of the two things to decide one is decided otherwise than proposed.
#[test]
fn long_x08_a_copy_with_problems_by_keys() -> Result<()> {
    let lab = Lab::ready()?;
    let folder = "mkdir demo; cd demo; echo 1 >'a?b.txt'; echo 2 >fine.txt; ln -s fine.txt link";
    lab.run(&["sh", "-c", &format!("cd /home/tester; {folder}")])?
        .success()?;
    let stick = lab.plug(&PlugOptions {
        image: Some(copy_of(&formatted_image(&lab, 600 * MIB)?, "keys")?),
        ..PlugOptions::default()
    })?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clipboard.py");
    lab.put(&script, "/home/tester/clipboard.py")?;
    lab.start(&["python3", "/home/tester/clipboard.py", "/home/tester/demo"])?;
    let keys = Keys::open(&lab)?;
    // The clipboard is filled a moment after its holder has started.
    let begun = Instant::now();
    while lab.read("list item", "demo").is_err() {
        ensure!(
            begun.elapsed() < SOON,
            "nothing was pasted:\n{}",
            lab.tree()?
        );
        keys.press("ctrl+v")?;
        thread::sleep(Duration::from_secs(1));
    }
    keys.go_on()?;
    lab.wait("radio button", "/./")?;
    keys.use_it("Copy")?;
    lab.wait("heading", "2 things to decide")?;
    keys.to("What to do")?;
    keys.press("space")?;
    keys.focus()?;
    keys.press("Down Return")?;
    keys.use_it("Copy")?;
    keys.end()?;
    let medium = pulled(&lab, &stick)?;
    medium.check()?;
    let listed = medium.list()?;
    ensure!(listed.contains(&"demo/fine.txt".to_owned()), "{listed:?}");
    ensure!(
        !listed.contains(&"demo/a_b.txt".to_owned()),
        "it was to be left out: {listed:?}"
    );
    Ok(())
}

/// An image is written once the password is typed.
#[test]
fn long_x08_an_image_by_keys() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 20)?;
    let stick = lab.plug(&PlugOptions {
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    lab.start(&["steady", "/home/tester/disk.img"])?;
    lab.wait("radio button", "Write as bootable image")?;
    let keys = Keys(&lab);
    keys.go_on()?;
    lab.wait("check box", "/./")?;
    keys.use_it("Continue")?;
    lab.wait("heading", "/^Erase .*[?]$/")?;
    let first = keys.focus()?;
    ensure!(
        first.name == "Cancel",
        "nothing is erased by Return alone: {first:?}"
    );
    keys.use_it("Erase and Write")?;
    lab.wait("password text", "/^/")?;
    keys.write(Lab::PASSWORD)?;
    keys.press("Return")?;
    keys.end()?;
    image_arrives(&lab, &stick, "disk.img", &disk)
}

/// Help, keys and the menu come and go by keys, and the focus comes back to where it was.
#[test]
fn what_keys_open_escape_closes() -> Result<()> {
    let lab = Lab::ready()?;
    let keys = Keys::open(&lab)?;
    keys.to("Choose Folder…")?;
    for (key, heading) in [
        ("F1", "Help"),
        ("ctrl+question", "Keyboard Shortcuts"),
        ("ctrl+comma", "Preferences"),
    ] {
        keys.press(key)?;
        lab.wait("dialog", heading)
            .with_context(|| format!("after {key}"))?;
        keys.focus()?;
        keys.press("Escape")?;
        let begun = Instant::now();
        while keys.focus()?.name != "Choose Folder…" {
            ensure!(begun.elapsed() < SOON, "{key}: {:?}", keys.focus()?);
        }
    }
    keys.press("F10")?;
    lab.wait("menu item", "Format a Stick")?;
    keys.focus()?;
    keys.press("Escape")?;
    keys.focus()?;
    keys.press("ctrl+w")?;
    common::gone(&lab, "steady")
}
