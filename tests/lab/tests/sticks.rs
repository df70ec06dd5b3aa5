//! Which sticks are offered, live: the list is held against UDisks2's own, and what must never be
//! written is not.

mod common;

use std::collections::BTreeSet;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use common::{
    PATIENCE, Story, beginning, copy_of, formatted_image, give_password, prepared, put_disk,
    put_source, read, steady_cli,
};
use serde_json::Value;
use steady_lab::{Bus, Events, Lab, PlugOptions, Stick};

const MIB: u64 = 1 << 20;
const MB: usize = 1_000_000;

/// A stick as a row of the list: its node, its size and its serial number.
type Row = (String, u64, String);

/// The USB drives with a medium that UDisks2 itself tells of.
fn truth(lab: &Lab) -> Result<BTreeSet<Row>> {
    let call = "busctl --system --json=short call org.freedesktop.UDisks2 /org/freedesktop/UDisks2 org.freedesktop.DBus.ObjectManager GetManagedObjects";
    let answer: Value = serde_json::from_str(&lab.run(&["sh", "-c", call])?.success()?.text())?;
    let objects = answer["data"][0].as_object().context("no objects")?;
    let mut rows = BTreeSet::new();
    for object in objects.values() {
        let block = &object["org.freedesktop.UDisks2.Block"];
        let drive = block["Drive"]["data"].as_str().unwrap_or("/");
        let is_partition = !object["org.freedesktop.UDisks2.Partition"].is_null();
        let drive = &objects.get(drive).unwrap_or(&Value::Null)["org.freedesktop.UDisks2.Drive"];
        if is_partition || drive["ConnectionBus"]["data"] != "usb" {
            continue;
        }
        let device = block["Device"]["data"].as_array().context("no node")?;
        let device = device.iter().filter_map(Value::as_u64);
        let device: Vec<u8> = device.map(|byte| byte as u8).filter(|it| *it > 0).collect();
        rows.insert((
            String::from_utf8(device)?,
            block["Size"]["data"].as_u64().context("no size")?,
            drive["Serial"]["data"].as_str().unwrap_or("").to_owned(),
        ));
    }
    Ok(rows)
}

/// `steady-cli list --watch`, followed.
struct Watched {
    events: Events,
    /// The rows told last, in their order.
    rows: Vec<Row>,
    process: String,
}

impl Watched {
    fn start(lab: &Lab) -> Result<Self> {
        let events = lab.events()?;
        let watch = "exec steady-cli list --json --watch >/run/steady-lab/events";
        lab.start(&["sh", "-c", watch])?;
        let (_, first) = events.next_within(PATIENCE).context("no list")?;
        let process = lab.run(&["pgrep", "-nx", "steady-cli"])?.success()?.text();
        Ok(Self {
            events,
            rows: rows(&first)?,
            process: process.trim().to_owned(),
        })
    }

    /// Waits until the list tells what UDisks2 tells.
    fn agrees(&mut self, lab: &Lab, step: &str) -> Result<()> {
        let begun = Instant::now();
        loop {
            for (_, line) in self.events.arrived() {
                let new = rows(&line)?;
                // Those that stay keep their order.
                let stay = |list: &[Row], other: &[Row]| -> Vec<Row> {
                    let stay = list.iter().filter(|row| other.contains(row));
                    stay.cloned().collect()
                };
                ensure!(
                    stay(&self.rows, &new) == stay(&new, &self.rows),
                    "{step}: rows changed places: {:?} {new:?}",
                    self.rows
                );
                self.rows = new;
            }
            let truth = truth(lab)?;
            if self.rows.iter().cloned().collect::<BTreeSet<_>>() == truth {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                bail!("{step}: told {:?}, there is {truth:?}", self.rows);
            }
            if let Some((_, line)) = self.events.next_within(std::time::Duration::from_secs(1)) {
                self.rows = rows(&line)?;
            }
        }
    }

