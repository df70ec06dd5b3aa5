//! Bad input: each with its sentence, exit 2, and nothing written.

mod common;

use anyhow::Result;
use common::{formatted_image, put_source, steady_cli};
use steady_lab::{Lab, PlugOptions, Stick};

const MIB: u64 = 1 << 20;

/// Refused as `kind` with a sentence, and the stick was not written.
fn refused(
    lab: &Lab,
    stick: Option<&Stick>,
    arguments: &[&str],
    kind: &str,
    sentence: &str,
) -> Result<()> {
    let before = stick.map(Stick::counters).transpose()?;
    let arguments = [arguments, &["--json"]].concat();
    let (code, lines, said) = steady_cli(lab, &arguments)?;
    let told = format!("{arguments:?}: exit {code}, {said}{lines:?}");
    assert_eq!(code, 2, "{told}");
    assert!(said.contains(sentence), "{told}");
    assert!(
        lines.iter().any(|line| line["kind"] == kind),
        "no {kind} in {told}"
    );
    if let (Some(stick), Some(before)) = (stick, before) {
        let after = stick.counters()?;
        assert_eq!(
            after.bytes_written, before.bytes_written,
            "written by {told}"
        );
    }
    Ok(())
}

#[test]
fn without_a_stick_nothing_is_written() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "a.txt", 10)?;
    refused(
        &lab,
        None,
        &["copy", "/home/tester/a.txt", "--to", "/dev/sdz"],
        "no_such_stick",
        "There is no such stick.",
    )?;
    // The system's own disk is never written, by whatever name.
    refused(
        &lab,
        None,
        &["format", "/dev/vda", "--yes"],
        "in_use_by_system",
        "It is never written.",
    )
}

#[test]
fn what_does_not_fit_is_told_before_the_first_byte() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = lab.plug(&PlugOptions {
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    let to = stick.device.as_str();
    let sparse = |name: &str, size: &str| -> Result<()> {
        lab.run(&["truncate", "-s", size, &format!("/home/tester/{name}")])?
            .success()
            .map(drop)
    };
    sparse("large.iso", "700M")?;
    sparse("huge.iso", "4294967296")?;
    let erase = ["--format", "fat32", "--yes"];
    refused(
        &lab,
        Some(&stick),
        &[&["copy", "/home/tester/large.iso", "--to", to], &erase[..]].concat(),
        "not_enough_space",
        "are needed, but the stick has room for",
    )?;
    refused(
        &lab,
        Some(&stick),
        &[&["copy", "/home/tester/huge.iso", "--to", to], &erase[..]].concat(),
        "file_too_large",
        "“huge.iso” is 4.3 GB, but a FAT32 stick holds files up to 4.2 GB.",
    )?;
    // One byte less is a size that FAT32 can hold; it only does not fit on this stick.
    sparse("almost.iso", "4294967295")?;
    refused(
        &lab,
        Some(&stick),
        &[&["copy", "/home/tester/almost.iso", "--to", to], &erase[..]].concat(),
        "not_enough_space",
        "are needed",
    )
}

#[test]
fn sources_that_cannot_be_copied_are_named() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = lab.plug(&PlugOptions {
        image: Some(formatted_image(&lab, 600 * MIB)?),
        ..PlugOptions::default()
    })?;
    let to = stick.device.as_str();
    let prepare = "mkdir -p /home/tester/empty && touch /home/tester/secret.txt && chmod 0 /home/tester/secret.txt";
    lab.run(&["sh", "-c", prepare])?.success()?;
    // Erasing is the job that must not begin: a plain copy mounts the stick, which FAT notes on it.
    let erase = ["--format", "fat32", "--yes"];
    refused(
        &lab,
        Some(&stick),
        &[&["copy", "/home/tester/empty", "--to", to], &erase[..]].concat(),
        "nothing_to_copy",
        "There is nothing to copy",
    )?;
    refused(
        &lab,
        Some(&stick),
        &[&["copy", "/home/tester/secret.txt", "--to", to], &erase[..]].concat(),
        "unreadable",
        "“secret.txt” can’t be read.",
    )?;
    refused(
        &lab,
        Some(&stick),
        &[&["copy", "/home/tester/none.txt", "--to", to], &erase[..]].concat(),
        "source_gone",
        "“none.txt” can’t be found.",
    )
}

#[test]
fn a_stick_with_the_lock_switch_on_is_left_alone() -> Result<()> {
    let lab = Lab::ready()?;
    put_source(&lab, "a.txt", 10)?;
    let stick = lab.plug(&PlugOptions {
        read_only: true,
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    let to = stick.device.as_str();
    for arguments in [
        vec!["copy", "/home/tester/a.txt", "--to", to],
        vec![
            "copy",
            "/home/tester/a.txt",
            "--to",
            to,
            "--format",
            "fat32",
            "--yes",
        ],
        vec!["format", to, "--yes"],
    ] {
        refused(
            &lab,
            Some(&stick),
            &arguments,
            "write_protected",
            "The stick can only be read.",
        )?;
    }
    Ok(())
}

#[test]
fn names_that_a_stick_cannot_have_are_refused_before_erasing() -> Result<()> {
    let lab = Lab::ready()?;
    let stick = lab.plug(&PlugOptions {
        size: 600 * MIB,
        ..PlugOptions::default()
    })?;
    for (label, kind, sentence) in [
        (
            "TWELVE SIGNS",
            "label_too_long",
            "The name of the stick is too long",
        ),
        ("A/B", "label_forbidden", "has a sign that it can’t store"),
        ("Grüße", "label_forbidden", "has a sign that it can’t store"),
    ] {
        let arguments = ["format", &stick.device, "--label", label, "--yes"];
        refused(&lab, Some(&stick), &arguments, kind, sentence)?;
    }
    // Without a terminal nothing is erased unless it was said.
    let (code, _, said) = steady_cli(&lab, &["format", &stick.device])?;
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("--yes"), "{said}");
    assert_eq!(stick.counters()?.bytes_written, 0);
    Ok(())
}
