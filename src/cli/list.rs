use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::args::ListArgs;
use super::exit::Exit;
use super::output::{Output, json, warn};
use crate::drives::Drive;
use crate::tasks::{
    Failure, Kind, Known, Notation, Slow, Wording, list_sticks, shown_name, size_text, stick_name,
    watch_sticks,
};

/// One stick as JSON; the names are fixed.
#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    device: &'a Path,
    vendor: &'a str,
    model: &'a str,
    serial: &'a str,
    size: u64,
    bus: &'a str,
    speed_mbit: Option<u32>,
    label: &'a str,
    file_systems: Vec<&'a str>,
    mounted_at: Vec<&'a Path>,
    read_only: bool,
    offered: bool,
    reason: Option<Kind>,
    asks_password: bool,
    /// Why it is slow, where that is known.
    slow: Vec<Slow>,
    /// What is remembered of it.
    known: Option<Known>,
}

impl<'a> From<&'a Drive> for Row<'a> {
    fn from(drive: &'a Drive) -> Self {
        let known = Known::of(drive);
        Self {
            id: &drive.id,
            device: &drive.device,
            vendor: &drive.vendor,
            model: &drive.model,
            serial: &drive.serial,
            size: drive.size,
            bus: &drive.bus,
            speed_mbit: drive.speed_mbit,
            label: drive.volumes.first().map_or("", |volume| &volume.label),
            file_systems: drive
                .volumes
                .iter()
                .map(|volume| volume.file_system.as_str())
                .collect(),
            mounted_at: drive
                .volumes
                .iter()
                .flat_map(|volume| volume.mounted_at.iter().map(AsRef::as_ref))
                .collect(),
            read_only: drive.read_only,
            offered: drive.refusal.is_none(),
            reason: drive.refusal.map(Kind::from),
            asks_password: drive.asks_password,
            slow: slow(drive, known.as_ref()),
            known,
        }
    }
}

pub(super) fn run(args: &ListArgs) -> Exit {
    if args.watch {
        return watch(args);
    }
    let drives = match list_sticks() {
        Ok(drives) => drives,
        Err(failure) => return Output::new(false, None).refuse(&failure),
    };
    match show(args, &drives, &mut io::stdout().lock()) {
        Ok(()) => Exit::Done,
        Err(_) => Exit::Failed,
    }
}

/// Shows the list after each change, until nobody reads it any more. While UDisks2 is away that is
/// said, and the list comes again by itself.
fn watch(args: &ListArgs) -> Exit {
    let updates = watch_sticks();
    let mut out = io::stdout().lock();
    while let Ok(update) = updates.recv_blocking() {
        let told = match update {
            Ok(drives) => show(args, &drives, &mut out),
            Err(error) => {
                let failure = Failure::new((&error).into(), "");
                warn(&Wording::of_failure(&failure).english());
                let gone = serde_json::json!({ "sticks": null, "reason": failure.kind });
                if args.json {
                    writeln!(out, "{gone}")
                } else {
                    Ok(())
                }
            }
        };
        if told.and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    Exit::Done
}

fn show(args: &ListArgs, drives: &[Drive], out: &mut impl Write) -> io::Result<()> {
    let shown: Vec<_> = drives
        .iter()
        .filter(|drive| args.all || drive.refusal.is_none())
        .collect();
    if args.json {
        let sticks: Vec<_> = shown.iter().map(|drive| Row::from(*drive)).collect();
        let sticks = serde_json::json!({ "sticks": sticks });
        return writeln!(out, "{}", json::plain(&sticks));
    }
    if shown.is_empty() {
        writeln!(out, "No stick found. Plug one in.")?;
    }
    for drive in shown {
        writeln!(out, "{}", line(drive))?;
    }
    if args.watch {
        writeln!(out)?;
    }
    Ok(())
}

/// Nothing is asked of a drive that is not offered.
fn slow(drive: &Drive, known: Option<&Known>) -> Vec<Slow> {
    if drive.refusal.is_some() {
        return Vec::new();
    }
    Slow::reasons(drive, known)
}

fn line(drive: &Drive) -> String {
    let mut line = format!(
        "{}  {}  {}",
        drive.device.display(),
        size_text(drive.size, &Notation::ENGLISH),
        stick_name(drive)
    );
    if let Some(label) = drive
        .volumes
        .iter()
        .map(|volume| shown_name(&volume.label))
        .find(|label| !label.is_empty())
    {
        line += &format!("  “{label}”");
    }
    if let Some(refusal) = drive.refusal {
        let failure = Failure::new(Kind::from(refusal), "");
        line += &format!("  ({})", Wording::of_failure(&failure).english());
    }
    for reason in slow(drive, Known::of(drive).as_ref()) {
        line += &format!("\n    {}", Wording::of_slow(reason).english());
    }
    line
}
