//! Writing images with the command line onto emulated sticks, with the password really asked for.

mod common;

use anyhow::{Context, Result, ensure};
use common::{Story, copy_of, formatted_image, put_disk, put_source, read_beginning, steady_cli};
use serde_json::Value;
use steady_lab::{Clicks, Lab, PlugOptions, Stick};

const MIB: u64 = 1 << 20;

/// Starts writing, and gives the password.
fn start(lab: &Lab, image: &str, stick: &Stick, more: &str) -> Result<Story> {
    let arguments = format!(
        "write /home/tester/{image} --to {} --yes {more}",
        stick.device
    );
    let story = Story::start(lab, &arguments)?;
    Clicks::new(lab, None).give_password()?;
    Ok(story)
}

/// Pulls the stick, if it is still in, and reads what is at its beginning.
fn beginning(lab: &Lab, stick: &Stick, length: usize) -> Result<Vec<u8>> {
    lab.unplug(stick)?;
    read_beginning(stick.image_path(), length)
}

fn unfinished(end: &Value, kind: &str) {
    assert_eq!(end["event"], "failed", "{end}");
    assert_eq!(end["kind"], kind, "{end}");
    assert_eq!(end["checked"], false, "{end}");
    assert_eq!(end["safe_to_unplug"], false, "{end}");
    assert_eq!(end["on_stick"]["complete"], 0, "{end}");
    assert_eq!(end["on_stick"]["partial"], 1, "{end}");
}

/// The password is asked for before anything is touched; dismissed, nothing was. Given, the image
/// is on the stick to the byte, and the stick is switched off.
#[test]
fn an_image_is_written_once_the_password_is_given() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 20)?;
    let pack = "import lzma;open('/home/tester/disk.img.xz','wb').write(lzma.compress(open('/home/tester/disk.img','rb').read(),preset=0))";
    lab.run(&["python3", "-c", pack])?.success()?;
    let blank = formatted_image(&lab, 600 * MIB)?;
    let stick = lab.plug(&PlugOptions {
        image: Some(copy_of(&blank, "image")?),
        ..PlugOptions::default()
    })?;
    let part = format!("{}1", stick.device);
    let mounted = ["findmnt", "-n", "-o", "TARGET", &part];
    let mount = format!("findmnt {part} || udisksctl mount -b {part}; sync");
    lab.run(&["sh", "-c", &mount])?.success()?;

    let before = stick.counters()?.bytes_written;
    let command = format!(
        "steady-cli write /home/tester/disk.img.xz --to {} --yes --json >/run/steady-lab/events; echo $? >/home/tester/exit",
        stick.device
    );
    let story = Story::start_shell(&lab, &command)?;
    lab.wait("password text", "/^/")?;
    lab.run(&mounted)?.success()?;
    lab.click("button", "/^_?Cancel$/")?;
    let end = story.finish()?;
    assert_eq!(end["event"], "cancelled", "{end}");
    assert_eq!(end["on_stick"]["partial"], 0, "{end}");
    lab.run(&mounted)?.success()?;
    assert_eq!(
        stick.counters()?.bytes_written,
        before,
        "nothing was touched"
    );
    let exit = "until [ -s /home/tester/exit ]; do sleep 0.1; done; cat /home/tester/exit";
    assert_eq!(lab.run(&["sh", "-c", exit])?.text().trim(), "130");

    let mut story = start(&lab, "disk.img.xz", &stick, "")?;
    let (mut phases, mut share) = (Vec::new(), 0.0);
    while let Some(event) = story.next()? {
        match event["event"].as_str() {
            Some("phase") => phases.push(event["phase"].as_str().unwrap_or_default().to_owned()),
            Some("progress") => {
                let now = event["share"].as_f64().unwrap_or(-1.0);
                assert!(share <= now && now <= 1.0, "{event}");
                share = now;
            }
            _ => {}
        }
    }
    let end = story.end.context("its end")?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["checked"], true, "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    assert_eq!(end["bytes"], 20 * MIB, "{end}");
    assert_eq!(end["strategy"], "bulk");
    assert_eq!(end["on_stick"]["complete_items"][0], "disk.img.xz");
    assert_eq!(phases, ["preparing", "writing", "checking", "finishing"]);
    println!("figure: 20 MiB of .xz in {} s, checked", end["seconds"]);
    // It is switched off.
    let (_, lines, _) = steady_cli(&lab, &["list", "--json"])?;
    assert_eq!(lines[0]["sticks"].as_array().map(Vec::len), Some(0));
    assert!(
        beginning(&lab, &stick, disk.len())? == disk,
        "another image"
    );
    Ok(())
}

