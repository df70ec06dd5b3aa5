use super::*;
use crate::engine::bmap::Bmap;
use crate::engine::bmap::tests::map;
use crate::engine::testing::OLD;

const STICK: u64 = 64 << 20;
/// Blocks of 4096 bytes: the start, some around 4 MiB, and the end.
const BLOCKS: [(u64, u64); 4] = [(0, 3), (700, 710), (1000, 1100), (5000, 5119)];
const SIZE: usize = 5120 * 4096;

/// An image with zeroes where the map has nothing.
fn sparse() -> Vec<u8> {
    let noise = noise(SIZE);
    let mut bytes = vec![0; SIZE];
    for (first, last) in BLOCKS {
        let range = (first * 4096) as usize..((last + 1) * 4096) as usize;
        bytes[range.clone()].copy_from_slice(&noise[range]);
    }
    bytes
}

fn mapped(bytes: &[u8], map: &str) -> Arc<Image> {
    let mut image = image(bytes, false);
    image.map = Some(Bmap::parse(map.as_bytes()).unwrap());
    Arc::new(image)
}

#[test]
fn only_what_is_mapped_is_written_and_checked() {
    let bytes = sparse();
    for version in ["1.3", "2.0"] {
        let image = mapped(&bytes, &map(version, &bytes, &BLOCKS));
        let (disk, meter) = (Arc::new(Disk::new(STICK, 512)), Meter::default());
        let completed = job(&image, &disk, true, &meter).unwrap();
        assert!(completed.verified);
        let mapped = (4 + 11 + 101 + 120) * 4096;
        let totals = meter.totals();
        assert_eq!((totals.durable, totals.checked), (mapped, mapped));

        let content = disk.content();
        // In the lead's place nothing old stays.
        assert!(content[..MIB] == bytes[..MIB]);
        for (first, last) in BLOCKS {
            let range = (first * 4096) as usize..((last + 1) * 4096) as usize;
            assert!(content[range.clone()] == bytes[range]);
        }
        for range in [MIB..700 * 4096, 1101 * 4096..5000 * 4096] {
            assert!(content[range].iter().all(|byte| *byte == OLD));
        }
    }
}

#[test]
fn a_range_that_is_not_what_the_map_says_fails_the_job_before_the_lead() {
    let bytes = sparse();
    let sums = map("2.0", &bytes, &BLOCKS);
    for (first, last) in BLOCKS {
        let mut bad = bytes.clone();
        bad[(last * 4096 + 17) as usize] ^= 4;
        let disk = Arc::new(Disk::new(STICK, 512));
        let stopped = job(&mapped(&bad, &sums), &disk, false, &Meter::default()).unwrap_err();
        let StopReason::Image(ImageTrouble::RangeMismatch(told)) = &stopped.reason else {
            panic!("{stopped:?}")
        };
        assert_eq!(told.bytes, first * 4096..(last + 1) * 4096);
        assert!(disk.content()[..512] != bytes[..512]);
    }
}

#[test]
fn an_image_of_another_size_than_its_maps_is_no_success() {
    let bytes = sparse();
    let sums = map("2.0", &bytes, &BLOCKS);
    let mut longer = bytes.clone();
    longer.push(0);
    for other in [&bytes[..SIZE - 1], &longer] {
        let disk = Arc::new(Disk::new(STICK, 512));
        let result = job(&mapped(other, &sums), &disk, false, &Meter::default());
        assert!(matches!(
            result.unwrap_err().reason,
            StopReason::Image(ImageTrouble::SizeDiffers { .. })
        ));
    }
}

#[test]
fn a_map_without_any_range_is_never_verified() {
    let bytes = vec![0; SIZE];
    let image = mapped(&bytes, &map("2.0", &bytes, &[]));
    let disk = Arc::new(Disk::new(STICK, 512));
    let completed = job(&image, &disk, true, &Meter::default()).unwrap();
    assert!(!completed.verified);
}

#[test]
fn what_changes_outside_the_map_is_nobodys_business() {
    let bytes = sparse();
    let image = mapped(&bytes, &map("2.0", &bytes, &BLOCKS));
    let (disk, meter) = (Arc::new(Disk::new(STICK, 512)), Meter::default());
    let written = write(lane(&image, true), &*disk, None, &meter).unwrap();
    disk.change(1200 * 4096);
    assert!(read_back(&written, &image, &disk, &meter).is_ok());
    disk.change(1050 * 4096 + 5);
    let result = read_back(&written, &image, &disk, &meter);
    let Err(StopReason::Mismatch(found)) = result else {
        panic!("{result:?}")
    };
    assert_eq!(found.offset, 1050 * 4096 + 5);
}
