//! Writing images with the command line onto emulated sticks, with the password really asked for.

mod common;

use anyhow::{Context, Result, bail, ensure};
use common::{
    Story, beginning, give_password, mounted_stick, put_disk, put_packed_disk, put_source,
    steady_cli,
};
use serde_json::Value;
use steady_lab::{Lab, PlugOptions, Stick};

const MIB: u64 = 1 << 20;

/// Starts writing, and gives the password.
fn start(lab: &Lab, image: &str, stick: &Stick, more: &str) -> Result<Story> {
    let arguments = format!(
        "write /home/tester/{image} --to {} --yes {more}",
        stick.device
    );
    let story = Story::start(lab, &arguments)?;
    give_password(lab)?;
    Ok(story)
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
    let disk = put_packed_disk(&lab, 20)?;
    let (stick, part) = mounted_stick(&lab)?;
    let mounted = ["findmnt", "-n", "-o", "TARGET", &part];

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
    assert_eq!(
        phases,
        ["preparing", "probing", "writing", "checking", "finishing"]
    );
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
/// looks like one to start from. The next run works.
#[test]
fn w01_a_stick_that_is_pulled_has_failed_and_does_not_look_finished() -> Result<()> {
    pulls(3)
}

#[test]
fn long_w01_a_stick_that_is_pulled_has_failed_and_does_not_look_finished() -> Result<()> {
    pulls(20)
}

/// Pulls so many sticks, at moments spread over writing and reading back.
fn pulls(count: u64) -> Result<()> {
    const SIZE: u64 = 24;
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", SIZE)?;
    for pull in 0..count {
        let stick = lab.plug(&PlugOptions {
            profile: format!("volatile:wbps=8e6,rbps=8e6,keep=0.5,seed={pull}"),
            size: 64 * MIB,
            name: Some(format!("pull{pull}")),
            ..PlugOptions::default()
        })?;
        let due = 2 * SIZE * MIB * (2 * pull + 1) / (2 * count);
        let mut story = start(&lab, "disk.img", &stick, "")?;
        loop {
            let event = story.next()?.context("it ended before it was pulled")?;
            let bytes = |name: &str| event[name].as_u64().unwrap_or(0);
            if bytes("confirmed") + bytes("checked") >= due {
                break;
            }
        }
        let left = beginning(&lab, &stick, disk.len())?;
        let mut was_finishing = false;
        while let Some(event) = story.next()? {
            was_finishing |= event["phase"] == "finishing";
        }
        // Its events go to whoever listens first.
        let end = story.end.take().context("its end")?;
        drop(story);
        unfinished(&end, "target_gone");
        // Only one that was pulled while the first block was on its way may have it, and is whole.
        let looks_finished = left[..512] == disk[..512];
        ensure!(
            !looks_finished || (was_finishing && left == disk),
            "it looks finished, pulled at {due}"
        );
        if pull + 1 == count || pull % 5 == 4 {
            let again = lab.plug(&PlugOptions {
                image: Some(stick.image_path().to_path_buf()),
                name: Some(format!("pull{pull}again")),
                ..PlugOptions::default()
            })?;
            let end = start(&lab, "disk.img", &again, "")?.finish()?;
            assert_eq!(end["event"], "done", "{end}");
            assert!(beginning(&lab, &again, disk.len())? == disk);
        }
    }
    println!("figure: {count} pulls, none looks finished without being it");
    Ok(())
}

/// Three sticks from one reading: the slow one is not waited for, the dead one fails alone.
#[test]
fn long_three_sticks_each_come_to_their_own_end() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 100)?;
    let plug = |name: &str, profile: &str| {
        lab.plug(&PlugOptions {
            profile: profile.into(),
            size: 128 * MIB,
            name: Some(name.into()),
            ..PlugOptions::default()
        })
    };
    let quick = plug("quick", "even:wbps=8e6,rbps=16e6")?;
    let slow = plug("slow", "even:wbps=4e6,rbps=16e6")?;
    let dead = plug("dead", "dies:at=30e6")?;
    let command = format!(
        "exec steady-cli write /home/tester/disk.img --to {} {} {} --yes --json >/run/steady-lab/events",
        quick.device, slow.device, dead.device
    );
    let events = lab.events()?;
    lab.start(&["sh", "-c", &command])?;
    give_password(&lab)?;
    let mut ends = std::collections::BTreeMap::new();
    // How far the slow one is, and was when all of the quick one was written.
    let (mut slow_bytes, mut behind) = (0, None);
    while ends.len() < 3 {
        let (_, line) = events.next_within(common::PATIENCE).context("silence")?;
        let event: Value = serde_json::from_str(&line)?;
        let stick = event["stick"].as_str().unwrap_or_default().to_lowercase();
        let Some(name) = ["quick", "slow", "dead"]
            .into_iter()
            .find(|name| stick.contains(name))
        else {
            continue;
        };
        match (event["event"].as_str(), name) {
            (Some("done" | "failed" | "cancelled"), _) => {
                ends.insert(name, event);
            }
            (Some("progress"), "slow") => {
                slow_bytes = event["confirmed"].as_u64().unwrap_or(slow_bytes);
            }
            (Some("phase"), "quick") if event["phase"] == "checking" => {
                behind = Some(slow_bytes);
            }
            _ => {}
        }
    }
    for name in ["quick", "slow"] {
        assert_eq!(ends[name]["event"], "done", "{}", ends[name]);
        assert_eq!(ends[name]["checked"], true);
    }
    // It is still plugged in, and answers with errors.
    unfinished(&ends["dead"], "io_error");
    let seconds = |name: &str| ends[name]["seconds"].as_f64().unwrap_or(f64::NAN);
    println!(
        "figure: quick {:.1} s, slow {:.1} s, dead after {:.1} s",
        seconds("quick"),
        seconds("slow"),
        seconds("dead")
    );
    // The ring is shared: half the speed must not be everybody's.
    let behind = behind.context("the quick one was not checked")?;
    println!("figure: when all of the quick one was written, the slow one had {behind} bytes");
    assert!(behind < disk.len() as u64 * 9 / 10);
    assert!(seconds("dead") < seconds("slow"));
    for stick in [&quick, &slow] {
        assert!(beginning(&lab, stick, disk.len())? == disk);
    }
    assert!(beginning(&lab, &dead, 512)? != disk[..512]);
    Ok(())
}