/// Pulled while writing, late, and while it is read back: always failed, and never a stick that
/// looks like one to start from.
#[test]
fn w01_a_stick_that_is_pulled_has_failed_and_does_not_look_finished() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 24)?;
    for (number, (phase, counter, at)) in [
        ("writing", "confirmed", 4 * MIB),
        ("writing", "confirmed", 18 * MIB),
        ("checking", "checked", 8 * MIB),
    ]
    .into_iter()
    .enumerate()
    {
        let stick = lab.plug(&PlugOptions {
            profile: format!("volatile:wbps=8e6,rbps=8e6,keep=0.5,seed={number}"),
            size: 64 * MIB,
            ..PlugOptions::default()
        })?;
        let mut story = start(&lab, "disk.img", &stick, "")?;
        loop {
            let event = story.next()?.context("it ended before it was pulled")?;
            if event["phase"] == phase && event[counter].as_u64() >= Some(at) {
                break;
            }
        }
        let first = beginning(&lab, &stick, 512)?;
        unfinished(&story.finish()?, "target_gone");
        assert!(first != disk[..512], "it looks finished, pulled at {at}");
    }
    Ok(())
}

/// A stick that claims four times what it has: the image is lost in part, and that is said.
#[test]
fn w04_a_stick_with_less_room_than_it_claims_is_named() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 24)?;
    let stick = lab.plug(&PlugOptions {
        profile: "fake:claims=64M,has=16M".into(),
        ..PlugOptions::default()
    })?;
    let end = start(&lab, "disk.img", &stick, "")?.finish()?;
    unfinished(&end, "fake_capacity");
    let told = end["detail"].as_str().unwrap_or_default();
    assert!(told.contains("less room than it claims"), "{told}");
    assert!(beginning(&lab, &stick, 512)? != disk[..512]);
    Ok(())
}

/// The place that can't be read back is told.
#[test]
fn a_bad_place_is_named() -> Result<()> {
    let lab = Lab::ready()?;
    put_disk(&lab, "disk.img", 12)?;
    let stick = lab.plug(&PlugOptions {
        profile: "bad:range=9M-9220K,op=read".into(),
        size: 64 * MIB,
        ..PlugOptions::default()
    })?;
    let end = start(&lab, "disk.img", &stick, "")?.finish()?;
    unfinished(&end, "io_error");
    assert_eq!(end["offset"], 9 * MIB, "{end}");
    let told = end["detail"].as_str().unwrap_or_default();
    assert!(told.starts_with("9.4 MB from its start"), "{told}");
    Ok(())
}

/// What is no image, or does not fit, is refused before anybody is asked for a password.
#[test]
fn i01_i10_what_cannot_be_written_is_refused_before_anything() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "noise.img", 1_000_000)?;
    let make = "cd /home/tester; : >empty.img; echo words >text.iso; truncate -s 64M large.img; printf 'EFI PART' | dd of=large.img bs=512 seek=1 conv=notrunc status=none";
    lab.run(&["sh", "-c", make])?.success()?;
    let stick = lab.plug(&PlugOptions {
        size: 63 * MIB,
        ..PlugOptions::default()
    })?;
    for (name, kind, more) in [
        ("empty.img", "image_empty", &[][..]),
        ("text.iso", "not_an_image", &[]),
        ("none.img", "source_gone", &[]),
        ("large.img", "image_too_large", &[]),
        (
            "noise.img",
            "not_a_checksum",
            &["--checksum-file", "/home/tester/text.iso"],
        ),
    ] {
        let path = format!("/home/tester/{name}");
        let write = ["write", &path, "--to", &stick.device, "--yes", "--json"];
        let (code, lines, said) = steady_cli(&lab, &[&write[..], more].concat())?;
        ensure!(code == 2, "{name}: exit {code}, {said}");
        ensure!(
            lines.iter().any(|line| line["kind"] == kind),
            "{name}: {lines:?}"
        );
    }
    assert_eq!(stick.counters()?.bytes_written, 0);
    ensure!(
        lab.read("password text", "/^/").is_err(),
        "somebody was asked"
    );
    Ok(())
}
