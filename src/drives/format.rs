use std::thread;
use std::time::Duration;

use zbus::zvariant::{OwnedObjectPath, Value};

use super::capacity::{PARTITION_OFFSET, partition_size};
use super::list::volume;
use super::machine::Machine;
use super::udisks::{BLOCK, Options, PAUSE, Udisks, sort};
use super::unmount::Mount;
use super::{Drive, Error, FileSystem, FormatSpec, Volume, format_problem, normalized_label};

/// How often formatting is begun while others take hold of the stick in between.
const TRIES: u32 = 4;
/// How long udev may take to tell what is on the disk now.
const SETTLING: Duration = Duration::from_mins(1);

const TABLE: &str = "org.freedesktop.UDisks2.PartitionTable";
const PARTITION: &str = "org.freedesktop.UDisks2.Partition";

const MIB: u64 = 1 << 20;

impl Udisks {
    /// Erases the drive and gives it one volume: rechecks, unmounts, wipes, writes an MBR partition
    /// table with one partition from 4 MiB to the end, formats it, waits until the volume is there.
    ///
    /// [`Error::Unsuitable`] before anything is touched. [`Error::LeftEmpty`] when the old contents
    /// are gone and there is no new volume; trying again is possible from there. After any other
    /// error the stick is as it was, and what was mounted on it is mounted again.
    pub fn format(&self, drive: &Drive, spec: &FormatSpec) -> Result<Volume, Error> {
        let fresh = self.recheck(drive)?;
        let mut unmounted = Vec::new();
        if let Some(problem) = format_problem(fresh.size, spec) {
            return Err(Error::Unsuitable(problem));
        }
        let mut erased = false;
        let mut tries = 1..TRIES;
        let result = loop {
            match self.format_once(&fresh, spec, &mut unmounted, &mut erased) {
                Err(error) if passes(&error) && tries.next().is_some() => {
                    tracing::info!(%error, "formatting is tried again");
                    thread::sleep(PAUSE);
                }
                result => break result,
            }
        };
        result.map_err(|error| {
            if erased || self.has_lost_its_contents(&fresh) {
                Error::LeftEmpty(Box::new(error))
            } else {
                self.mount_again(&unmounted);
                error
            }
        })
    }

    fn format_once(
        &self,
        drive: &Drive,
        spec: &FormatSpec,
        unmounted: &mut Vec<Mount>,
        erased: &mut bool,
    ) -> Result<Volume, Error> {
        unmounted.extend(self.unmount_volumes(drive, None)?);
        self.wipe_partitions(drive, erased)?;
        self.call(&drive.block, BLOCK, "Format", &("dos", Options::new()))
            .map_err(|error| sort("Format", &drive.id, &error))?;
        *erased = true;
        let table = self.wait(SETTLING, |snapshot| {
            snapshot.blocks.get(&drive.block)?.has_table.then_some(())
        })?;
        table.ok_or_else(|| failed("the new partition table did not appear"))?;
        self.clear_end(drive)?;
        let partition = self
            .call(
                &drive.block,
                TABLE,
                "CreatePartitionAndFormat",
                &create_arguments(spec),
            )
            .and_then(|body| body.deserialize::<OwnedObjectPath>())
            .map_err(|error| sort(CREATE, &drive.id, &error))?;
        self.new_volume(partition.as_str(), spec.file_system)
    }

