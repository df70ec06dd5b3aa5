//! Files of the guest and images of sticks, as tests use them.

use std::{
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use crate::Lab;

/// Bytes that repeat nowhere, other ones for each `name`.
pub fn contents(name: &str, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    let mut hasher = blake3::Hasher::new();
    hasher
        .update(name.as_bytes())
        .finalize_xof()
        .fill(&mut bytes);
    bytes
}

/// Puts a file into the guest's `/home/tester`.
pub fn put_bytes(lab: &Lab, name: &str, bytes: &[u8]) -> Result<()> {
    let file = tempfile::NamedTempFile::new()?;
    fs::write(&file, bytes)?;
    lab.put(file.path(), &format!("/home/tester/{name}"))
}

/// Puts a folder of new files into the guest's `/home/tester` and gives their contents, by their
/// paths in it.
pub fn put_folder(
    lab: &Lab,
    folder: &str,
    files: &[(String, usize)],
) -> Result<Vec<(String, Vec<u8>)>> {
    let place = tempfile::tempdir()?;
    let host = place.path().join("files");
    let mut put = Vec::new();
    for (name, size) in files {
        let path = host.join(folder).join(name);
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        // The same bytes in each file would hide one that has another's.
        let bytes = contents(name, *size);
        fs::write(&path, &bytes)?;
        put.push((format!("{folder}/{name}"), bytes));
    }
    let archive = place.path().join("folder.tar");
    let packed = std::process::Command::new("tar")
        .arg("-cf")
        .args([&archive, Path::new("-C"), &host])
        .arg(folder)
        .status()?;
    ensure!(packed.success(), "tar");
    lab.put(&archive, "/home/tester/folder.tar")?;
    lab.run(&[
        "tar",
        "-xf",
        "/home/tester/folder.tar",
        "-C",
        "/home/tester",
    ])?
    .success()?;
    lab.run(&["rm", "/home/tester/folder.tar"])?.success()?;
    Ok(put)
}

/// A fresh copy of an image, for one stick; what was never written stays unwritten.
pub fn copy_of(image: &Path, name: &str) -> Result<PathBuf> {
    let copy = image.with_file_name(format!("{name}.img"));
    let status = std::process::Command::new("cp")
        .arg("--sparse=always")
        .args([image, &copy])
        .status()?;
    ensure!(status.success(), "cp");
    Ok(copy)
}

/// A disk of that many MiB with a partition in which nothing can be mounted, as `/home/tester/NAME`.
/// Gives its bytes.
pub fn put_disk(lab: &Lab, name: &str, size: u64) -> Result<Vec<u8>> {
    let mut bytes = contents(name, (size << 20) as usize);
    bytes[446..512].fill(0);
    bytes[446..454].copy_from_slice(&[0x80, 0, 2, 0, 0xda, 0, 1, 0]);
    bytes[454..458].copy_from_slice(&2048_u32.to_le_bytes());
    bytes[458..462].copy_from_slice(&((size * 2048 - 2048) as u32).to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    put_bytes(lab, name, &bytes)?;
    Ok(bytes)
}

/// The beginning of an image.
pub fn read_beginning(image: &Path, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    let file = File::open(image).with_context(|| image.display().to_string())?;
    file.take(length as u64).read_exact(&mut bytes)?;
    Ok(bytes)
}
