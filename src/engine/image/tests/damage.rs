use super::bytes::{Chance, mixed};
use super::files::{Files, unpack};
use super::{STREAMS, decode, disks, packers};
use crate::engine::image::{Container, DecodeError, Recognised, Refusal, look};

fn disk() -> Vec<u8> {
    let mut disk = mixed(150_000);
    disks::add_mbr(&mut disk, 1, 200);
    disk
}

#[test]
fn i08_cut_anywhere_it_is_damaged_never_done() {
    for container in STREAMS {
        let packed = packers::pack(container, &disk());
        let whole = packed.len();
        let cuts = (0..50).map(|part| whole * part / 50);
        for length in cuts.chain([whole - 20, whole - 8, whole - 4, whole - 1]) {
            let error = decode(container, &packed[..length])
                .expect_err("what was cut does not come to its end");
            let Ok(DecodeError::Corrupt { at, .. }) = DecodeError::from_io(error) else {
                panic!("{container:?} cut at {length} of {whole} is damaged");
            };
            assert!(at <= length as u64);
        }
    }
}

#[test]
fn i08_a_cut_file_is_refused_before_or_fails_at_its_end() {
    let files = Files::new();
    for container in [&STREAMS[..], &[Container::Zip]].concat() {
        let packed = packers::pack(container, &disk());
        for part in 1..50 {
            let path = files.put("a", &packed[..packed.len() * part / 50]);
            match look(&path, None).unwrap() {
                Recognised::Image(image) => {
                    assert!(unpack(&path, &image).is_err(), "{container:?} {part}/50");
                }
                Recognised::Refused(refused) => assert!(
                    // A signature's or a text's length may be met by the first bytes.
                    matches!(refused.why, Refusal::Corrupt { .. }),
                    "{container:?} {part}/50: {:?}",
                    refused.why
                ),
                Recognised::Choice(_) => panic!("there is one image"),
            }
        }
    }
}

#[test]
fn i08_where_a_container_has_an_index_a_cut_is_told_before() {
    let disk = disk();
    for container in [
        Container::Xz,
        Container::Zstd,
        Container::Lz4,
        Container::Zip,
    ] {
        let packed = packers::pack(container, &disk);
        let cut = &packed[..packed.len() - 1];
        let why = super::files::refusal("a", cut);
        assert!(matches!(why, Refusal::Corrupt { .. }), "{container:?}");
    }
}

#[test]
fn i08_a_flipped_bit_never_yields_other_bytes() {
    let disk = disk();
    for container in STREAMS {
        let packed = packers::pack(container, &disk);
        let mut noticed = 0;
        for (position, bit) in flips(packed.len()) {
            let mut changed = packed.clone();
            changed[position] ^= 1 << bit;
            match decode(container, &changed) {
                Ok(bytes) => assert!(bytes == disk, "{container:?}, bit {bit} of {position}"),
                Err(_) => noticed += 1,
            }
        }
        assert!(noticed > 200, "{container:?}: {noticed}");
    }
}

#[test]
fn i08_a_flipped_bit_in_an_archive_never_yields_other_bytes() {
    let disk = disk();
    let files = Files::new();
    let packed = packers::zip(&[("a.img", &disk)]);
    // With another beginning it is no archive but bytes without a mark.
    for (position, bit) in flips(packed.len()).filter(|(position, _)| *position >= 4) {
        let mut changed = packed.clone();
        changed[position] ^= 1 << bit;
        let path = files.put("a.zip", &changed);
        if let Recognised::Image(image) = look(&path, None).unwrap()
            && let Ok(bytes) = unpack(&path, &image)
        {
            assert!(bytes == disk, "bit {bit} of {position}");
        }
    }
}

/// Some bits anywhere, and more of them at both ends, where the headers are.
fn flips(length: usize) -> impl Iterator<Item = (usize, usize)> {
    let mut chance = Chance::new(9);
    let ends = (0..64).chain(length - 64..length);
    let anywhere = (0..150).map(move |part| part * length / 150);
    ends.chain(anywhere)
        .map(move |position| (position, chance.below(8)))
}