    /// Memory in kB, and how many match rules the bus holds for it.
    fn cost(&self, lab: &Lab) -> Result<(u64, usize)> {
        let status = format!("/proc/{}/status", self.process);
        let status = lab.run(&["cat", &status])?.success()?.text();
        let memory = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let memory = memory.and_then(|line| line.split_whitespace().next()?.parse().ok());
        let name = format!(
            "busctl --system --json=short list | python3 -c \"import json,sys;print(*[n['name'] for n in json.load(sys.stdin) if n['pid']=={} and n['name'].startswith(':')])\"",
            self.process
        );
        let name = lab.run_root(&["sh", "-c", &name])?.success()?.text();
        let rules = format!(
            "busctl --system --json=short call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus.Debug.Stats GetConnectionStats s {}",
            name.trim()
        );
        let rules = lab.run_root(&["sh", "-c", &rules])?.success()?.text();
        let rules: Value = serde_json::from_str(&rules)?;
        let rules = rules["data"][0]["MatchRules"]["data"].as_u64();
        Ok((
            memory.context("no memory")?,
            rules.context("no count of match rules")? as usize,
        ))
    }
}

fn rows(line: &str) -> Result<Vec<Row>> {
    let list: Value = serde_json::from_str(line)?;
    let sticks = list["sticks"].as_array().map_or(&[][..], Vec::as_slice);
    let row = |stick: &Value| {
        (
            stick["device"].as_str().unwrap_or_default().to_owned(),
            stick["size"].as_u64().unwrap_or_default(),
            stick["serial"].as_str().unwrap_or_default().to_owned(),
        )
    };
    Ok(sticks.iter().map(row).collect())
}

#[test]
fn the_list_is_always_that_of_udisks() -> Result<()> {
    watched(20, 3)
}

#[test]
fn long_the_list_is_always_that_of_udisks() -> Result<()> {
    watched(200, 6)
}

/// So many steps of plugging in and pulling out, chosen by a fixed seed.
fn watched(steps: u32, most: usize) -> Result<()> {
    let lab = Lab::ready()?;
    let mut watched = Watched::start(&lab)?;
    let mut plugged: Vec<Stick> = Vec::new();
    let mut seed = 4_u32;
    let mut any = |below: usize| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as usize % below
    };
    let mut costs = Vec::new();
    for step in 0..steps {
        if plugged.is_empty() || (plugged.len() < most && any(2) == 0) {
            let bus = [Bus::Usb2, Bus::Usb3][any(2)];
            plugged.push(lab.plug(&PlugOptions {
                size: (16 + any(64) as u64) * MIB,
                name: Some(format!("step{step}")),
                bus,
                ..PlugOptions::default()
            })?);
        } else {
            let which = any(plugged.len());
            lab.unplug(&plugged.remove(which))?;
        }
        watched.agrees(&lab, &format!("step {step}"))?;
        if step % 10 == 9 {
            costs.push(watched.cost(&lab)?);
        }
    }
    let (first, last) = (costs[0], costs[costs.len() - 1]);
    println!(
        "figure: {steps} steps, {} to {} kB of memory, {} match rules",
        first.0, last.0, last.1
    );
    assert_eq!(first.1, last.1, "match rules pile up: {costs:?}");
    assert!(last.0 < first.0 + 1024, "memory grows: {costs:?}");

    // UDisks2 stopped: the list comes back by itself.
    lab.run_root(&["systemctl", "stop", "udisks2"])?.success()?;
    lab.plug(&PlugOptions {
        size: 16 * MIB,
        name: Some("after".into()),
        ..PlugOptions::default()
    })?;
    watched.agrees(&lab, "after UDisks2 was stopped")
}

