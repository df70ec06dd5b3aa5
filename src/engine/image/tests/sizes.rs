use super::bytes::mixed;
use super::files::image;
use super::packers::{self, skippable};
use super::{disks, files};
use crate::engine::image::{Container, Refusal, Size};

/// Bytes that are unpacked to look at them.
const SEEN: u64 = 1 << 20;

/// Larger than what is looked at.
fn disk() -> Vec<u8> {
    let mut disk = mixed(3 << 20);
    disks::add_mbr(&mut disk, 1, 6000);
    disk
}

#[test]
fn i01_a_size_is_told_where_the_format_holds_to_it() {
    let disk = disk();
    let whole = disk.len() as u64;
    for (container, size) in [
        (Container::Xz, Size::Exact(whole)),
        (Container::Zstd, Size::Exact(whole)),
        (Container::Lz4, Size::Exact(whole)),
        (Container::Zip, Size::Exact(whole)),
        (Container::Gzip, Size::AtLeast(SEEN)),
        (Container::Bzip2, Size::AtLeast(SEEN)),
    ] {
        let packed = packers::pack(container, &disk);
        assert_eq!(image("a", &packed).size, size, "{container:?}");
    }
    assert_eq!(image("a.img", &disk).size, Size::Exact(whole));
}

#[test]
fn i01_sizes_of_all_members_are_added() {
    let disk = disk();
    let whole = 2 * disk.len() as u64;
    for (container, between) in [
        (Container::Xz, vec![0; 8]),
        (Container::Zstd, skippable(5)),
        (Container::Lz4, skippable(5)),
    ] {
        let packed = packers::pack(container, &disk);
        let both = [&packed[..], &between, &packed].concat();
        assert_eq!(image("a", &both).size, Size::Exact(whole), "{container:?}");
    }
}

#[test]
fn i01_a_frame_that_says_nothing_leaves_it_open() {
    let disk = disk();
    let silent = packers::zstd_of_stream(&disk, 20);
    assert_eq!(image("a", &silent).size, Size::AtLeast(SEEN));
    let both = [packers::zstd(&disk), silent].concat();
    let told = Size::AtLeast(disk.len() as u64);
    assert_eq!(image("a", &both).size, told);
}

#[test]
fn what_is_small_is_counted() {
    let disk = disks::mbr(40_000 / 512 * 512);
    for container in [Container::Gzip, Container::Bzip2] {
        let packed = packers::pack(container, &disk);
        let size = Size::Exact(disk.len() as u64);
        assert_eq!(image("a", &packed).size, size, "{container:?}");
    }
}

#[test]
fn a_disk_that_reaches_beyond_its_end_was_cut() {
    let gpt = disks::gpt(2 << 20, 512);
    let iso = disks::Disk::iso().build();
    for disk in [&gpt, &iso] {
        let has = disk.len() as u64 - 1;
        let cut = &disk[..disk.len() - 1];
        let truncated = Refusal::Truncated {
            needs: disk.len() as u64,
            has,
        };
        assert_eq!(files::refusal("a.img", cut), truncated);
        assert_eq!(
            files::refusal("a.xz", &packers::pack(Container::Xz, cut)),
            truncated
        );
    }
    // An MBR may say more than the image has: empty space is often left out.
    let mbr = disks::mbr(2 << 20);
    let layout = image("a.img", &mbr[..1 << 20]).layout;
    assert_eq!(layout.reaches, Some(2 << 20));
}
