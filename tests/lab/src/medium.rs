use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{Read, Seek, SeekFrom},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{SeekFrom as Hole, seek};

use crate::images::tool;

/// What is on a stick that was pulled out, read on this machine without mounting it.
#[derive(Debug)]
pub struct Medium {
    /// The type in the partition table (MBR) of the first partition.
    pub partition_type: u8,
    /// Where it starts, in bytes.
    pub start: u64,
    /// Whether the table holds no other partition.
    pub only_one: bool,
    /// Its contents.
    partition: PathBuf,
}

impl Medium {
    const SECTOR: u64 = 512;

    /// Reads the partition table of a stick's image and copies the first partition beside it.
    pub fn of(image: &Path) -> Result<Self> {
        let mut file = File::open(image).with_context(|| image.display().to_string())?;
        let mut table = [0; 512];
        file.read_exact(&mut table)?;
        ensure!(table[510..] == [0x55, 0xaa], "no partition table");
        let entry = |number: usize| &table[446 + 16 * number..][..16];
        let number = |bytes: &[u8]| {
            u64::from(u32::from_le_bytes(
                bytes.try_into().expect("four bytes were cut out"),
            ))
        };
        let start = number(&entry(0)[8..12]) * Self::SECTOR;
        let length = number(&entry(0)[12..16]) * Self::SECTOR;
        ensure!(start > 0 && length > 0, "the table holds no partition");
        let partition = image.with_extension("partition");
        copy_range(&file, start, length, &partition)?;
        Ok(Self {
            partition_type: entry(0)[4],
            start,
            only_one: (1..4).all(|number| entry(number)[4] == 0),
            partition,
        })
    }

    /// Makes the image of a stick of that many MiB whose one partition, from 1 MiB on, holds a
    /// FAT32 with these files.
    pub fn make(image: &Path, size: u64, files: &BTreeMap<String, Vec<u8>>) -> Result<()> {
        File::create(image)?.set_len(size << 20)?;
        let table = format!("echo '2048,,c' | sfdisk -q {}", image.display());
        tool(Command::new("sh").args(["-c", &table]))?;
        let blocks = ((size - 1) << 10).to_string();
        // The smallest clusters with which there are enough for a FAT32, and not very many.
        let cluster = if size < 256 { "1" } else { "8" };
        tool(
            Command::new("mkfs.fat")
                .args([
                    "-F",
                    "32",
                    "-s",
                    cluster,
                    "-h",
                    "2048",
                    "-n",
                    "TEST",
                    "--offset=2048",
                ])
                .arg(image)
                .arg(&blocks),
        )?;
        let place = tempfile::tempdir()?;
        for (path, bytes) in files {
            let file = place.path().join(path);
            fs::create_dir_all(file.parent().context("a file lies in a folder")?)?;
            fs::write(file, bytes)?;
        }
        let mut copy = Command::new("mcopy");
        copy.args(["-s", "-i"])
            .arg(format!("{}@@1M", image.display()));
        for entry in fs::read_dir(place.path())? {
            copy.arg(entry?.path());
        }
        if files.is_empty() {
            return Ok(());
        }
        tool(copy.arg("::/"))
    }

    /// The kind of file system as blkid tells it, such as `vfat FAT32`.
    pub fn file_system(&self) -> Result<String> {
        let tell = |tag: &str| {
            let mut command = Command::new("blkid");
            command
                .args(["-p", "-o", "value", "-s", tag])
                .arg(&self.partition);
            output(&mut command)
        };
        let (kind, version) = (tell("TYPE")?, tell("VERSION")?);
        Ok(format!("{} {}", text(&kind), text(&version)))
    }

    /// The name of the file system.
    pub fn label(&self) -> Result<String> {
        let mut command = Command::new("blkid");
        command
            .args(["-p", "-o", "value", "-s", "LABEL"])
            .arg(&self.partition);
        Ok(text(&output(&mut command)?))
    }

    /// Fails with what `fsck.fat` or `fsck.exfat` found unless it found nothing at all.
    pub fn check(&self) -> Result<()> {
        let kind = self.file_system()?;
        let fsck = match kind.split_once(' ') {
            Some(("vfat", _)) => "fsck.fat",
            Some(("exfat", _)) => "fsck.exfat",
            _ => bail!("nothing here checks {kind:?}"),
        };
        tool(Command::new(fsck).arg("-n").arg(&self.partition))
    }

    /// A file's contents, as far as its folder says that they go; `None` where it is not there.
    pub fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let copy = self.partition.with_extension("file");
        let copied = Command::new("mcopy")
            .env("MTOOLS_SKIP_CHECK", "1")
            .args(["-n", "-i"])
            .arg(&self.partition)
            .arg(format!("::/{path}"))
            .arg(&copy)
            .output()
            .context("mcopy")?;
        if !copied.status.success() {
            return Ok(None);
        }
        let bytes = fs::read(&copy)?;
        fs::remove_file(copy)?;
        Ok(Some(bytes))
    }

    /// All files and folders, by their paths.
    pub fn list(&self) -> Result<Vec<String>> {
        let mut command = Command::new("mdir");
        command
            .env("MTOOLS_SKIP_CHECK", "1")
            .args(["-/", "-b", "-a", "-i"]);
        let listed = output(command.arg(&self.partition).arg("::/"))?;
        let lines = text(&listed);
        Ok(lines
            .lines()
            .map(|line| line.trim_start_matches("::/").to_owned())
            .collect())
    }
}

impl Drop for Medium {
    fn drop(&mut self) {
        // A copy of our own; the next look makes it anew.
        let _ = fs::remove_file(&self.partition);
    }
}

/// Copies a range into a file of its own, leaving out what was never written.
fn copy_range(from: &File, start: u64, length: u64, to: &Path) -> Result<()> {
    let copy = File::create(to).with_context(|| to.display().to_string())?;
    copy.set_len(length)?;
    let end = start + length;
    let mut at = start;
    let mut buffer = vec![0; 1 << 20];
    while let Ok(data) = seek(from, Hole::Data(at)) {
        let hole = seek(from, Hole::Hole(data))?.min(end);
        at = data;
        while at < hole {
            let part = buffer.len().min((hole - at) as usize);
            from.read_exact_at(&mut buffer[..part], at)?;
            copy.write_all_at(&buffer[..part], at - start)?;
            at += part as u64;
        }
        if at >= end {
            break;
        }
    }
    (&copy).seek(SeekFrom::Start(0))?;
    Ok(())
}

fn output(command: &mut Command) -> Result<Vec<u8>> {
    let program = command.get_program().to_owned();
    let output = command
        .output()
        .with_context(|| format!("{}", program.display()))?;
    ensure!(
        output.status.success(),
        "{}: {}",
        program.display(),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(output.stdout)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim().to_owned()
}
