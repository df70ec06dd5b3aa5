use super::*;

const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";

fn long(start: &str, digits: usize) -> String {
    start.chars().cycle().take(digits).collect()
}

fn find(text: &str, list: &str, image: &str) -> Result<Found, ListError> {
    List::parse(text.as_bytes(), list)?.find(image)
}

#[test]
fn c01_what_people_have_is_understood() {
    let upper = SHA256.to_uppercase();
    let (sha1, sha384, sha512) = (long("a9", 40), long("cb0", 96), long("dd", 128));
    let table = [
        ("bare", SHA256.to_owned(), Algorithm::Sha256),
        ("capitals", upper.clone(), Algorithm::Sha256),
        ("blanks", format!("  \t{SHA256} \n\n"), Algorithm::Sha256),
        ("CRLF", format!("{SHA256}  a.img\r\n"), Algorithm::Sha256),
        ("BOM", format!("\u{feff}{SHA256}  a.img"), Algorithm::Sha256),
        (
            "two blanks",
            format!("{SHA256}  a.img\n"),
            Algorithm::Sha256,
        ),
        ("binary", format!("{upper} *a.img\n"), Algorithm::Sha256),
        ("with ./", format!("{SHA256}  ./a.img\n"), Algorithm::Sha256),
        (
            "folder",
            format!("{SHA256} *out/a.img\n"),
            Algorithm::Sha256,
        ),
        (
            "BSD",
            format!("SHA256 (a.img) = {SHA256}\n"),
            Algorithm::Sha256,
        ),
        (
            "OpenSSL",
            format!("SHA256(a.img)= {SHA256}\n"),
            Algorithm::Sha256,
        ),
        ("by length 32", format!("{MD5}  a.img"), Algorithm::Md5),
        ("by length 40", format!("{sha1}  a.img"), Algorithm::Sha1),
        (
            "by length 96",
            format!("{sha384}  a.img"),
            Algorithm::Sha384,
        ),
        (
            "by length 128",
            format!("{sha512}  a.img"),
            Algorithm::Sha512,
        ),
    ];
    for (what, text, algorithm) in table {
        let found = find(&text, "SUMS", "a.img").unwrap();
        assert_eq!(found.checksum.algorithm(), algorithm, "{what}");
        assert_eq!(found.of, Of::File, "{what}");
        if algorithm == Algorithm::Sha256 {
            assert_eq!(found.checksum.hex(), SHA256, "{what}");
        }
    }
}

#[test]
fn c01_other_lengths_are_no_checksum_rather_than_a_mismatch() {
    for digits in [8, 31, 33, 56, 63, 65, 127, 129] {
        let value = long("0a1b", digits);
        for text in [
            value.clone(),
            format!("{value}  a.img"),
            format!("SHA256 (a.img) = {value}"),
        ] {
            assert_eq!(
                find(&text, "x", "a.img"),
                Err(ListError::NotAChecksum),
                "{text}"
            );
        }
        assert_eq!(Checksum::parse(&value, ""), None);
    }
    for text in [
        "",
        "\n\n",
        "hello world",
        "<html><body>404</body></html>",
        "# a.img",
    ] {
        assert_eq!(
            find(text, "x", "a.img"),
            Err(ListError::NotAChecksum),
            "{text}"
        );
    }
}

#[test]
fn the_entry_is_found_by_name_and_others_are_named() {
    let text = format!(
        "{}  a.img\n{SHA256}  b.img\n{}  b.img.asc\n",
        long("1", 64),
        long("2", 64)
    );
    assert_eq!(
        find(&text, "SHA256SUMS", "b.img").unwrap().checksum.hex(),
        SHA256
    );
    assert_eq!(
        find(&text, "SHA256SUMS", "/home/me/b.img")
            .unwrap()
            .checksum
            .hex(),
        SHA256
    );
    let Err(ListError::NoEntry { names }) = find(&text, "SHA256SUMS", "c.img") else {
        panic!("c.img is not in it")
    };
    assert_eq!(names, ["a.img", "b.img", "b.img.asc"]);
}