/// A stick that is plugged in while another one is written stays as it is.
#[test]
fn a_second_stick_during_a_job_is_left_alone() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 20 * MB)?;
    let stick = lab.plug(&PlugOptions {
        profile: "even:wbps=3e6".into(),
        image: Some(copy_of(&formatted_image(&lab, 600 * MIB)?, "first")?),
        ..PlugOptions::default()
    })?;
    let copy = format!("copy /home/tester/film.mp4 --to {}", stick.device);
    let mut story = Story::start(&lab, &copy)?;
    while let Some(event) = story.next()? {
        if event["confirmed"].as_u64() > Some(2_000_000) {
            break;
        }
    }
    assert!(story.end.is_none(), "too late: {:?}", story.end);
    let second = lab.plug(&PlugOptions {
        size: 64 * MIB,
        ..PlugOptions::default()
    })?;
    let end = story.finish()?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    assert_eq!(second.counters()?.bytes_written, 0);
    Ok(())
}

/// What holds the system, its swap or a group of disks is never offered, and refused where it is
/// named, before anything is written.
#[test]
fn d04_b04_what_is_in_use_is_refused_with_the_reason() -> Result<()> {
    let lab = Lab::ready()?;
    put_disk(&lab, "disk.img", 4)?;
    let options = |name: &str| PlugOptions {
        size: 200 * MIB,
        name: Some(name.into()),
        ..PlugOptions::default()
    };
    let swap = prepared(&lab, &options("swap"), "mkswap $D; swapon $D")?;
    let lvm = prepared(
        &lab,
        &options("lvm"),
        "pvcreate -q -y $D; vgcreate -q lab $D; lvcreate -q -y -L 20M -n data lab",
    )?;
    let one = lab.plug(&options("one"))?;
    let many = format!(
        "mkfs.btrfs -q -f -d raid1 -m raid1 {} $D; mkdir -p /mnt/many; mount $D /mnt/many",
        one.device
    );
    let other = prepared(&lab, &options("other"), &many)?;
    let all = lab
        .run(&["steady-cli", "list", "--json", "--all"])?
        .success()?;
    let all: Value = serde_json::from_str(&all.text())?;
    for (device, kind, words) in [
        ("/dev/vda", "in_use_by_system", "running system"),
        (&swap.device, "in_use_by_system", "running system"),
        (&lvm.device, "busy", "group of drives"),
        (&one.device, "busy", "group of drives"),
        (&other.device, "busy", "group of drives"),
    ] {
        let listed = all["sticks"].as_array().context("no list")?;
        let row = listed.iter().find(|row| row["device"] == device);
        let row = row.with_context(|| format!("{device} is not told"))?;
        assert_eq!(
            (&row["offered"], &row["reason"]),
            (&false.into(), &kind.into()),
            "{row}"
        );
        for command in [
            &["format", device][..],
            &["write", "/home/tester/disk.img", "--to", device],
            &[
                "copy",
                "/home/tester/disk.img",
                "--to",
                device,
                "--format",
                "fat32",
            ],
        ] {
            let (code, lines, said) = steady_cli(&lab, &[command, &["--yes", "--json"]].concat())?;
            assert_eq!(code, 2, "{command:?}: {said}");
            let end = lines.last().context("no last line")?;
            assert_eq!(end["kind"], kind, "{command:?}: {end}");
            assert!(said.contains(words), "{command:?}: {said}");
        }
    }
    lab.run_root(&[
        "sh",
        "-c",
        "swapon --show | grep -q . && lvs lab/data && findmnt /mnt/many",
    ])?
    .success()
    .map(drop)
}

