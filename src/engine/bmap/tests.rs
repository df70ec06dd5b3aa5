use super::*;
use crate::engine::checksum::{Algorithm, Hasher};

fn hash(algorithm: Algorithm, bytes: &[u8]) -> String {
    let mut hasher = Hasher::new(algorithm);
    hasher.update(bytes);
    hasher.finish().hex().to_owned()
}

/// A map as bmaptool writes it, with blocks of 4096 bytes.
pub(crate) fn map(version: &str, image: &[u8], blocks: &[(u64, u64)]) -> String {
    let (algorithm, kind, own, attribute) = match version {
        "1.3" => (Algorithm::Sha1, "", "BmapFileSHA1", "sha1"),
        _ => (
            Algorithm::Sha256,
            "<ChecksumType> sha256 </ChecksumType>",
            "BmapFileChecksum",
            "chksum",
        ),
    };
    let count: u64 = blocks.iter().map(|(first, last)| last - first + 1).sum();
    let zeroes = "0".repeat(algorithm.digits());
    let mut xml = format!(
        "<?xml version=\"1.0\" ?>\n<!-- a list of <mapped> blocks -->\n<bmap version=\"{version}\">\n\
         <ImageSize> {} </ImageSize>\n<BlockSize> 4096 </BlockSize>\n\
         <BlocksCount> {} </BlocksCount>\n<MappedBlocksCount> {count} </MappedBlocksCount>\n{kind}\n\
         <!-- of itself -->\n<{own}> {zeroes} </{own}>\n<BlockMap>\n",
        image.len(),
        image.len().div_ceil(4096),
    );
    for (first, last) in blocks {
        let end = ((last + 1) * 4096).min(image.len() as u64) as usize;
        let sum = hash(algorithm, &image[(first * 4096) as usize..end]);
        let text = if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        };
        xml += &format!("<Range {attribute}=\"{sum}\"> {text} </Range>\n");
    }
    xml += "</BlockMap>\n</bmap>\n";
    seal(&xml, algorithm)
}

/// Puts the map's own checksum where zeroes are.
fn seal(xml: &str, algorithm: Algorithm) -> String {
    let own = hash(algorithm, xml.as_bytes());
    xml.replacen(&"0".repeat(own.len()), &own, 1)
}

/// With something else in it, sealed anew.
fn changed(xml: &str, from: &str, to: &str) -> Result<Bmap, BmapError> {
    assert!(xml.contains(from), "{from} is not there to be changed");
    let from_own = xml.find("<BmapFileChecksum> ").unwrap() + 19;
    let own = &xml[from_own..from_own + 64];
    let open = xml.replacen(own, &"0".repeat(64), 1).replacen(from, to, 1);
    Bmap::parse(seal(&open, Algorithm::Sha256).as_bytes())
}

fn image(size: usize) -> Vec<u8> {
    let mut image = vec![0; size];
    blake3::Hasher::new().finalize_xof().fill(&mut image);
    image
}

#[test]
fn all_versions_are_read_and_their_sums_hold() {
    let image = image(10 * 4096 + 100);
    for version in ["1.3", "1.4", "2.0"] {
        let map = Bmap::parse(map(version, &image, &[(0, 1), (3, 3), (8, 10)]).as_bytes()).unwrap();
        assert_eq!(map.image_size(), image.len() as u64);
        let bytes: Vec<_> = map
            .ranges()
            .iter()
            .map(|range| range.bytes.clone())
            .collect();
        assert_eq!(bytes, [0..8192, 12288..16384, 32768..41060]);
        assert_eq!(map.mapped_bytes(), 3 * 4096 + 8292);
        let within: Vec<_> = map.within(4096..36864).collect();
        assert_eq!(within, [4096..8192, 12288..16384, 32768..36864]);
        assert_eq!(map.within(16384..32768).count(), 0);

        for piece in [1, 511, 4096, 5000, image.len()] {
            let mut check = RangeCheck::new(&map);
            for part in image.chunks(piece) {
                check.update(part).unwrap();
            }
        }
    }
}

#[test]
fn a_changed_byte_in_a_range_is_told_and_one_outside_is_not() {
    let image = image(8 * 4096);
    let map = Bmap::parse(map("2.0", &image, &[(0, 0), (2, 5)]).as_bytes()).unwrap();
    for (at, range) in [
        (0, Some(0..4096)),
        (8192, Some(8192..24576)),
        (24575, Some(8192..24576)),
    ] {
        let mut bad = image.clone();
        bad[at] ^= 1;
        let told = RangeCheck::new(&map)
            .update(&bad)
            .err()
            .map(|told| told.bytes);
        assert_eq!(told, range);
    }
    let mut other = image;
    other[24576] ^= 1;
    other[4096] ^= 1;
    assert_eq!(RangeCheck::new(&map).update(&other), Ok(()));
}