#[test]
fn the_strongest_of_several_counts() {
    let text = format!("{MD5}  a.iso\n{}  a.iso\n{SHA256}  a.iso\n", long("d", 128));
    let found = find(&text, "SUMS", "a.iso").unwrap();
    assert_eq!(found.checksum.algorithm(), Algorithm::Sha512);
}

#[test]
fn a_list_may_be_about_the_image_inside() {
    let inside = format!("{SHA256}  a.img\n");
    let packed = format!("{}  a.img.xz\n", long("5", 64));
    assert_eq!(find(&inside, "SUMS", "a.img.xz").unwrap().of, Of::Content);
    assert_eq!(find(&packed, "SUMS", "a.img.xz").unwrap().of, Of::File);
    let both = find(&format!("{inside}{packed}"), "SUMS", "a.img.xz").unwrap();
    assert!(both.of == Of::File && both.checksum.hex().starts_with("555"));
    assert_eq!(find(&inside, "SUMS", "a.zip").unwrap().of, Of::Content);
    assert_eq!(
        find(SHA256, "a.img.sha256", "a.img.xz").unwrap().of,
        Of::Content
    );
    assert_eq!(
        find(SHA256, "a.img.xz.sha256", "a.img.xz").unwrap().of,
        Of::File
    );
    assert!(
        find(&packed, "SUMS", "a.img").is_err(),
        "the packed file's says nothing of it"
    );
}

#[test]
fn a_signed_list_is_no_more_than_a_plain_one() {
    let text = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\
         # a.iso: 12 bytes\nSHA256 (a.iso) = {SHA256}\n- {MD5}  b.iso\n\
         -----BEGIN PGP SIGNATURE-----\n\n{}\n-----END PGP SIGNATURE-----\n",
        long("abcdef0123456789", 64)
    );
    let list = List::parse(text.as_bytes(), "CHECKSUM").unwrap();
    assert!(list.signed);
    assert_eq!(list.find("a.iso").unwrap().checksum.hex(), SHA256);
    assert_eq!(list.find("b.iso").unwrap().checksum.hex(), MD5);
    assert!(matches!(list.find("c.iso"), Err(ListError::NoEntry { names }) if names.len() == 2));
    assert!(!List::parse(SHA256.as_bytes(), "x").unwrap().signed);
}

#[test]
fn the_lists_name_or_its_tag_tells_blake() {
    let (b2, b3) = (long("b2", 128), long("b3", 64));
    let found = |text: &str, list: &str| find(text, list, "a.img").unwrap().checksum.algorithm();
    assert_eq!(found(&format!("{b2}  a.img"), "B2SUMS"), Algorithm::Blake2b);
    assert_eq!(
        found(&format!("{b2}  a.img"), "a.img.b2sum"),
        Algorithm::Blake2b
    );
    assert_eq!(
        found(&format!("BLAKE2b (a.img) = {b2}"), "SUMS"),
        Algorithm::Blake2b
    );
    assert_eq!(found(&b3, "a.img.b3"), Algorithm::Blake3);
    assert_eq!(
        found(&format!("BLAKE3 (a.img) = {b3}"), "x"),
        Algorithm::Blake3
    );
}

#[test]
fn powershells_wide_letters_are_read() {
    let text = format!("{}\r\n", SHA256.to_uppercase());
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    let found = List::parse(&bytes, "hash.txt")
        .unwrap()
        .find("a.iso")
        .unwrap();
    assert_eq!(found.checksum.hex(), SHA256);
}

#[test]
fn pasted_values_are_understood() {
    let checksum = Checksum::parse(&format!(" sha256:{SHA256}\n"), "").unwrap();
    assert_eq!(checksum.hex(), SHA256);
    assert_eq!(Checksum::parse(&format!("md5:{SHA256}"), ""), None);
    assert_eq!(Checksum::parse("not a checksum", ""), None);
}