/// What is encrypted and open is closed first, and nothing is written under an open mapping.
#[test]
fn b04_an_open_encrypted_stick_is_locked_before_it_is_written() -> Result<()> {
    let lab = Lab::ready()?;
    let disk = put_disk(&lab, "disk.img", 8)?;
    let options = PlugOptions {
        size: 64 * MIB,
        ..PlugOptions::default()
    };
    let make = "printf secret | cryptsetup -q luksFormat --pbkdf pbkdf2 --pbkdf-force-iterations 1000 $D -";
    let stick = prepared(&lab, &options, make)?;
    // The person opens it: closing what root has opened would ask for a password of its own.
    let unlock = format!(
        "printf secret >key; udisksctl unlock -b {0} --key-file key; udevadm settle; lsblk -nro TYPE {0} | grep crypt",
        stick.device
    );
    lab.run(&["sh", "-c", &unlock])?.success()?;
    let is_open = format!("lsblk -nro TYPE {} | grep -q crypt", stick.device);
    let is_open = ["sh", "-c", &is_open];
    let write = [
        "write",
        "/home/tester/disk.img",
        "--to",
        &stick.device,
        "--json",
    ];
    // Nobody has said that it may be closed.
    let (code, lines, _) = steady_cli(&lab, &write)?;
    assert_eq!(code, 2, "{lines:?}");
    lab.run(&is_open)?.success()?;
    let write = format!("write /home/tester/disk.img --to {} --yes", stick.device);
    let story = Story::start(&lab, &format!("{write} --no-power-off"))?;
    give_password(&lab)?;
    let end = story.finish()?;
    assert_eq!(end["event"], "done", "{end}");
    assert_ne!(lab.run(&is_open)?.code, 0);
    assert!(beginning(&lab, &stick, disk.len())? == disk);
    Ok(())
}

/// While the password is asked for, the stick is taken for another: nothing is written to either.
#[test]
fn sticks_that_change_places_before_the_start_are_left_alone() -> Result<()> {
    let lab = Lab::ready()?;
    put_disk(&lab, "disk.img", 4)?;
    for (number, (serial, size)) in [("OTHER", 64), ("FIRST", 65)].into_iter().enumerate() {
        let options = |name: &str, serial: &str, size: u64| PlugOptions {
            size: size * MIB,
            serial: Some(serial.into()),
            name: Some(format!("{name}{number}")),
            ..PlugOptions::default()
        };
        let first = lab.plug(&options("first", "FIRST", 64))?;
        let write = format!("write /home/tester/disk.img --to {} --yes", first.device);
        let story = Story::start(&lab, &write)?;
        lab.wait("password text", "/^/")?;
        let before = first.counters()?.bytes_written;
        lab.unplug(&first)?;
        let second = lab.plug(&options("second", serial, size))?;
        assert_eq!(first.device, second.device, "another node proves nothing");
        give_password(&lab)?;
        let end = story.finish()?;
        assert_eq!(end["event"], "failed", "{end}");
        assert!(
            ["target_gone", "target_changed"].contains(&end["kind"].as_str().unwrap_or_default()),
            "{end}"
        );
        assert_eq!(before, 0);
        assert_eq!(second.counters()?.bytes_written, 0);
        assert!(
            read(first.image_path(), (64 * MIB) as usize)?
                .iter()
                .all(|byte| *byte == 0)
        );
        lab.unplug(&second)?;
    }
    Ok(())
}

/// A program that holds one of four mounted parts: it is named, nothing is written, and what was
/// unmounted is mounted again.
#[test]
fn b03_a_program_that_holds_the_stick_is_named() -> Result<()> {
    let lab = Lab::ready()?;
    let parts = r"printf ',300M,c\n,300M,c\n,,c\n' | sfdisk -q $D; udevadm settle; for n in 1 2 3; do mkfs.vfat -F 32 -n PART$n ${D}$n; done";
    let options = PlugOptions {
        size: 1000 * MIB,
        ..PlugOptions::default()
    };
    let stick = prepared(&lab, &options, parts)?;
    let mount = format!(
        "for n in 1 2 3; do findmnt {0}$n || udisksctl mount -b {0}$n; done; cd $(findmnt -no TARGET {0}2); exec 3>held; exec -a holder sleep 100000",
        stick.device
    );
    lab.start(&["bash", "-c", &mount])?;
    let held = format!(
        "until [ -e $(findmnt -no TARGET {}2)/held ]; do sleep 0.2; done",
        stick.device
    );
    lab.run(&["sh", "-c", &held])?.success()?;
    let (code, lines, _) = steady_cli(&lab, &["format", &stick.device, "--yes", "--json"])?;
    assert_ne!(code, 0);
    let end = lines.last().context("no last line")?;
    assert_eq!(end["kind"], "busy", "{end}");
    let told = end["detail"].as_str().unwrap_or_default();
    assert!(told.contains("sleep") || told.contains("holder"), "{end}");
    let labels = format!("lsblk -nro LABEL,MOUNTPOINT {}", stick.device);
    let labels = lab.run(&["sh", "-c", &labels])?.success()?.text();
    for part in 1..=3 {
        let row = labels
            .lines()
            .find(|row| row.starts_with(&format!("PART{part} ")));
        ensure!(
            row.is_some_and(|row| row.contains('/')),
            "part {part}: {labels}"
        );
    }
    Ok(())
}

