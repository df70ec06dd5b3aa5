//! Sticks that are not one fresh FAT32: each by its own rules, told before the first byte.

mod common;

use anyhow::{Result, ensure};
use common::{put_source, steady_cli};
use serde_json::Value;
use steady_lab::{Lab, PlugOptions, Stick};

const MB: usize = 1_000_000;
const MIB: u64 = 1 << 20;

/// A stick of this size that root has prepared with `script`, in which `$D` is its device.
fn prepared(lab: &Lab, size: u64, script: &str) -> Result<Stick> {
    let options = PlugOptions {
        size,
        ..PlugOptions::default()
    };
    common::prepared(lab, &options, script)
}

/// Copies; the exit code, the kind of the last line or of its problem, and all that was told.
fn copy(lab: &Lab, source: &str, to: &str, more: &[&str]) -> Result<(i32, String, String)> {
    let arguments = [&["copy", source, "--to", to, "--json"], more].concat();
    let (code, lines, said) = steady_cli(lab, &arguments)?;
    let kind = lines
        .last()
        .map_or(Value::Null, |line| line["kind"].clone());
    let kind = kind.as_str().unwrap_or_default().to_owned();
    Ok((code, kind, format!("{said}{lines:?}")))
}

#[track_caller]
fn assert_end((code, kind, told): &(i32, String, String), expected: (i32, &str)) {
    assert_eq!((*code, kind.as_str()), expected, "{told}");
}

/// The stick's file as it is now, byte by byte the same as the source.
fn same(lab: &Lab, part: &str, name: &str) -> Result<()> {
    let compare = format!(
        "mount -o ro {part} /mnt && cmp /home/tester/{name} /mnt/{name}; same=$?; umount /mnt; exit $same"
    );
    lab.run_root(&["sh", "-c", &compare])?.success().map(drop)
}

#[test]
fn k07_a_small_fat16_stick_without_a_table_is_told_when_it_is_full() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "large.bin", 30 * MB)?;
    put_source(&lab, "small.bin", 5 * MB)?;
    let stick = prepared(&lab, 20 * MIB, "mkfs.vfat -I -F 16 $D")?;
    let before = stick.counters()?.bytes_written;
    let large = copy(&lab, "/home/tester/large.bin", &stick.device, &[])?;
    assert_end(&large, (2, "not_enough_space"));
    // Looking at it mounts it, which FAT notes in a few sectors.
    assert!(stick.counters()?.bytes_written < before + (64 << 10));
    let small = copy(
        &lab,
        "/home/tester/small.bin",
        &stick.device,
        &["--no-power-off"],
    )?;
    assert_end(&small, (0, ""));
    same(&lab, &stick.device, "small.bin")
}

#[test]
fn of_several_parts_one_has_to_be_named() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "song.ogg", MB)?;
    let stick = prepared(
        &lab,
        600 * MIB,
        r"printf ',300M,c\n,,c\n' | sfdisk -q $D; udevadm settle; mkfs.vfat ${D}1; mkfs.vfat ${D}2",
    )?;
    let song = "/home/tester/song.ogg";
    let both = copy(&lab, song, &stick.device, &[])?;
    assert_end(&both, (2, "several_file_systems"));
    let second = format!("{}2", stick.device);
    let named = copy(&lab, song, &second, &["--no-power-off"])?;
    assert_end(&named, (0, ""));
    same(&lab, &second, "song.ogg")
}

#[test]
fn a_stick_of_another_owner_is_refused_and_ones_own_is_written() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "song.ogg", MB)?;
    // Its folder belongs to root.
    let image = std::env::temp_dir().join(format!("steady-lab-ext4-{}", std::process::id()));
    let made = std::process::Command::new("mke2fs")
        .args(["-q", "-t", "ext4", "-F"])
        .arg(&image)
        .arg("100M")
        .status()?;
    ensure!(made.success(), "mke2fs");
    let stick = lab.plug(&PlugOptions {
        size: 100 * MIB,
        image: Some(image.clone()),
        ..PlugOptions::default()
    })?;
    let foreign = copy(&lab, "/home/tester/song.ogg", &stick.device, &[])?;
    assert_end(&foreign, (2, "not_authorized"));
    let give = format!(
        "mount {} /mnt && chown tester /mnt && umount /mnt",
        stick.device
    );
    lab.run_root(&["sh", "-c", &give])?.success()?;
    // What Linux alone can store is stored.
    let name = "/home/tester/a?b: c.ogg";
    lab.run(&["cp", "/home/tester/song.ogg", name])?.success()?;
    let own = copy(&lab, name, &stick.device, &["--no-power-off"])?;
    assert_end(&own, (0, ""));
    same(&lab, &stick.device, r"a\?b:\ c.ogg")?;
    lab.unplug(&stick)?;
    Ok(std::fs::remove_file(image)?)
}

#[test]
fn a_stick_that_was_pulled_too_early_is_repaired_on_wish() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "song.ogg", MB)?;
    // The mark that FAT32 keeps while it is mounted for writing.
    let stick = prepared(
        &lab,
        600 * MIB,
        r"mkfs.vfat -I -F 32 $D; printf '\001' | dd of=$D bs=1 seek=65 conv=notrunc status=none",
    )?;
    let song = "/home/tester/song.ogg";
    let damaged = copy(&lab, song, &stick.device, &[])?;
    assert_end(&damaged, (2, "damaged_file_system"));
    let repaired = copy(&lab, song, &stick.device, &["--repair", "--no-power-off"])?;
    assert_end(&repaired, (0, ""));
    same(&lab, &stick.device, "song.ogg")?;
    let check = lab.run_root(&["fsck.vfat", "-n", &stick.device])?;
    ensure!(check.code == 0, "{}", check.text());
    Ok(())
}

