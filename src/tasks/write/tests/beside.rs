use super::*;
use crate::engine::bmap;
use crate::engine::checksum::{Algorithm, Hasher};

fn sha256(bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(Algorithm::Sha256);
    hasher.update(bytes);
    hasher.finish().hex().to_owned()
}

fn kind(event: Event) -> Option<Kind> {
    match event {
        Event::Done(_) => None,
        Event::Failed(failure, _) => Some(failure.kind),
        other => panic!("{other:?}"),
    }
}

/// A map of a disk of 9 MiB of which the first and the last MiB are mapped.
pub(super) fn map(image: &[u8]) -> String {
    bmap::tests::map("2.0", image, &[(0, 255), (2048, 2303)])
}

#[test]
fn a_map_beside_the_image_is_used_and_its_checksums_are_enforced() {
    let files = Files::new();
    let mut image = disk_image(9 * MIB);
    image[MIB..8 * MIB].fill(0);
    let path = files.put("a.img.xz", &xz(&image));
    files.put("a.img.bmap", map(&image).as_bytes());
    let disk = stick(10 * MIB);
    let Event::Done(report) = written(&request(&path), &disk) else {
        panic!("it is whole")
    };
    assert_eq!((report.bytes, report.checked), (2 * MIB as u64, true));
    let content = disk.content();
    assert!(content[..MIB] == image[..MIB] && content[8 * MIB..9 * MIB] == image[8 * MIB..]);
    assert_eq!(content[5 * MIB], crate::engine::testing::OLD, "left alone");

    image[8 * MIB + 5] ^= 1;
    files.put("a.img.xz", &xz(&image));
    let end = written(&request(&path), &stick(10 * MIB));
    assert_eq!(kind(end), Some(Kind::ChecksumMismatch));
}

#[test]
fn a_map_that_cannot_be_trusted_is_passed_over_or_refused_where_it_was_given() {
    let files = Files::new();
    let image = disk_image(9 * MIB);
    let path = files.put("a.img", &image);
    let damaged = map(&image).replacen("0-255", "0-254", 1);
    let beside = files.put("a.img.bmap", damaged.as_bytes());
    let (_, planned) = plan(&request(&path)).unwrap();
    assert_eq!(planned.notes[0].kind, Kind::BmapIgnored);
    assert_eq!(planned.total, Some(image.len() as u64));
    let other = files.put("other.bmap", map(&image).as_bytes());
    let short = files.put("short.img", &disk_image(MIB));
    for (image, map, wanted) in [
        (&path, &beside, Some(Kind::BmapUnusable)),
        (&short, &other, Some(Kind::BmapUnusable)),
        (&path, &files.0.path().join("none"), Some(Kind::SourceGone)),
        (&path, &other, None),
    ] {
        let mut request = request(image);
        request.map = GivenMap::File(map.clone());
        assert_eq!(plan(&request).err().map(|failure| failure.kind), wanted);
    }
}

#[test]
fn a_published_checksum_holds_for_the_file_or_for_what_is_in_it() {
    let files = Files::new();
    let image = disk_image(9 * MIB);
    let packed = xz(&image);
    let path = files.put("a.img.xz", &packed);
    let plain = files.put("a.img", &image);
    let (of_file, of_content) = (sha256(&packed), sha256(&image));
    let list = |name: &str, text: String| GivenChecksum::List(files.put(name, text.as_bytes()));
    for (image, checksum, wanted) in [
        (&path, GivenChecksum::Value(of_file.to_uppercase()), None),
        (&plain, GivenChecksum::Value(of_content.clone()), None),
        (&path, list("1", format!("{of_file} *a.img.xz\r\n")), None),
        (&path, list("2", format!("{of_content}  a.img\n")), None),
        (
            &path,
            list("3", format!("{}  a.img.xz\n", "0".repeat(64))),
            Some(Kind::ChecksumMismatch),
        ),
        (
            &plain,
            GivenChecksum::Value(of_file.clone()),
            Some(Kind::ChecksumMismatch),
        ),
    ] {
        let mut request = request(image);
        request.checksum = checksum.clone();
        let disk = stick(10 * MIB);
        let end = written(&request, &disk);
        assert_eq!(kind(end), wanted, "{checksum:?}");
        let content = disk.content();
        assert_eq!(content[..512] == of_first(&plain), wanted.is_none());
    }
}

fn of_first(plain: &std::path::Path) -> Vec<u8> {
    fs::read(plain).unwrap()[..512].to_vec()
}

#[test]
fn c01_a_list_without_the_image_or_without_checksums_is_refused_before_anything() {
    let files = Files::new();
    let path = files.put("a.img", &disk_image(MIB));
    let sum = sha256(b"");
    for (text, wanted) in [
        (format!("{sum}  b.img\n"), Kind::ChecksumNoEntry),
        ("hello".to_owned(), Kind::NotAChecksum),
        (format!("{}  a.img\n", &sum[1..]), Kind::NotAChecksum),
    ] {
        let mut request = request(&path);
        request.checksum = GivenChecksum::List(files.put("SUMS", text.as_bytes()));
        assert_eq!(plan(&request).unwrap_err().kind, wanted, "{text}");
    }
    let mut request = request(&path);
    let signed = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{sum}  a.img\n\
         -----BEGIN PGP SIGNATURE-----\n\nabcd\n-----END PGP SIGNATURE-----\n"
    );
    request.checksum = GivenChecksum::List(files.put("SUMS.asc", signed.as_bytes()));
    let (_, planned) = plan(&request).unwrap();
    assert_eq!(planned.notes[0].kind, Kind::SignatureUnchecked);
}
