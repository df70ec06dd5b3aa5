use super::bytes::mixed;
use super::packers::{self, skippable};
use super::{STREAMS, decode};
use crate::engine::image::{Container, DecodeError};

fn corrupt(container: Container, packed: &[u8]) {
    let error = decode(container, packed).expect_err("trailing bytes are damage");
    let error = DecodeError::from_io(error).unwrap();
    assert!(matches!(error, DecodeError::Corrupt { .. }), "{error}");
}

#[test]
fn i03_all_members_are_read() {
    let (a, b) = (mixed(70_001), mixed(33_333));
    for container in STREAMS {
        let empty = packers::pack(container, &[]);
        let parts = [
            packers::pack(container, &a),
            empty.clone(),
            packers::pack(container, &b),
            empty,
        ];
        let decoded = decode(container, &parts.concat()).unwrap();
        assert!(decoded == [&a[..], &b[..]].concat(), "{container:?}");
    }
}

#[test]
fn i03_what_may_stand_between_and_after() {
    let (a, b) = (mixed(70_001), mixed(33_333));
    let expected = [&a[..], &b[..]].concat();
    let join = |container, middle: &[u8], end: &[u8]| {
        let (a, b) = (packers::pack(container, &a), packers::pack(container, &b));
        [&a[..], middle, &b[..], end].concat()
    };
    let good = [
        (Container::Gzip, join(Container::Gzip, &[], &[0; 512])),
        (Container::Xz, join(Container::Xz, &[0; 4], &[0; 8])),
        (
            Container::Zstd,
            join(Container::Zstd, &skippable(9), &skippable(70_000)),
        ),
        (
            Container::Lz4,
            join(Container::Lz4, &skippable(0), &skippable(70_000)),
        ),
    ];
    for (container, packed) in good {
        assert!(
            decode(container, &packed).unwrap() == expected,
            "{container:?}"
        );
    }
    for container in [Container::Zstd, Container::Lz4] {
        let packed = [skippable(100_000), join(container, &[], &[])].concat();
        assert!(
            decode(container, &packed).unwrap() == expected,
            "{container:?}"
        );
    }
}

#[test]
fn i03_other_bytes_between_or_after_are_damage() {
    for container in STREAMS {
        let packed = packers::pack(container, &mixed(5000));
        for trailing in [&b"x"[..], b"\0\0\0x", b"words and words and words"] {
            corrupt(container, &[&packed, trailing].concat());
        }
        if container != Container::Gzip {
            corrupt(container, &[&packed[..], &[0; 3]].concat());
            corrupt(container, &[&packed[..], &[0; 3], &packed].concat());
        }
    }
    // Zeroes may end a gzip file and not go on with another member.
    let packed = packers::gzip(&mixed(5000));
    corrupt(Container::Gzip, &[&packed[..], &[0; 512], b"x"].concat());
}

#[test]
fn i03_a_frame_without_data_must_be_whole_too() {
    for container in [Container::Zstd, Container::Lz4] {
        let mut packed = packers::pack(container, &mixed(5000));
        packed.extend(&skippable(1000)[..900]);
        corrupt(container, &packed);
    }
}
