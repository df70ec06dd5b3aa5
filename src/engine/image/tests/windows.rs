use flate2::Crc;
use liblzma::stream::Check;

use super::bytes::mixed;
use super::files::{image, refusal};
use super::{decode, disks, packers};
use crate::engine::image::{Container, DecodeError, MOST_MEMORY, Refusal};

const MIB: u64 = 1 << 20;

/// Asks for a dictionary of that many bits, as the first block of an xz file.
fn with_dictionary(mut packed: Vec<u8>, log: u8) -> Vec<u8> {
    assert_eq!(packed[14..16], [0x21, 1], "a block's header with LZMA2");
    packed[16] = (log - 12) * 2;
    let end = 12 + usize::from(packed[12]) * 4;
    let mut crc = Crc::new();
    crc.update(&packed[12..end]);
    packed[end..end + 4].copy_from_slice(&crc.sum().to_le_bytes());
    packed
}

fn too_much(why: &Refusal) -> bool {
    let most = MOST_MEMORY;
    matches!(why, Refusal::TooMuchMemory { needs, most: told } if *needs > 128 * MIB && *told == most)
}

#[test]
fn a_window_beyond_the_bound_is_refused_when_chosen() {
    let disk = disks::mbr(1 << 21);
    let long = packers::zstd_of_stream(&disk, 27);
    assert!(too_much(&refusal("a.zst", &long)));
    let long = with_dictionary(packers::xz(&disk, Check::Crc64), 27);
    assert!(too_much(&refusal("a.xz", &long)));
    // One frame of as many bytes as can be claimed.
    let endless = [&b"\x28\xb5\x2f\xfd\xe0"[..], &[0xff; 8], &[0; 64]].concat();
    assert!(too_much(&refusal("a.zst", &endless)));
}

#[test]
fn the_largest_usual_windows_fit_and_their_cost_is_told() {
    let disk = disks::mbr(1 << 21);
    let nine = with_dictionary(packers::xz(&disk, Check::Crc64), 26);
    for packed in [packers::zstd_of_stream(&disk, 26), nine] {
        let memory = image("a", &packed).memory;
        assert!((64 * MIB..=MOST_MEMORY).contains(&memory), "{memory}");
    }
    let usual = image("a", &packers::zstd_of_stream(&disk, 21)).memory;
    assert!(usual < 10 * MIB, "{usual}");
}

#[test]
fn a_later_window_beyond_the_bound_is_told_apart_from_damage() {
    let bytes = mixed(5000);
    let zstd = [packers::zstd(&bytes), packers::zstd_of_stream(&bytes, 27)].concat();
    let xz = packers::xz(&bytes, Check::Crc64);
    let xz = [xz.clone(), with_dictionary(xz, 27)].concat();
    for (container, packed) in [(Container::Zstd, zstd), (Container::Xz, xz)] {
        let error = decode(container, &packed).unwrap_err();
        let error = DecodeError::from_io(error).unwrap();
        assert!(
            matches!(error, DecodeError::TooMuchMemory { most: MOST_MEMORY }),
            "{error}"
        );
    }
}
