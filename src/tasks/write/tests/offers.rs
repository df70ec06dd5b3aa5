use super::*;
use crate::tasks::Wording;

fn offered(path: &std::path::Path) -> OfferedImage {
    match offer_image(path, None) {
        Offer::Image(image) => *image,
        other => panic!("{path:?}: {other:?}"),
    }
}

fn words(sentences: &[Wording]) -> Vec<String> {
    sentences.iter().map(Wording::english).collect()
}

#[test]
fn an_image_is_offered_by_what_is_in_it_and_told_in_words() {
    let files = Files::new();
    let image = disk_image(9 * MIB);
    let packed = xz(&image);
    let mut disc = vec![0; 64 * 1024];
    disc[32768..32774].copy_from_slice(b"\x01CD001");
    for (name, bytes, bootable, told) in [
        ("holiday", &image[..], true, "Disk image, 9.4 MB".to_owned()),
        (
            "a.img.gz",
            &gzip(&image),
            true,
            "Disk image, 9.9 MB, packed as gz. How much it is unpacked is not known.".into(),
        ),
        (
            "a.img.xz",
            &packed,
            true,
            "Disk image, 9.4 MB, packed as xz in 9.4 MB".into(),
        ),
        ("a.iso", &disc, false, "CD or DVD, 65.5 kB".into()),
        (
            "a.dd",
            &[7; 4096],
            false,
            "No disk is recognised in it, 4.0 kB".into(),
        ),
    ] {
        let offered = offered(&files.put(name, bytes));
        assert_eq!(offered.is_bootable(), bootable, "{name}");
        let what = words(&Wording::of_image(&offered.file)).join(", ");
        assert_eq!(what, told, "{name}");
        assert_eq!(offered.notes.is_empty(), bootable, "{name}");
    }
}

#[test]
fn files_that_nobody_takes_for_images_are_only_files() {
    let files = Files::new();
    for (name, bytes) in [
        ("film.mkv", &b"\x1A\x45\xDF\xA3\x93\x42\x82\x88matroska"[..]),
        ("part.stl", &[7; 4096]),
        ("words.txt", b"hello\n"),
        ("empty.txt", b""),
        ("photos.zip", b"PK\x03\x04"),
        ("old.7z", b"7z\xBC\xAF\x27\x1C\0\x04"),
    ] {
        assert_eq!(
            offer_image(&files.put(name, bytes), None),
            Offer::File,
            "{name}"
        );
    }
    assert_eq!(offer_image(files.0.path(), None), Offer::File);
    assert_eq!(
        offer_image(&files.0.path().join("none.iso"), None),
        Offer::File
    );
}

#[test]
fn i10_what_looks_like_an_image_and_is_none_is_refused_with_a_sentence() {
    let files = Files::new();
    let cut = {
        let mut disc = vec![0; 64 * 1024];
        disc[32768..32774].copy_from_slice(b"\x01CD001");
        disc[32848..32852].copy_from_slice(&1000_u32.to_le_bytes());
        disc[32896..32898].copy_from_slice(&2048_u16.to_le_bytes());
        disc
    };
    let sum = format!("{}  a.img\n", "ab".repeat(32));
    for (name, bytes, told) in [
        ("empty.img", &b""[..], "is empty"),
        ("page.iso", b"<!DOCTYPE html><html>404", "is a web page"),
        ("machine", b"QFI\xFB\0\0\0\x03", "kind QCOW2"),
        ("SHA256SUMS", sum.as_bytes(), "Choose the image itself"),
        ("a.img.7z", b"7z\xBC\xAF\x27\x1C\0\x04", "packed as 7z"),
        ("cut", &cut, "damaged or incomplete"),
        (
            "cut.img.xz",
            &xz(&disk_image(MIB))[..9000],
            "damaged or incomplete",
        ),
    ] {
        match offer_image(&files.put(name, bytes), None) {
            Offer::Refused(failure) => {
                let sentence = Wording::of_failure(&failure).english();
                assert!(sentence.contains(told), "{name}: {sentence}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn i06_of_several_images_one_can_be_chosen() {
    let files = Files::new();
    let path = files.put("two.zip", &looking::zip(&["a.img", "b.img"]));
    let Offer::Choice(entries) = offer_image(&path, None) else {
        panic!("there are two")
    };
    assert_eq!(entries.len(), 2);
    let Offer::Image(image) = offer_image(&path, Some("b.img")) else {
        panic!("it is there")
    };
    assert_eq!(
        image.file.entry.map(|entry| entry.name).as_deref(),
        Some("b.img")
    );
}

#[test]
fn what_lies_beside_is_found_told_and_used() {
    let files = Files::new();
    let mut image = disk_image(9 * MIB);
    image[MIB..8 * MIB].fill(0);
    let path = files.put("a.img.xz", &xz(&image));
    assert_eq!(words(&Wording::of_beside(&offered(&path))), [""; 0]);

    files.put(
        "SHA256SUMS",
        format!("{}  other.img\n", "ab".repeat(32)).as_bytes(),
    );
    assert_eq!(offered(&path).checksum, None, "it says nothing of this one");
    files.put("a.img.bmap", beside::map(&image).as_bytes());
    files.put(
        "MD5SUMS",
        format!("{}  a.img\n", "ab".repeat(16)).as_bytes(),
    );
    files.put("a.img.sha256", "ab".repeat(32).as_bytes());
    let offered = offered(&path);
    assert_eq!(
        words(&Wording::of_beside(&offered)),
        [
            "The checksum in “a.img.sha256” is compared while the image is written.",
            "“a.img.bmap” tells which parts of the image are empty. They are left out.",
        ]
    );
    assert_eq!(offered.bytes, Some(2 * MIB as u64));

    let drive = |size: usize| Drive {
        size: size as u64,
        ..Drive::default()
    };
    assert_eq!(offered.objection(&drive(9 * MIB)), None);
    let objection = offered.objection(&drive(9 * MIB - 1)).map(|it| it.kind);
    assert_eq!(objection, Some(Kind::ImageTooLarge));
}