/// The same 20 MB onto a stick mounted so that each write waits, as it is and mounted anew.
#[test]
fn long_a_stick_whose_writes_wait_is_mounted_anew() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.mp4", 20 * MB)?;
    let options = PlugOptions {
        size: 600 * MIB,
        ..PlugOptions::default()
    };
    let stick = prepared(&lab, &options, "mkfs.vfat -I -F 32 -n SLOW $D")?;
    // By the person: what root has mounted nobody else may unmount without a password.
    let mount = format!(
        "D={}; until udisksctl mount -b $D -o sync >&2; do udisksctl unmount -b $D >&2; sleep 0.3; done; findmnt -no TARGET $D",
        stick.device
    );
    let place = lab.run(&["sh", "-c", &mount])?.success()?.text();
    let list = lab.run(&["steady-cli", "list", "--json"])?.success()?;
    let list: Value = serde_json::from_str(&list.text())?;
    assert_eq!(list["sticks"][0]["slow"][0], "each_write_waits", "{list}");
    let copy = |to: &str| -> Result<f64> {
        let arguments = format!(
            "copy /home/tester/film.mp4 --to {to} --no-check --no-power-off --on-problem replace"
        );
        let end = Story::start(&lab, &arguments)?.finish()?;
        assert_eq!(end["event"], "done", "{end}");
        end["seconds"].as_f64().context("no time")
    };
    let before = copy(place.trim())?;
    let after = copy(&stick.device)?;
    println!(
        "figure: 20 MB, mounted anew: {:.2} x the time of the sync mount ({before:.1} s, {after:.1} s)",
        after / before
    );
    assert!(after < before);
    Ok(())
}

/// A card is taken out of its reader and put back in while the list is looked at: the slots stay in
/// their places, and only the one with the card can be chosen. Once written, it is told that the
/// card may be taken, and the reader stays on.
#[test]
fn d03_a_card_comes_and_goes_and_its_reader_stays() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "song.ogg", MB)?;
    let reader = lab.plug(&PlugOptions {
        size: 600 * MIB,
        slots: 4,
        ..PlugOptions::default()
    })?;
    let slots = || -> Result<Vec<(String, bool, Value)>> {
        let list = lab.run(&["steady-cli", "list", "--json", "--all"])?;
        let list: Value = serde_json::from_str(&list.success()?.text())?;
        let sticks = list["sticks"].as_array().context("no list")?.iter();
        let slots = sticks.filter(|stick| stick["bus"] == "usb").map(|slot| {
            let device = slot["device"].as_str().unwrap_or_default().to_owned();
            (device, slot["offered"] == true, slot["reason"].clone())
        });
        Ok(slots.collect())
    };
    // The kernel looks every two seconds whether there is a card.
    let until = |is_in: bool| -> Result<Vec<String>> {
        let begun = Instant::now();
        loop {
            let slots = slots()?;
            let as_expected = slots.len() == 4
                && slots.iter().all(|(device, offered, reason)| {
                    let has_card = is_in && *device == reader.device;
                    *offered == has_card && (has_card || reason == "no_medium")
                });
            if as_expected {
                return Ok(slots.into_iter().map(|(device, ..)| device).collect());
            }
            ensure!(begun.elapsed() < PATIENCE, "card in: {is_in}, {slots:?}");
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
    };
    let places = until(true)?;
    for _ in 0..2 {
        lab.card(&reader, false)?;
        assert_eq!(until(false)?, places, "the slots change places");
        lab.card(&reader, true)?;
        assert_eq!(until(true)?, places, "the slots change places");
    }
    let copy = format!(
        "copy /home/tester/song.ogg --to {} --format fat32 --yes",
        reader.device
    );
    let end = Story::start(&lab, &copy)?.finish()?;
    assert_eq!(end["event"], "done", "{end}");
    assert_eq!(end["safe_to_unplug"], true, "{end}");
    assert_eq!(until(true)?, places, "the reader was switched off");
    Ok(())
}

