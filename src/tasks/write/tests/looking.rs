use super::*;
use crate::engine::image::Boot;
use crate::tasks::Wording;

pub(super) fn zip(names: &[&str]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for name in names {
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(*name, options).unwrap();
        archive.write_all(&disk_image(MIB)).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[test]
fn i10_what_is_no_image_is_refused_with_what_it_is() {
    let files = Files::new();
    let sum = format!("{}  a.img\n", "ab".repeat(32));
    for (name, bytes, kind, words) in [
        ("a.img", &b""[..], Kind::ImageEmpty, "“a.img” is empty."),
        ("b.img", b"hello\n", Kind::NotAnImage, "is a text"),
        (
            "c.iso",
            b"<!DOCTYPE html><html>404",
            Kind::NotAnImage,
            "is a web page",
        ),
        (
            "d.img",
            sum.as_bytes(),
            Kind::NotAnImage,
            "Choose the image itself",
        ),
        (
            "e.img",
            b"QFI\xFB\0\0\0\x03",
            Kind::ImageUnsupported,
            "kind QCOW2",
        ),
        (
            "f.img",
            b"7z\xBC\xAF\x27\x1C\0\x04",
            Kind::ImageUnsupported,
            "packed as 7z",
        ),
    ] {
        let path = files.put(name, bytes);
        let failure = look_at_image(&path, None).unwrap_err();
        assert_eq!(failure.kind, kind, "{name}");
        let told = Wording::of_failure(&failure).english();
        assert!(told.contains(words) && told.contains(name), "{told}");
    }
}

#[test]
fn i06_of_several_images_one_is_chosen_by_its_name() {
    let files = Files::new();
    let path = files.put("two.zip", &zip(&["a.img", "b.img"]));
    let mut request = request(&path);
    let failure = plan(&request).unwrap_err();
    assert_eq!(failure.kind, Kind::SeveralImages);
    assert_eq!(failure.names(), ["a.img", "b.img"]);
    request.entry = Some("b.img".into());
    let (file, _) = plan(&request).unwrap();
    assert_eq!(file.entry.map(|entry| entry.name).as_deref(), Some("b.img"));
    request.entry = Some("c.img".into());
    assert_eq!(plan(&request).unwrap_err().kind, Kind::SeveralImages);
}

#[test]
fn i01_a_stick_that_is_a_byte_too_small_is_refused_with_both_sizes() {
    let files = Files::new();
    let path = files.put("a.img", &disk_image(2 * MIB));
    let (file, mut planned) = plan(&request(&path)).unwrap();
    let size = 2 * MIB as u64;
    let drive = |size| Drive {
        size,
        ..Drive::default()
    };
    assert_eq!(planned.may_go_to(&drive(size), &file), Ok(()));
    let failure = planned.may_go_to(&drive(size - 1), &file).unwrap_err();
    assert_eq!(failure.kind, Kind::ImageTooLarge);
    let told = Wording::of_failure(&failure).english();
    assert_eq!(told, "“a.img” needs 2.1 MB, but the stick has only 2.0 MB.");
}

#[test]
fn i10_i11_what_will_not_boot_or_has_a_wrong_name_is_noted_and_written() {
    let files = Files::new();
    let mut disc = vec![0; 64 * 1024];
    disc[32768..32774].copy_from_slice(b"\x01CD001");
    let disc = files.put("a.iso", &disc);
    let misnamed = files.put("b.img", &xz(&disk_image(MIB)));
    let sound = files.put("c.img", &disk_image(MIB));
    for (path, notes) in [
        (disc, vec![Kind::WillNotBoot]),
        (misnamed, vec![Kind::NameMismatch]),
        (sound, vec![]),
    ] {
        let (file, planned) = plan(&request(&path)).unwrap();
        let found: Vec<_> = planned.notes.iter().map(|note| note.kind).collect();
        assert_eq!(found, notes, "{:?}: {:?}", path, file.layout);
        assert!(notes.contains(&Kind::WillNotBoot) == (file.layout.boot() == Boot::NoTable));
    }
}
