use super::bytes::mixed;
use super::files::{Files, image, recognised, refused, unpack};
use super::{disks, packers};
use crate::engine::image::{
    Container, DecodeError, NoImage, Recognised, Refusal, Refused, Size, look,
};

fn disk(size: usize) -> Vec<u8> {
    let mut disk = mixed(size);
    disks::add_mbr(&mut disk, 1, 7);
    disk
}

fn in_zip(why: Refusal) -> Refused {
    Refused {
        why,
        inside: vec![Container::Zip],
    }
}

#[test]
fn i06_one_image_among_other_things_is_used_and_named() {
    let disk = disk(70_000);
    let zip = packers::zip(&[
        ("things/", b""),
        ("things/README.txt", b"Read me.\n"),
        ("__MACOSX/things/._disk.img", &disk),
        ("things/._disk.img", &disk),
        ("things/disk.img", &disk),
        ("things/disk.bmap", b"<bmap version=\"2.0\">"),
        (
            "things/disk.img.md5",
            b"d41d8cd98f00b204e9800998ecf8427e  disk.img\n",
        ),
        ("things/firmware.dat", &mixed(9000)),
    ]);
    let files = Files::new();
    let path = files.put("a.zip", &zip);
    let Recognised::Image(image) = look(&path, None).unwrap() else {
        panic!("it holds one image");
    };
    let entry = image.entry.as_ref().unwrap();
    assert_eq!(entry.name, "things/disk.img");
    assert_eq!(image.size, Size::Exact(70_000));
    assert_eq!(image.contradicts, None);
    assert!(unpack(&path, &image).unwrap() == disk);
}

#[test]
fn i06_of_several_images_one_is_chosen() {
    let disks = [disk(50_000), disk(60_000)];
    let zip = packers::zip(&[
        ("a.img", &disks[0]),
        ("words", b"words"),
        ("b.img", &disks[1]),
    ]);
    let files = Files::new();
    let path = files.put("a.zip", &zip);
    let Recognised::Choice(entries) = look(&path, None).unwrap() else {
        panic!("it holds several images");
    };
    let names: Vec<_> = entries.iter().map(|entry| &entry.name[..]).collect();
    assert_eq!(names, ["a.img", "b.img"]);
    for (entry, disk) in entries.iter().zip(&disks) {
        let Recognised::Image(image) = look(&path, Some(entry.index)).unwrap() else {
            panic!("it was chosen");
        };
        assert_eq!(image.entry.as_ref(), Some(entry));
        assert!(unpack(&path, &image).unwrap() == *disk);
    }
    // Whatever was chosen is judged for itself.
    assert_eq!(
        look(&path, Some(1)).unwrap(),
        Recognised::Refused(in_zip(Refusal::NoImage(NoImage::Text)))
    );
}

#[test]
fn i06_without_an_image_its_entries_are_listed() {
    let zip = packers::zip(&[
        ("a/", b""),
        ("a/README", b"Read me.\n"),
        ("a/data", &mixed(9000)),
    ]);
    let names = ["a/", "a/README", "a/data"].map(String::from).to_vec();
    assert_eq!(
        refused("a.zip", &zip),
        in_zip(Refusal::NoImageInside(names))
    );
    let empty = packers::zip(&[]);
    assert_eq!(
        refused("a.zip", &empty),
        in_zip(Refusal::NoImageInside(Vec::new()))
    );
}

#[test]
fn i06_bytes_without_a_mark_count_by_their_name_where_nothing_has_one() {
    let zip = packers::zip(&[("a.bin", &mixed(9000)), ("data", &mixed(8000))]);
    let image = image("a.zip", &zip);
    assert_eq!(image.entry.unwrap().name, "a.bin");
}

#[test]
fn i06_an_encrypted_entry_is_told() {
    let mut zip = packers::zip(&[("a.img", &disk(50_000))]);
    // The flag, in the entry's own header and in the list.
    zip[6] |= 1;
    let list = zip
        .windows(4)
        .rposition(|four| four == b"PK\x01\x02")
        .unwrap();
    zip[list + 8] |= 1;
    let names = vec!["a.img".to_owned()];
    assert_eq!(refused("a.zip", &zip), in_zip(Refusal::Encrypted(names)));
}

#[test]
fn i06_an_image_packed_in_an_archive_is_unpacked_twice() {
    let disk = disk(3 << 20);
    for container in super::STREAMS {
        let packed = packers::pack(container, &disk);
        let files = Files::new();
        let path = files.put("a.zip", &packers::zip(&[("a.img.x", &packed)]));
        let Recognised::Image(image) = look(&path, None).unwrap() else {
            panic!("{container:?} in an archive is unpacked");
        };
        assert_eq!(image.containers, [Container::Zip, container]);
        assert!(unpack(&path, &image).unwrap() == disk, "{container:?}");
    }
}

#[test]
fn i06_an_unsupported_method_is_told() {
    let mut zip = packers::zip(&[("a.img", &disk(50_000))]);
    let list = zip
        .windows(4)
        .rposition(|four| four == b"PK\x01\x02")
        .unwrap();
    let lzma = 14;
    zip[8] = lzma;
    zip[list + 10] = lzma;
    assert_eq!(
        refused("a.zip", &zip),
        in_zip(Refusal::UnsupportedMethod("a.img".to_owned()))
    );
}

#[test]
fn a_wrong_checksum_beyond_the_beginning_is_found_at_the_end() {
    let mut zip = packers::zip_with(
        &[("a.img", &disk(3 << 20))],
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored),
    );
    zip[2 << 20] ^= 1;
    let files = Files::new();
    let path = files.put("a.zip", &zip);
    let Recognised::Image(image) = look(&path, None).unwrap() else {
        panic!("its beginning is right");
    };
    let error = unpack(&path, &image).unwrap_err();
    let error = DecodeError::from_io(error).unwrap();
    assert!(
        matches!(error, DecodeError::Corrupt { decoded, .. } if decoded >= 2 << 20),
        "{error}"
    );
}

#[test]
fn a_long_list_is_bounded() {
    let names: Vec<_> = (0..1500).map(|number| format!("{number}.txt")).collect();
    let entries: Vec<_> = names
        .iter()
        .map(|name| (&name[..], &b"words"[..]))
        .collect();
    let Recognised::Refused(refused) = recognised("a.zip", &packers::zip(&entries)) else {
        panic!("it holds texts");
    };
    let Refusal::NoImageInside(told) = refused.why else {
        panic!("it holds texts");
    };
    assert_eq!(told, names[..1000]);
}