/// Two sticks with one serial number: the list tells them apart, and what is meant for one leaves
/// the other alone.
#[test]
fn d06_of_twins_only_the_named_one_is_written() -> Result<()> {
    let lab = Lab::ready()?;
    let twin = |name: &str| {
        lab.plug(&PlugOptions {
            size: 600 * MIB,
            serial: Some("TWIN0123".into()),
            name: Some(name.into()),
            ..PlugOptions::default()
        })
    };
    let (first, second) = (twin("first")?, twin("second")?);
    let list = lab.run(&["steady-cli", "list", "--json"])?.success()?;
    let list: Value = serde_json::from_str(&list.text())?;
    let sticks = list["sticks"].as_array().context("no list")?;
    ensure!(
        sticks.len() == 2 && sticks[0]["id"] != sticks[1]["id"],
        "{list}"
    );
    let named = sticks
        .iter()
        .find(|stick| stick["device"] == *second.device);
    let id = named
        .and_then(|stick| stick["id"].as_str())
        .context("no id")?;
    for shared in ["TWIN0123", "0123"] {
        let (code, lines, _) = steady_cli(&lab, &["format", shared, "--yes", "--json"])?;
        assert_eq!(code, 2, "{lines:?}");
    }
    lab.run(&["steady-cli", "format", id, "--yes"])?.success()?;
    assert_eq!(first.counters()?.bytes_written, 0);
    assert!(second.counters()?.bytes_written > 0);
    Ok(())
}

/// What makes a stick slow, and what keeps it from being written, is told from what the system says
/// of it.
#[test]
fn d09_a_slow_port_and_the_lock_switch_are_told() -> Result<()> {
    let lab = Lab::ready()?;
    let options = |name: &str, bus: Bus| PlugOptions {
        size: 64 * MIB,
        name: Some(name.into()),
        bus,
        ..PlugOptions::default()
    };
    let old = lab.plug(&options("old", Bus::Usb1))?;
    let quick = lab.plug(&options("quick", Bus::Usb3))?;
    let locked = lab.plug(&PlugOptions {
        read_only: true,
        ..options("locked", Bus::Usb3)
    })?;
    let list = lab.run(&["steady-cli", "list", "--json", "--all"])?;
    let list: Value = serde_json::from_str(&list.success()?.text())?;
    let told = |stick: &Stick, name: &str| {
        let rows = list["sticks"].as_array().into_iter().flatten();
        let mut rows = rows.filter(|row| row["device"] == *stick.device);
        rows.next().map_or(Value::Null, |row| row[name].clone())
    };
    assert_eq!(told(&old, "speed_mbit"), 12, "{list}");
    assert_eq!(told(&old, "slow"), serde_json::json!(["usb1"]), "{list}");
    assert_eq!(told(&quick, "slow"), serde_json::json!([]), "{list}");
    assert_eq!(told(&locked, "offered"), false, "{list}");
    assert_eq!(told(&locked, "reason"), "write_protected", "{list}");
    for command in [
        &["format", &locked.device][..],
        &["check-stick", &locked.device, "--erase"],
    ] {
        let (code, lines, said) = steady_cli(&lab, &[command, &["--yes", "--json"]].concat())?;
        assert_eq!(code, 2, "{lines:?}");
        assert!(said.contains("switch"), "{said}");
    }
    Ok(())
}