#[test]
fn small_blocks_are_written_in_whole_blocks_of_direct_io() {
    let range = |bytes| MappedRange {
        bytes,
        checksum: None,
    };
    let map = Bmap::new(
        20_000,
        vec![range(512..1024), range(5120..5632), range(19_968..20_000)],
    );
    let all: Vec<_> = map.within(0..20_000).collect();
    assert_eq!(all, [0..8192, 16384..20_000]);
    assert_eq!(map.mapped_bytes(), 8192 + 3616);
}

#[test]
fn a_flipped_byte_anywhere_is_told() {
    let xml = map("2.0", &image(5 * 4096), &[(0, 1), (4, 4)]);
    assert!(Bmap::parse(xml.as_bytes()).is_ok());
    for at in 0..xml.len() {
        let mut bytes = xml.clone().into_bytes();
        bytes[at] ^= 1;
        assert!(Bmap::parse(&bytes).is_err(), "byte {at} of {xml}");
        assert!(Bmap::parse(&bytes[..at]).is_err(), "cut at {at}");
    }
}

#[test]
fn what_cannot_be_is_refused_even_with_a_right_checksum() {
    let xml = map("2.0", &image(5 * 4096), &[(0, 1), (4, 4)]);
    for (from, to, what) in [
        ("> 20480 <", "> 0 <", "ImageSize"),
        ("> 20480 <", "> -5 <", "ImageSize"),
        ("> 20480 <", "> +20480 <", "ImageSize"),
        ("> 20480 <", "> 99999999999999999999 <", "ImageSize"),
        ("> 4096 <", "> 0 <", "BlockSize"),
        ("> 4096 <", "> 4095 <", "BlockSize"),
        ("> 5 <", "> 6 <", "BlocksCount"),
        ("> 3 <", "> 4 <", "MappedBlocksCount"),
        ("> 4 <", "> 5 <", "Range"),
        ("> 4 <", "> 1 <", "Range"),
        ("> 0-1 <", "> 1-0 <", "Range"),
        ("> 0-1 <", "> 0-18446744073709551615 <", "Range"),
        ("> 0-1 <", "> x <", "Range"),
        ("> sha256 <", "> crc32 <", "ChecksumType"),
        ("chksum=\"", "chksum=\"zz", "chksum"),
    ] {
        match changed(&xml, from, to) {
            Err(BmapError::Invalid { what: told, .. }) => assert_eq!(told, what, "{from} {to}"),
            other => panic!("{from} {to}: {other:?}"),
        }
    }
    assert_eq!(
        changed(&xml, "version=\"2.0\"", "version=\"3.0\""),
        Err(BmapError::Version("3.0".into()))
    );
    assert_eq!(
        changed(&xml, "<BlockSize> 4096 </BlockSize>", ""),
        Err(BmapError::Missing("BlockSize"))
    );
    let twice = "<BlockSize> 4096 </BlockSize><BlockSize> 4096 </BlockSize>";
    assert!(changed(&xml, "<BlockSize> 4096 </BlockSize>", twice).is_err());
    let entity = "<!DOCTYPE bmap [<!ENTITY a \"4096\">]>\n<bmap ";
    assert!(matches!(
        changed(&xml, "<bmap ", entity),
        Err(BmapError::Syntax { .. })
    ));
}

#[test]
fn other_files_are_no_block_maps() {
    for (text, is_syntax) in [
        ("", false),
        ("<html></html>", false),
        ("<bmap version=\"2.0\">", true),
        ("hello", false),
        ("<bmap version=\"2.0\"><b></bmap></b>", true),
        ("\u{0}\u{1}<", true),
        (&"<bmap>".repeat(100), true),
    ] {
        let error = Bmap::parse(text.as_bytes()).unwrap_err();
        assert_eq!(
            matches!(error, BmapError::Syntax { .. }),
            is_syntax,
            "{text:?}: {error}"
        );
    }
    assert!(matches!(
        Bmap::parse(&[0xff, 0xfe]),
        Err(BmapError::Syntax { at: 0, .. })
    ));
}