#[test]
fn a_blank_stick_and_a_foreign_one_say_what_helps() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "song.ogg", MB)?;
    let blank = lab.plug(&PlugOptions {
        size: 100 * MIB,
        ..PlugOptions::default()
    })?;
    let song = "/home/tester/song.ogg";
    let nothing = copy(&lab, song, &blank.device, &[])?;
    assert_end(&nothing, (2, "no_file_system"));
    assert!(nothing.2.contains("Format it first."), "{}", nothing.2);
    Ok(())
}

#[test]
fn f08_a_mount_without_utf8_is_named_as_the_cause() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = prepared(
        &lab,
        600 * MIB,
        "mkfs.vfat -I -F 32 $D; mkdir -p /mnt/old; mount -o iocharset=ascii,utf8=0,uid=tester $D /mnt/old",
    )?;
    lab.run(&[
        "sh",
        "-c",
        "mkdir -p demo; echo a >demo/café.txt; echo b >demo/plain.txt",
    ])?
    .success()?;
    let told = copy(&lab, "/home/tester/demo", "/mnt/old", &[])?;
    assert_end(&told, (2, "name_forbidden"));
    assert!(told.2.contains("character set “ascii”"), "{}", told.2);
    let rest = copy(
        &lab,
        "/home/tester/demo",
        "/mnt/old",
        &["--on-problem", "skip"],
    )?;
    assert_end(&rest, (0, ""));
    lab.run(&["cmp", "demo/plain.txt", "/mnt/old/demo/plain.txt"])?
        .success()?;
    // As a stick it is mounted anew, and then every letter arrives.
    lab.run_root(&["umount", "/mnt/old"])?.success()?;
    let stick = copy(
        &lab,
        "/home/tester/demo",
        &stick.device,
        &["--on-problem", "replace", "--keep-mounted"],
    )?;
    assert_end(&stick, (0, ""));
    Ok(())
}

#[test]
fn k04_a_folder_is_not_copied_into_itself_by_another_way() -> Result<()> {
    let lab = Lab::ready()?;
    let script = "mkdir -p /home/tester/parent/child /mnt/way; touch /home/tester/parent/a; chown -R tester /home/tester/parent; mount --bind /home/tester/parent/child /mnt/way";
    lab.run_root(&["sh", "-c", script])?.success()?;
    for way in ["/mnt/way", "/home/tester/parent/child"] {
        let told = copy(&lab, "/home/tester/parent", way, &[])?;
        assert_end(&told, (2, "into_itself"));
    }
    let made = lab.run(&["ls", "/home/tester/parent/child"])?.success()?;
    assert_eq!(made.text(), "");
    Ok(())
}

/// Each kind of file system by its own rules: what it can store arrives whole, what it can't is told.
#[test]
fn sticks_of_every_kind_take_what_they_can_store() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "film.bin", 3 * MB)?;
    let make = "mkdir -p demo/sub; mv film.bin demo/sub/film.bin; echo a >demo/Grüße.txt; echo b >'demo/what? no.txt'; ln -s Grüße.txt demo/link; : >demo/empty";
    lab.run(&["sh", "-c", make])?.success()?;
    // Where the person owns the top folder, as is usual on a stick of their own.
    let own = "mount $D /mnt; chown tester: /mnt; umount /mnt";
    for (kind, make, stores_all) in [
        // What Windows can't open is told for its own file system, too.
        ("ntfs", "mkfs.ntfs -q -Q -F $D".to_owned(), false),
        ("exfat", "mkfs.exfat $D".to_owned(), false),
        ("btrfs", format!("mkfs.btrfs -q $D; {own}"), true),
    ] {
        let stick = prepared(&lab, 300 * MIB, &make)?;
        let told = copy(&lab, "/home/tester/demo", &stick.device, &[])?;
        assert_end(&told, (2, "link"));
        assert_eq!(told.2.contains("name_forbidden"), !stores_all, "{}", told.2);
        let renamed = ["--on-problem", "rename,skip"];
        let told = copy(&lab, "/home/tester/demo", &stick.device, &renamed)?;
        assert_end(&told, (0, ""));
        // It was switched off; the same medium once more.
        let image = stick.image_path().to_path_buf();
        lab.unplug(&stick)?;
        let again = lab.plug(&PlugOptions {
            image: Some(image),
            name: Some(format!("{kind}again")),
            ..PlugOptions::default()
        })?;
        let names = if stores_all {
            "cmp '/home/tester/demo/what? no.txt' 'what? no.txt'"
        } else {
            "[ $(ls | wc -l) = 4 ] || { ls; false; }"
        };
        // As the person sees it: root's plain mount would take other character sets.
        let compare = format!(
            "exec 2>&1; D={}; findmnt $D >/dev/null || udisksctl mount -b $D; cd \"$(findmnt -no TARGET $D)/demo\" && for f in sub/film.bin Grüße.txt empty; do cmp /home/tester/demo/$f $f || exit 1; done; ! ls -A . .. | grep steady && {names}",
            again.device,
        );
        let compared = lab.run(&["sh", "-c", &compare])?;
        ensure!(compared.code == 0, "{kind}: {}", compared.text());
        lab.unplug(&again)?;
    }
    Ok(())
}
