//! A stick that an image was written to starts a computer.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use common::{PATIENCE, Story, contents, give_password, put_bytes};
use steady_lab::{Lab, PlugOptions};

const MIB: usize = 1 << 20;
const SECTOR: usize = 512;
const MARKER: &str = "Steady was here";

/// The first 440 bytes of a disk: code that reads one sector and says what is in it, up to the
/// first zero, on the serial port.
fn boot_code(sector: u64) -> Vec<u8> {
    let mut code = vec![
        0x31, 0xc0, // xor ax, ax
        0x8e, 0xd8, // mov ds, ax
        0x8e, 0xd0, // mov ss, ax
        0xbc, 0x00, 0x7c, // mov sp, 0x7c00
        0xbe, 0x24, 0x7c, // mov si, packet
        0xb4, 0x42, // mov ah, 0x42: read sectors, of the drive that the BIOS left in dl
        0xcd, 0x13, // int 0x13
        0x72, 0x0e, // jc end
        0xbe, 0x00, 0x80, // mov si, 0x8000
        0xac, // next: lodsb
        0x84, 0xc0, // test al, al
        0x74, 0x06, // jz end
        0xba, 0xf8, 0x03, // mov dx, 0x3f8
        0xee, // out dx, al
        0xeb, 0xf5, // jmp next
        0xf4, // end: hlt
        0xeb, 0xfd, // jmp end
        0x00, // packet, at an even place: 16 bytes, 1 sector, to 0:0x8000
        0x10, 0x00, 0x01, 0x00, 0x00, 0x80, 0x00, 0x00,
    ];
    code.extend(sector.to_le_bytes());
    code.resize(440, 0);
    code
}

/// A disk that starts and says the marker, which lies in its last sector.
fn disk() -> Vec<u8> {
    let mut disk = contents("boot", 6 * MIB);
    let last = disk.len() / SECTOR - 1;
    disk[..440].copy_from_slice(&boot_code(last as u64));
    disk[440..512].fill(0);
    // One active partition over all of it.
    disk[446..454].copy_from_slice(&[0x80, 0, 2, 0, 0xda, 0, 1, 0]);
    disk[454..458].copy_from_slice(&1_u32.to_le_bytes());
    disk[458..462].copy_from_slice(&(last as u32).to_le_bytes());
    disk[510..512].copy_from_slice(&[0x55, 0xaa]);
    disk[last * SECTOR..].fill(0);
    disk[last * SECTOR..][..MARKER.len()].copy_from_slice(MARKER.as_bytes());
    disk
}

/// A hybrid ISO image with the same code at its beginning; the marker lies in a file on it.
fn iso() -> Result<Vec<u8>> {
    let folder = tempfile::tempdir()?;
    let path = |name: &str| folder.path().join(name);
    let mut marker = vec![0; 2048];
    marker[..MARKER.len()].copy_from_slice(MARKER.as_bytes());
    fs::create_dir(path("files"))?;
    fs::write(path("files/marker"), &marker)?;
    fs::write(path("code"), boot_code(0))?;
    let status = Command::new("xorriso")
        .args(["-as", "mkisofs", "-quiet", "-V", "STEADY", "-G"])
        .args([&path("code"), Path::new("-o"), &path("iso"), &path("files")])
        .args(["--protective-msdos-label", "--mbr-force-bootable"])
        .status()?;
    ensure!(status.success(), "xorriso");
    let mut iso = fs::read(path("iso"))?;
    let place = iso
        .windows(MARKER.len())
        .position(|bytes| bytes == MARKER.as_bytes())
        .context("the marker is not on the image")?;
    iso[..440].copy_from_slice(&boot_code((place / SECTOR) as u64));
    Ok(iso)
}

/// Starts a computer from the stick's contents and waits for what it says.
fn says_marker(stick: &Path) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let said = folder.path().join("said");
    let drive = format!(
        "if=none,id=stick,format=raw,readonly=on,file={}",
        stick.display()
    );
    let mut computer = Command::new("qemu-system-x86_64")
        .args([
            "-nodefaults",
            "-display",
            "none",
            "-accel",
            "tcg",
            "-m",
            "64",
        ])
        .args(["-device", "qemu-xhci", "-drive", &drive])
        .args(["-device", "usb-storage,drive=stick,bootindex=0"])
        .arg("-serial")
        .arg(format!("file:{}", said.display()))
        .stdin(Stdio::null())
        .spawn()?;
    let begun = Instant::now();
    let heard = loop {
        let text = fs::read_to_string(&said).unwrap_or_default();
        if text.contains(MARKER) || begun.elapsed() > PATIENCE || computer.try_wait()?.is_some() {
            break text;
        }
        std::thread::sleep(Duration::from_millis(200));
    };
    computer.kill()?;
    computer.wait()?;
    ensure!(heard.contains(MARKER), "it said {heard:?}");
    Ok(())
}

#[test]
fn long_a_computer_starts_from_a_written_stick() -> Result<()> {
    let lab = Lab::ready()?;
    for (name, image) in [("boot.img", disk()), ("hybrid.iso", iso()?)] {
        put_bytes(&lab, name, &image)?;
        let stick = lab.plug(&PlugOptions {
            size: 64 << 20,
            ..PlugOptions::default()
        })?;
        let write = format!("write /home/tester/{name} --to {} --yes", stick.device);
        let mut story = Story::start(&lab, &write)?;
        give_password(&lab)?;
        while let Some(event) = story.next()? {
            // Nothing to be warned of: both start.
            assert_ne!(event["event"], "problem", "{name}: {event}");
        }
        let end = story.end.context("its end")?;
        assert_eq!(end["event"], "done", "{name}: {end}");
        lab.unplug(&stick)?;
        says_marker(stick.image_path()).context(name)?;
    }
    Ok(())
}
