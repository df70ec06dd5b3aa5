use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Stdio};

use super::*;

const SIZE: u64 = 320 << 20;

/// Names of the marks that the real `wipefs` finds; `None` where there is no such program.
fn found(path: &Path) -> Option<Vec<String>> {
    let path = path.to_str().unwrap();
    let output = Command::new("wipefs")
        .args(["--no-act", "--noheadings", "--output", "TYPE,OFFSET", path])
        .env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin")
        .output()
        .ok()?;
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    Some(text.lines().map(str::to_owned).collect())
}

/// A mark: offsets and bytes.
type Mark = Vec<(u64, Vec<u8>)>;

/// Marks as the programs that make them leave them, by the names that `wipefs` has for them.
fn planted() -> Vec<(&'static str, Mark)> {
    let lvm = {
        let mut label = b"LABELONE\x01\0\0\0\0\0\0\0\0\0\0\0\x20\0\0\0LVM2 001".to_vec();
        label.resize(512, b'0');
        label
    };
    let mut md = vec![0; 256];
    md[..8].copy_from_slice(&[0xfc, 0x4e, 0x2b, 0xa9, 1, 0, 0, 0]);
    let md_at = |at: u64| {
        let mut md = md.clone();
        md[128..136].copy_from_slice(&(at / 512).to_le_bytes());
        // The count of sectors of 1.0 says where the data end.
        md[144..152].copy_from_slice(&(at / 512).to_le_bytes());
        vec![(at, md)]
    };
    let old_md = {
        let mut md = vec![0; 4096];
        md[..16].copy_from_slice(&[0xfc, 0x4e, 0x2b, 0xa9, 0, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0, 0]);
        md
    };
    let uberblocks = |label: u64| {
        let block = 0x00ba_b10c_u64.to_le_bytes().to_vec();
        (0..8).map(move |n| (label + (128 << 10) + n * 1024, block.clone()))
    };
    let labels = [0, 256 << 10, SIZE - (512 << 10), SIZE - (256 << 10)];
    let iso = |kind: u8, at: u64| {
        let mut descriptor = vec![0; 2048];
        descriptor[..7].copy_from_slice(&[kind, b'C', b'D', b'0', b'0', b'1', 1]);
        (at, descriptor)
    };
    vec![
        ("iso9660", vec![iso(1, 32 << 10), iso(255, 34 << 10)]),
        ("btrfs", vec![((64 << 10) + 64, b"_BHRfS_M".to_vec())]),
        ("LVM2_member", vec![(512, lvm)]),
        ("linux_raid_member", md_at(4096)),
        ("linux_raid_member", md_at(SIZE - 8192)),
        (
            "linux_raid_member",
            vec![(SIZE / 65536 * 65536 - 65536, old_md)],
        ),
        (
            "zfs_member",
            labels.into_iter().flat_map(uberblocks).collect(),
        ),
        ("crypto_LUKS", vec![(0, b"LUKS\xba\xbe\0\x01".to_vec())]),
        (
            "crypto_LUKS",
            vec![(0x40_0000, b"SKUL\xba\xbe\0\x02".to_vec())],
        ),
        ("exfat", vec![(0, b"\xeb\x76\x90EXFAT   ".to_vec())]),
        (
            "apm",
            vec![
                (0, b"ER\x02\0".to_vec()),
                (512, b"PM\0\0\0\0\0\x01".to_vec()),
            ],
        ),
        ("nilfs2", vec![(1030, vec![0x34, 0x34])]),
        ("squashfs", vec![(0, b"hsqs".to_vec())]),
    ]
}

fn stick(path: &Path) -> File {
    let mut options = File::options();
    let file = options.read(true).write(true).create(true).truncate(true);
    let file = file.open(path).unwrap();
    file.set_len(SIZE).unwrap();
    file
}

/// Runs a program that leaves marks; whether it is there and did.
fn run(program: &str, arguments: &[&str], path: &Path) -> bool {
    let mut command = Command::new(program);
    let command = command.args(arguments).arg(path).stdin(Stdio::null());
    let command = command.env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin");
    command.output().is_ok_and(|output| output.status.success())
}

#[test]
fn l01_wipefs_finds_nothing_on_a_cleared_stick() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = folder.path().join("stick");
    let cleared = |file: File| clear_marks(&BlockDevice::new(file.into()).unwrap()).unwrap();
    let mut seen = Vec::new();
    for (name, marks) in planted() {
        let file = stick(&path);
        for (at, bytes) in marks {
            file.write_all_at(&bytes, at).unwrap();
        }
        let Some(before) = found(&path) else {
            return;
        };
        seen.extend(
            before
                .iter()
                .any(|line| line.contains(name))
                .then_some(name),
        );
        cleared(file);
        assert_eq!(found(&path).unwrap(), [""; 0], "{name} of {before:?}");
    }
    for (program, arguments) in [
        ("mkfs.ext4", &["-q", "-F"][..]),
        ("mkswap", &["-q"]),
        ("mkfs.btrfs", &["-q", "-f"]),
        ("mkfs.udf", &[]),
        ("mkfs.fat", &[]),
        ("mkfs.exfat", &[]),
        ("mkfs.ntfs", &["-F", "-q", "-f"]),
        ("mkfs.minix", &[]),
        ("mkfs.xfs", &["-q", "-f"]),
        ("parted", &["-s", "mklabel", "gpt"]),
    ] {
        let file = stick(&path);
        if run(program, arguments, &path) {
            let before = found(&path).unwrap();
            seen.extend((!before.is_empty()).then_some(program));
            cleared(file);
            assert_eq!(found(&path).unwrap(), [""; 0], "{program}: {before:?}");
        }
    }
    assert!(seen.len() >= 8, "wipefs recognised only {seen:?}");
}

/// GPT is looked for at both ends: each must be gone.
#[test]
fn l01_both_tables_of_gpt_go() {
    let folder = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
    let path = folder.path().join("stick");
    let file = stick(&path);
    let mut sfdisk = Command::new("sh");
    let script = "echo 'label: gpt\n,' | PATH=/usr/sbin:/sbin:$PATH sfdisk -q --no-reread \"$0\"";
    let made = sfdisk.args(["-c", script]).arg(&path).output();
    if !made.is_ok_and(|output| output.status.success()) {
        return;
    }
    let Some(before) = found(&path) else { return };
    let gpt = before.iter().filter(|line| line.contains("gpt")).count();
    assert_eq!(gpt, 2, "{before:?}");
    clear_marks(&BlockDevice::new(file.into()).unwrap()).unwrap();
    assert_eq!(found(&path).unwrap(), [""; 0]);
}

/// What is planted in any of the ranges goes, and nothing beside them.
#[test]
fn clearing_leaves_what_lies_between() {
    for block_size in [512, 4096] {
        let disk = Disk::new(80 << 20, block_size);
        clear_marks(&disk).unwrap();
        let content = disk.content();
        let mut wanted = vec![crate::engine::testing::OLD; content.len()];
        for range in stale_ranges(80 << 20) {
            wanted[range.start as usize..range.end as usize].fill(0);
        }
        assert!(content == wanted);
        let kept = wanted.iter().filter(|byte| **byte != 0).count();
        assert!(kept > 76 << 20, "it is no erasing of the whole stick");
    }
}
