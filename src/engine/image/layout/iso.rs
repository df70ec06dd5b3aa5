use crate::engine::image::container::little_endian_32;

/// The file system of a CD or DVD.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Iso {
    /// Its name; may be empty.
    pub label: String,
    /// It is UDF as well, or UDF only, as Windows' own are.
    pub udf: bool,
    /// It installs Windows.
    pub windows: bool,
}

/// One that was found.
pub(super) struct Found {
    pub iso: Iso,
    /// Bytes that it says it has.
    pub reaches: Option<u64>,
}

const SECTOR: usize = 2048;
/// The first sector with a descriptor.
const FIRST: usize = 16;
/// Descriptors that are looked at.
const MOST_DESCRIPTORS: usize = 64;
/// UDF's own structures begin here.
const UDF: usize = 256;

pub(super) fn find(head: &[u8]) -> Option<Found> {
    let descriptors = head.get(FIRST * SECTOR..)?.as_chunks::<SECTOR>().0;
    let descriptors = &descriptors[..descriptors.len().min(MOST_DESCRIPTORS)];
    let primary = descriptors
        .iter()
        .take_while(|sector| &sector[1..6] == b"CD001")
        .find(|sector| sector[0] == 1);
    let udf = descriptors
        .iter()
        .take_while(|sector| sector[1..6].is_ascii() && sector[1] != 0)
        .any(|sector| matches!(&sector[1..6], b"NSR02" | b"NSR03"));
    if primary.is_none() && !udf {
        return None;
    }
    let windows = primary.is_some_and(|sector| is_windows(head, sector, udf))
        || (udf && names_boot_manager(head));
    Some(Found {
        iso: Iso {
            label: primary.map_or_else(String::new, |sector| field(sector, 40..72)),
            udf,
            windows,
        },
        reaches: primary.and_then(size),
    })
}

fn field(sector: &[u8; SECTOR], place: std::ops::Range<usize>) -> String {
    let text = String::from_utf8_lossy(&sector[place]);
    text.trim_matches(['\0', ' ']).to_owned()
}

fn size(primary: &[u8; SECTOR]) -> Option<u64> {
    let blocks = little_endian_32(primary, 80)?;
    let block = u16::from_le_bytes([primary[128], primary[129]]);
    (block.is_power_of_two() && block >= 512).then(|| u64::from(blocks) * u64::from(block))
}

/// Microsoft signs its discs; others' discs with Windows on them show its files. In Microsoft's
/// own the old file system holds a note only, and the files are in UDF.
fn is_windows(head: &[u8], primary: &[u8; SECTOR], udf: bool) -> bool {
    // Publisher and preparer.
    let signed = [318..446, 446..574]
        .into_iter()
        .any(|place| field(primary, place).starts_with("MICROSOFT CORPORATION"));
    // Volume names of its installers: CCCOMA_X64FRE_EN-US_DV9 and the like.
    let named = {
        let label = field(primary, 40..72);
        ["FRE_", "CHK_"].iter().any(|part| label.contains(part)) && label.contains("_DV")
    };
    udf && (signed || named) || lists_installer(head, primary)
}

/// Whether the top folder holds the boot manager and the installer's files.
fn lists_installer(head: &[u8], primary: &[u8; SECTOR]) -> bool {
    let names = names(head, primary);
    let has = |wanted: &[u8]| names.iter().any(|name| name.starts_with(wanted));
    has(b"BOOTMGR") && has(b"SOURCES")
}

/// The names in the top folder, in capitals, as far as it lies in the head.
fn names(head: &[u8], primary: &[u8; SECTOR]) -> Vec<Vec<u8>> {
    let mut names = Vec::new();
    let Some((start, length)) = little_endian_32(primary, 158).zip(little_endian_32(primary, 166))
    else {
        return names;
    };
    let folder = (start as usize)
        .checked_mul(SECTOR)
        .and_then(|start| head.get(start..))
        .unwrap_or_default();
    let folder = &folder[..folder.len().min(length as usize)];
    // A record never crosses a sector's border; the rest of the sector is zero.
    for mut records in folder.chunks(SECTOR) {
        while let Some((length @ 34..=u8::MAX, _)) = records.split_first() {
            let Some((record, rest)) = records.split_at_checked(usize::from(*length)) else {
                break;
            };
            let name = record
                .get(33..33 + usize::from(record[32]))
                .unwrap_or_default();
            names.push(name.to_ascii_uppercase());
            records = rest;
        }
    }
    names
}

/// Whether a folder of UDF holds Windows' boot manager. Names are preceded by the width of their
/// letters in bits; the top folder lies near the beginning of UDF's own structures.
fn names_boot_manager(head: &[u8]) -> bool {
    let structures = head.get(UDF * SECTOR..).unwrap_or_default();
    let narrow = b"\x08bootmgr";
    let wide = b"\x10\0b\0o\0o\0t\0m\0g\0r";
    structures.windows(narrow.len()).any(|name| name == narrow)
        || structures.windows(wide.len()).any(|name| name == wide)
}
