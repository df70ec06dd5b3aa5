use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use steady::engine::device::{BlockDevice, Image, Opened};
use steady::engine::image::{Decoded, Recognised, look};

/// What the packed image is called, in its folder.
pub(crate) const NAME: &str = "disk.img.xz";

/// An image of so many times these bytes, which get a partition table, packed by `xz`. Calls
/// `opened` whenever it is opened.
pub(crate) fn packed(
    folder: &Path,
    mut bytes: Vec<u8>,
    times: usize,
    preset: &str,
    opened: impl Fn() + Send + Sync + 'static,
) -> Arc<Image> {
    bytes[440..512].fill(0);
    bytes[450] = 0x0c;
    bytes[454..458].copy_from_slice(&2048_u32.to_le_bytes());
    bytes[458..462].copy_from_slice(&4096_u32.to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    let plain = folder.join(NAME).with_extension("");
    let mut file = File::create(&plain).unwrap();
    for _ in 0..times {
        file.write_all(&bytes).unwrap();
    }
    let packing = Command::new("xz").arg(preset).arg(&plain).status();
    assert!(packing.unwrap().success());
    let path = folder.join(NAME);
    let Recognised::Image(file) = look(&path, None).unwrap() else {
        panic!("it is an image")
    };
    let memory = file.memory;
    let mut image = Image::new(move || {
        opened();
        Ok(Opened::new(Decoded::open(&path, &file).unwrap()))
    });
    image.memory = memory;
    Arc::new(image)
}

/// A file in place of a stick.
pub(crate) fn stick(path: &Path, size: u64) -> BlockDevice {
    let mut options = File::options();
    let file = options.read(true).write(true).create_new(true).open(path);
    let file = file.unwrap();
    file.set_len(size).unwrap();
    BlockDevice::new(file.into()).unwrap()
}
