use std::io::Read;

use super::bytes::mixed;
use super::disks;
use super::files::Files;
use super::packers;
use crate::engine::image::{Container, Decoded, Recognised, look};

fn follow(name: &str, packed: &[u8], size: usize) {
    let files = Files::new();
    let path = files.put("a", packed);
    let Recognised::Image(image) = look(&path, None).unwrap() else {
        panic!("{name} is an image");
    };
    let mut decoded = Decoded::open(&path, &image).unwrap();
    let progress = decoded.progress();
    let whole = progress.packed_size().unwrap();
    let mut piece = vec![0; 100_000];
    let (mut delivered, mut consumed) = (0, 0);
    loop {
        let count = decoded.read(&mut piece).unwrap() as u64;
        delivered += count;
        assert_eq!(progress.delivered(), delivered);
        assert!((consumed..=whole).contains(&progress.consumed()));
        consumed = progress.consumed();
        if count == 0 {
            break;
        }
        // It is never ahead of what was handed out by more than what was read at once.
        let share = consumed as f64 / whole as f64;
        let true_share = delivered as f64 / size as f64;
        assert!(share <= true_share + 0.25, "{name}: {share} {true_share}");
    }
    assert_eq!(delivered, size as u64);
    assert_eq!(consumed, whole, "{name}");
}

#[test]
fn i02_consumed_bytes_drive_the_bar_and_end_at_all_of_them() {
    let mut disk = mixed(8 << 20);
    disks::add_mbr(&mut disk, 1, 7);
    let small = mixed(1024);
    let members = [packers::gzip(&disk), packers::gzip(&small)].concat();
    follow("two members", &members, disk.len() + small.len());
    follow("a plain disk", &disk, disk.len());
    for container in [Container::Zip, Container::Lz4] {
        let packed = packers::pack(container, &disk);
        follow("a container", &packed, disk.len());
    }
}