/// Reading back is as quick as the stick is with large requests, where each command takes its time.
#[test]
fn long_reading_back_is_as_quick_as_one_sequential_read() -> Result<()> {
    const SIZE: u64 = 192;
    let lab = Lab::ready()?;
    put_disk(&lab, "disk.img", SIZE)?;
    let stick = lab.plug(&PlugOptions {
        profile: "commands".into(),
        size: 256 * MIB,
        ..PlugOptions::default()
    })?;
    // Seconds, and the commands that the stick has seen.
    let limit = || -> Result<(f64, u64)> {
        let commands = stick.counters()?.read_commands;
        let read = format!(
            "sync; s=$(date +%s%N); dd if={} of=/dev/null iflag=direct bs=4M count={} status=none; echo $(($(date +%s%N) - s))",
            stick.device,
            SIZE / 4
        );
        let nanoseconds: f64 = lab
            .run_root(&["sh", "-c", &read])?
            .success()?
            .text()
            .trim()
            .parse()?;
        Ok((
            nanoseconds / 1e9,
            stick.counters()?.read_commands - commands,
        ))
    };
    let before = limit()?;
    // Its last event, and the CPU seconds of the whole.
    let run = |more: &str| -> Result<(Value, f64)> {
        let command = format!(
            "steady-cli write /home/tester/disk.img --to {} --yes --no-power-off {more} --json >/run/steady-lab/events
             times >/home/tester/all-times; tail -n 1 /home/tester/all-times >/home/tester/times",
            stick.device
        );
        let story = Story::start_shell(&lab, &command)?;
        give_password(&lab)?;
        let end = story.finish()?;
        assert_eq!(end["event"], "done", "{end}");
        let times = "until [ -s /home/tester/times ]; do sleep 0.1; done; tr ms '  ' </home/tester/times; rm /home/tester/times";
        let times = lab.run(&["sh", "-c", times])?.success()?.text();
        let times: Vec<f64> = times.split_whitespace().flat_map(str::parse).collect();
        let [minutes, seconds, system_minutes, system] = times[..] else {
            bail!("{times:?} are no times");
        };
        Ok((end, (minutes + system_minutes) * 60.0 + seconds + system))
    };
    let (_, unchecked) = run("--no-check")?;
    let commands = stick.counters()?.read_commands;
    let (end, checked) = run("")?;
    let commands = stick.counters()?.read_commands - commands;
    let seconds = end["check_seconds"].as_f64().context("no time")?;
    let after = limit()?;
    let best = before.0.min(after.0);
    println!(
        "figure: read back at {:.3} of one sequential direct read ({seconds:.1} s, {best:.1} s), with {:.1} CPU seconds of the emulated computer and {commands} commands (against {} and {})",
        best / seconds,
        checked - unchecked,
        before.1,
        after.1
    );
    assert!(best / seconds >= 0.97);
    Ok(())
}