    /// Takes the file systems off the old partitions. Otherwise one that starts where the new one
    /// does is found again at once, and an automounter takes hold of it before it is formatted.
    fn wipe_partitions(&self, drive: &Drive, erased: &mut bool) -> Result<(), Error> {
        let snapshot = self.snapshot()?;
        let partitions = snapshot
            .disk_and_partitions(&drive.block)
            .into_iter()
            .filter(|(object, block)| *object != drive.block && !block.id_type.is_empty());
        for (object, _) in partitions {
            let answer = self.call(object, BLOCK, "Format", &("empty", Options::new()));
            match answer.map_err(|error| sort("Format", &drive.id, &error)) {
                Ok(_) => *erased = true,
                // Only a precaution: the table goes next, and decides.
                Err(error @ (Error::Gone(_) | Error::Failed { .. })) => {
                    tracing::info!(object, %error, "cannot wipe an old partition");
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Zeroes the last MiB, where a GPT keeps its copy and RAID and ZFS have their marks: UDisks2
    /// wipes only what it recognises, and that copy not once the table at the beginning is damaged.
    /// By way of a partition of its own, as writing to the whole stick would ask for a password.
    fn clear_end(&self, drive: &Drive) -> Result<(), Error> {
        let begin = PARTITION_OFFSET + partition_size(drive.size).saturating_sub(MIB);
        let size = drive.size.saturating_sub(begin);
        // No file system is of this type, so that nothing looks for one.
        let (kind, name, options) = ("0xda", "", Options::new());
        let partition = self
            .call(
                &drive.block,
                TABLE,
                "CreatePartition",
                &(begin, size, kind, name, options),
            )
            .and_then(|body| body.deserialize::<OwnedObjectPath>())
            .map_err(|error| sort("CreatePartition", &drive.id, &error))?;
        let erase = Options::from([("erase", Value::from("zero"))]);
        self.call(partition.as_str(), BLOCK, "Format", &("empty", erase))
            .map_err(|error| sort("Format", &drive.id, &error))?;
        self.call(partition.as_str(), PARTITION, "Delete", &(Options::new(),))
            .map_err(|error| sort("Delete", &drive.id, &error))?;
        Ok(())
    }

    fn new_volume(&self, object: &str, file_system: FileSystem) -> Result<Volume, Error> {
        let kind = kind(file_system);
        let new = self.wait(SETTLING, |snapshot| {
            let block = snapshot.blocks.get(object)?;
            let is_there = block.id_type == kind && block.mount_points.is_some();
            is_there.then(|| volume(object, block, &Machine::read(snapshot)))
        })?;
        new.ok_or_else(|| failed("the new volume did not appear"))
    }

    /// UDisks2 wipes before it writes the table, so a failed `Format` may have erased.
    fn has_lost_its_contents(&self, before: &Drive) -> bool {
        self.drives().is_ok_and(|now| {
            now.iter().any(|drive| {
                drive.block == before.block && drive.volumes.len() < before.volumes.len()
            })
        })
    }
}

const CREATE: &str = "CreatePartitionAndFormat";

/// Whether an error comes from an automounter, a program that looks at each new partition, or
/// from udev being late: the next try may well succeed.
fn passes(error: &Error) -> bool {
    match error {
        Error::Busy { mount_point, .. } => mount_point.is_none(),
        Error::Failed { message, .. } => message.contains("Timed out waiting"),
        _ => false,
    }
}

fn failed(message: &str) -> Error {
    Error::Failed {
        operation: CREATE,
        message: message.to_owned(),
    }
}

/// Offset and size (0: to the end) in bytes, MBR type, name, options, file system, its options.
type CreateArguments = (
    u64,
    u64,
    &'static str,
    &'static str,
    Options,
    &'static str,
    Options,
);

/// Clusters are as large as mkfs makes them: `mkfs-args` could ask for others, but UDisks2 2.10 asks
/// for an administrator's password then, and windowed writing is as quick with small ones.
fn create_arguments(spec: &FormatSpec) -> CreateArguments {
    // With another type, such as Linux's 0x83, Windows and TVs ignore the stick.
    let partition_type = match spec.file_system {
        FileSystem::Fat32 => "0x0c",
        FileSystem::ExFat => "0x07",
    };
    let label = normalized_label(spec.file_system, &spec.label);
    let mut options = Options::new();
    if !label.is_empty() {
        options.insert("label", Value::from(label));
    }
    (
        PARTITION_OFFSET,
        0,
        partition_type,
        "",
        Options::new(),
        kind(spec.file_system),
        options,
    )
}

/// UDisks2's name of a file system.
fn kind(file_system: FileSystem) -> &'static str {
    match file_system {
        FileSystem::Fat32 => "vfat",
        FileSystem::ExFat => "exfat",
    }
}
