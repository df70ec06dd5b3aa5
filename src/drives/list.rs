use std::collections::BTreeMap;

use super::distinction::distinguish;
use super::judge::{is_emmc_extra, judge};
use super::machine::Machine;
use super::snapshot::{BlockFacts, DriveFacts, Snapshot};
use super::{Drive, DriveKind, Volume};

/// One row for each whole disk, offered or not, in a stable order: as they were plugged in, as
/// far as UDisks2 tells, then by node.
pub(super) fn list(snapshot: &Snapshot, machine: &Machine) -> Vec<Drive> {
    let mut rows: Vec<(&BlockFacts, Drive)> = snapshot
        .blocks
        .iter()
        .filter(|(_, block)| is_row(snapshot, block))
        .map(|(path, block)| (block, row(snapshot, machine, path, block)))
        .collect();
    rows.sort_by(|(a, _), (b, _)| order(snapshot, a).cmp(&order(snapshot, b)));
    let mut rows: Vec<Drive> = rows.into_iter().map(|(_, drive)| drive).collect();
    tell_twins_apart(&mut rows);
    distinguish(&mut rows);
    rows
}

/// Whole disks only; of disks without a drive (loop, zram, …) only those that hold something.
fn is_row(snapshot: &Snapshot, block: &BlockFacts) -> bool {
    block.partition.is_none()
        && !is_emmc_extra(snapshot, block)
        && !block.device.as_os_str().is_empty()
        && (block.drive.is_some() || block.size > 0)
}

fn order<'a>(snapshot: &'a Snapshot, block: &'a BlockFacts) -> (bool, &'a str, usize, &'a str) {
    let drive = drive_of(snapshot, block);
    // `sdb` before `sdaa`, as the kernel counts.
    let name = block.name();
    (
        drive.is_none(),
        drive.map_or("", |it| &it.sort_key),
        name.len(),
        name,
    )
}

fn drive_of<'a>(snapshot: &'a Snapshot, block: &BlockFacts) -> Option<&'a DriveFacts> {
    snapshot.drives.get(block.drive.as_ref()?)
}

fn row(snapshot: &Snapshot, machine: &Machine, path: &str, block: &BlockFacts) -> Drive {
    let unknown = DriveFacts::default();
    let facts = drive_of(snapshot, block).unwrap_or(&unknown);
    let object = block.drive.clone().unwrap_or_default();
    let last_part = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let id = [facts.id.clone(), last_part(&object), last_part(path)]
        .into_iter()
        .find(|id| !id.is_empty())
        .unwrap_or_default();
    let shares_device = shares_device(snapshot, &object, facts);
    Drive {
        id,
        block: path.to_owned(),
        device: block.device.clone(),
        device_number: block.device_number,
        sequence: machine.sequences.get(block.name()).copied(),
        vendor: facts.vendor.clone(),
        model: facts.model.clone(),
        serial: facts.serial.clone(),
        size: if facts.media_available == Some(false) {
            0
        } else {
            block.size
        },
        bus: facts.bus.clone(),
        kind: DriveKind::of(facts, shares_device),
        distinction: None,
        port: machine.ports.get(block.name()).cloned(),
        speed_mbit: machine.speeds.get(block.name()).copied(),
        usb_release: machine.releases.get(block.name()).copied(),
        volumes: volumes(snapshot, machine, path),
        read_only: block.read_only,
        can_power_off: facts.bus == "usb"
            && facts.can_power_off
            && !shares_device
            && disks_of(snapshot, &object) == 1,
        asks_password: asks_password(machine, facts, block),
        refusal: judge(snapshot, machine, path, block, facts),
        object,
    }
}

/// Whether another drive, such as another slot, is in the same device.
fn shares_device(snapshot: &Snapshot, object: &str, facts: &DriveFacts) -> bool {
    !facts.sibling.is_empty()
        && snapshot
            .drives
            .iter()
            .any(|(path, other)| path != object && other.sibling == facts.sibling)
}

/// How many disks UDisks2 shows under one drive: twins with one serial number are two.
fn disks_of(snapshot: &Snapshot, object: &str) -> usize {
    snapshot
        .blocks
        .values()
        .filter(|block| block.partition.is_none() && block.drive.as_deref() == Some(object))
        .count()
}

fn asks_password(machine: &Machine, facts: &DriveFacts, block: &BlockFacts) -> bool {
    let other_seat = !facts.seat.is_empty()
        && machine
            .seat
            .as_ref()
            .is_some_and(|seat| *seat != facts.seat);
    !machine.is_root && (block.hint_system || other_seat || machine.is_remote)
}

/// File systems on the disk. A hybrid image shows its one file system on the disk and again on
/// partitions: it is told once, from where it is mounted if it is.
fn volumes(snapshot: &Snapshot, machine: &Machine, disk: &str) -> Vec<Volume> {
    let mut found: Vec<Volume> = Vec::new();
    let whole = snapshot.blocks.get(disk);
    for (path, block) in snapshot.disk_and_partitions(disk) {
        if !block.is_file_system() {
            continue;
        }
        let volume = volume(path, block, machine);
        let repeats_disk = path != disk
            && whole.is_some_and(|it| it.id_uuid == block.id_uuid && it.id_type == block.id_type);
        match found.first_mut().filter(|_| repeats_disk) {
            Some(told) if told.mounted_at.is_empty() && !volume.mounted_at.is_empty() => {
                *told = volume;
            }
            Some(_) => {}
            None => found.push(volume),
        }
    }
    found
}

/// The file system on one block device.
pub(super) fn volume(path: &str, block: &BlockFacts, machine: &Machine) -> Volume {
    let mounted_at = block.mount_points.clone().unwrap_or_default();
    Volume {
        object: path.to_owned(),
        device: block.device.clone(),
        device_number: block.device_number,
        file_system: block.id_type.clone(),
        label: block.id_label.clone(),
        size: block.size,
        mount_options: mounted_at
            .first()
            .and_then(|place| machine.mounts.options(block.device_number, place)),
        mounted_at,
        read_only: block.read_only,
        can_mount: machine.drivers.can_mount(&block.id_type),
    }
}

/// Sticks of one model may share even their serial number; their ids must not be equal.
fn tell_twins_apart(rows: &mut [Drive]) {
    let mut count: BTreeMap<String, usize> = BTreeMap::new();
    for drive in rows.iter() {
        *count.entry(drive.id.clone()).or_default() += 1;
    }
    for drive in rows.iter_mut().filter(|drive| count[&drive.id] > 1) {
        let node = drive.device.file_name().unwrap_or_default();
        drive.id = format!("{}:{}", drive.id, node.display());
    }
}