/// A stick with sectors of 4096 bytes: an image made for others is told before, and is written as it is.
#[test]
fn i13_a_stick_with_large_sectors_is_told_of_and_written() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 8)?;
    let stick = lab.plug(&PlugOptions {
        profile: "4kn".into(),
        size: 64 * MIB,
        ..PlugOptions::default()
    })?;
    let mut story = start(&lab, "disk.img", &stick, "")?;
    let mut told = Vec::new();
    while let Some(event) = story.next()? {
        if event["event"] == "problem" {
            told.push(event["kind"].as_str().unwrap_or_default().to_owned());
        }
    }
    let end = story.end.context("its end")?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(told, ["sector_size"]);
    assert!(beginning(&lab, &stick, disk.len())? == disk);
    Ok(())
}

/// An automounter takes hold of each new partition: not while it is written and read back.
#[test]
fn b01_an_automounter_does_not_spoil_the_check() -> Result<()> {
    let lab = Lab::ready()?;
    // Made here: a loop device in the guest would be mounted, too, and ask for a password.
    let image = tempfile::NamedTempFile::new()?;
    let make = r"truncate -s 40M $0; printf ',20M,c\n,,83\n' | sfdisk -q $0; mkfs.fat -n FATPART --offset 2048 $0 20480; mke2fs -q -t ext4 -L EXTPART -E offset=22020096 $0 19456k";
    let status = std::process::Command::new("sh")
        .args(["-ec", make])
        .arg(image.path())
        .status()?;
    ensure!(status.success(), "making the image failed");
    lab.put(image.path(), "/home/tester/disk.img")?;
    let stick = lab.plug(&PlugOptions {
        size: 64 * MIB,
        ..PlugOptions::default()
    })?;
    for _ in 0..2 {
        let end = start(&lab, "disk.img", &stick, "--no-power-off")?.finish()?;
        assert_eq!(end["event"], "done", "{end}");
        assert_eq!(end["checked"], true, "{end}");
        assert_eq!(end["safe_to_unplug"], true, "{end}");
        // They appear afterwards, and what was mounted of them meanwhile is not any more.
        let parts = format!(
            "until lsblk -nro LABEL {0} | grep -q FATPART && lsblk -nro LABEL {0} | grep -q EXTPART; do sleep 0.3; done",
            stick.device
        );
        lab.run(&["sh", "-c", &parts])?.success()?;
        let mounted = format!("sleep 5; lsblk -nro MOUNTPOINTS {} | grep /", stick.device);
        let mounted = lab.run(&["sh", "-c", &mounted])?;
        ensure!(
            mounted.code == 1,
            "called safe and mounted: {}",
            mounted.text()
        );
    }
    Ok(())
}

/// On a terminal, with no desktop that asks: the password is typed there. Its first argument is the
/// password, the others are the command.
const TYPED: &str = r"
import os, pty, sys, time
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
shown, typed = b'', False
while True:
    try:
        part = os.read(terminal, 4096)
    except OSError:
        break
    shown += part
    if not typed and b'assword' in shown:
        # Its echo is switched off right after it has asked.
        time.sleep(2)
        os.write(terminal, sys.argv[1].encode() + b'\n')
        typed = True
    if not part:
        break
print(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
";

#[test]
fn without_a_desktop_that_asks_the_terminal_does_or_nothing_is_touched() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 4)?;
    let stick = lab.plug(&PlugOptions {
        size: 64 * MIB,
        ..PlugOptions::default()
    })?;
    lab.run(&["pkill", "-x", "lxpolkit"])?.success()?;
    let image = "/home/tester/disk.img";
    let write = ["write", image, "--to", &stick.device, "--yes"];
    let (code, lines, said) = steady_cli(&lab, &[&write[..], &["--json"]].concat())?;
    let end = lines.last().context("no last line")?;
    assert_eq!((code, &end["kind"]), (1, &"no_agent".into()), "{said}");
    let (code, _, said) = steady_cli(&lab, &write)?;
    assert!(code == 1 && said.contains("password"), "{code}: {said}");
    assert_eq!(stick.counters()?.bytes_written, 0);

    let typed = ["python3", "-c", TYPED, Lab::PASSWORD, "steady-cli"];
    let written = lab.run(&[&typed[..], &write].concat())?;
    let shown = written.text();
    assert_eq!(written.code, 0, "{shown}");
    assert!(shown.contains("Safe to unplug."), "{shown}");
    assert!(!shown.contains(Lab::PASSWORD), "{shown}");
    assert!(beginning(&lab, &stick, disk.len())? == disk);
    Ok(())
}

/// What an installer, a GPT at both ends and other systems have left is gone after formatting.
#[test]
fn l01_nothing_old_is_found_on_a_formatted_stick() -> Result<()> {
    let lab = Lab::ready()?;
    let options = PlugOptions {
        size: 700 * MIB,
        ..PlugOptions::default()
    };
    // A GPT whose beginning is destroyed, an ISO 9660 over it, and a btrfs in the middle.
    let plant = r"echo label: gpt | sfdisk -q $D; dd if=/dev/zero of=$D bs=1M count=1 conv=notrunc status=none; printf '\001CD001\001' | dd of=$D bs=1 seek=32768 conv=notrunc status=none; printf 'ER\002\000' | dd of=$D bs=1 conv=notrunc status=none; truncate -s 120M /tmp/b; mkfs.btrfs -q /tmp/b; dd if=/tmp/b of=$D bs=64K skip=1 seek=1 count=1 conv=notrunc status=none; rm /tmp/b; sync";
    let stick = common::prepared(&lab, &options, plant)?;
    let marks = |device: &str| -> Result<Vec<String>> {
        let told = lab.run_root(&["wipefs", "-n", "-O", "TYPE,OFFSET", "--noheadings", device])?;
        let told = told.success()?.text();
        let kinds = told
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        Ok(kinds.map(str::to_owned).collect())
    };
    let before = marks(&stick.device)?;
    assert!(
        before.contains(&"gpt".to_owned()) && before.contains(&"iso9660".to_owned()),
        "{before:?}"
    );
    let part = format!("{}1", stick.device);
    for (fs, kind, check) in [
        ("fat32", "vfat", "fsck.vfat"),
        ("exfat", "exfat", "fsck.exfat"),
    ] {
        let format = ["steady-cli", "format", &stick.device, "--yes", "--fs", fs];
        lab.run(&[&format[..], &["--label", "NEW"]].concat())?
            .success()?;
        assert_eq!(marks(&stick.device)?, ["dos"]);
        let found = marks(&part)?;
        // The end of exFAT's first sector looks like a table to wipefs, on each stick of that kind.
        assert!(
            found.iter().all(|it| it == kind || it == "dos"),
            "{found:?}"
        );
        lab.run_root(&[check, "-n", &part])?.success()?;
        let number = ["sfdisk", "--part-type", &stick.device, "1"];
        let number = lab.run_root(&number)?.success()?.text();
        let expected = if fs == "fat32" { "c" } else { "7" };
        assert_eq!(number.trim(), expected, "{fs}");
    }
    Ok(())
}

/// A stick that claims four times what it has is found out before the first byte of the image.
#[test]
fn w04_a_stick_with_less_room_than_it_claims_is_named() -> Result<()> {
    let lab = Lab::ready()?;
    put_disk(&lab, "disk.img", 24)?;
    let stick = lab.plug(&PlugOptions {
        profile: "fake:claims=64M,has=16M".into(),
        ..PlugOptions::default()
    })?;
    let end = start(&lab, "disk.img", &stick, "")?.finish()?;
    assert_eq!(end["event"], "failed", "{end}");
    assert_eq!(end["kind"], "fake_capacity", "{end}");
    assert_eq!(end["on_stick"]["partial"], 0, "{end}");
    assert_eq!(end["on_stick"]["missing"], 1, "{end}");
    let told = end["detail"].as_str().unwrap_or_default();
    assert!(told.contains("67.1 MB, but has only 16.7 MB"), "{told}");
    // Not a byte of the image, and nothing that was tried.
    let left = beginning(&lab, &stick, 16 << 20)?;
    assert!(left.iter().all(|byte| *byte == 0), "something was written");
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
