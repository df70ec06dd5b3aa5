use std::collections::BTreeMap;

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

use super::{Bmap, BmapError, MappedRange};
use crate::engine::checksum::{Algorithm, Checksum, Hasher};

/// What of a file is kept while it is read.
#[derive(Default)]
struct Raw {
    version: Option<String>,
    /// Texts of the root's children, by name.
    values: BTreeMap<&'static str, String>,
    ranges: Vec<RawRange>,
}

struct RawRange {
    blocks: String,
    sha1: Option<String>,
    chksum: Option<String>,
}

/// Elements in one another: a map needs three.
const DEPTH: usize = 8;

/// The children of the root that hold a value.
const VALUES: [&str; 7] = [
    "ImageSize",
    "BlockSize",
    "BlocksCount",
    "MappedBlocksCount",
    "ChecksumType",
    "BmapFileChecksum",
    "BmapFileSHA1",
];

pub(super) fn parse(xml: &[u8]) -> Result<Bmap, BmapError> {
    let text = std::str::from_utf8(xml).map_err(|error| BmapError::Syntax {
        at: error.valid_up_to() as u64,
        detail: "no UTF-8".into(),
    })?;
    let raw = read(text)?;
    let version = raw
        .version
        .as_deref()
        .ok_or(BmapError::Missing("version"))?;
    let (algorithm, own) = match version {
        "1.3" => (Algorithm::Sha1, "BmapFileSHA1"),
        _ if version == "1.4" || is_2(version) => (raw.algorithm()?, "BmapFileChecksum"),
        _ => return Err(BmapError::Version(version.into())),
    };
    check_own(xml, algorithm, raw.value(own)?, own)?;

    let image_size = raw.number("ImageSize")?;
    let block_size = raw.number("BlockSize")?;
    let blocks = raw.number("BlocksCount")?;
    // Less than a sector cannot be written, and more than the image makes no sense.
    if !block_size.is_power_of_two() || !(512..=1 << 30).contains(&block_size) {
        return Err(raw.invalid("BlockSize"));
    }
    if image_size == 0 {
        return Err(raw.invalid("ImageSize"));
    }
    if image_size.div_ceil(block_size) != blocks {
        return Err(raw.invalid("BlocksCount"));
    }
    let mut ranges = Vec::with_capacity(raw.ranges.len());
    let (mut next, mut mapped) = (0, 0);
    for range in &raw.ranges {
        let (first, last) = blocks_of(&range.blocks).ok_or_else(|| range.invalid())?;
        if first < next || last < first || last >= blocks {
            return Err(range.invalid());
        }
        next = last + 1;
        mapped += next - first;
        // `last < blocks`, so neither product exceeds the image's size by a block.
        ranges.push(MappedRange {
            bytes: first * block_size..next.saturating_mul(block_size).min(image_size),
            checksum: range.checksum(version, algorithm)?,
        });
    }
    if mapped != raw.number("MappedBlocksCount")? {
        return Err(raw.invalid("MappedBlocksCount"));
    }
    Ok(Bmap::new(image_size, ranges))
}

fn is_2(version: &str) -> bool {
    let minor = version.strip_prefix("2.");
    minor.is_some_and(|minor| number(minor).is_some())
}

impl Raw {
    fn value(&self, name: &'static str) -> Result<&str, BmapError> {
        let value = self.values.get(name).ok_or(BmapError::Missing(name))?;
        Ok(value.as_str())
    }

    fn number(&self, name: &'static str) -> Result<u64, BmapError> {
        number(self.value(name)?).ok_or_else(|| self.invalid(name))
    }

    fn algorithm(&self) -> Result<Algorithm, BmapError> {
        let name = self.value("ChecksumType")?;
        Algorithm::of_tag(name).ok_or_else(|| self.invalid("ChecksumType"))
    }

    fn invalid(&self, what: &'static str) -> BmapError {
        let value = self.values.get(what).cloned().unwrap_or_default();
        BmapError::Invalid { what, value }
    }
}

impl RawRange {
    fn invalid(&self) -> BmapError {
        BmapError::Invalid {
            what: "Range",
            value: self.blocks.clone(),
        }
    }

    fn checksum(&self, version: &str, algorithm: Algorithm) -> Result<Option<Checksum>, BmapError> {
        let (what, hex) = match version {
            "1.3" => ("sha1", &self.sha1),
            _ => ("chksum", &self.chksum),
        };
        let Some(hex) = hex else { return Ok(None) };
        match Checksum::of_algorithm(algorithm, hex.trim()) {
            Some(checksum) => Ok(Some(checksum)),
            None => Err(BmapError::Invalid {
                what,
                value: hex.clone(),
            }),
        }
    }
}

/// Only digits: no sign, no blanks.
fn number(text: &str) -> Option<u64> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

/// `7`, or `7-9` with both included.
fn blocks_of(text: &str) -> Option<(u64, u64)> {
    match text.split_once('-') {
        Some((first, last)) => Some((number(first.trim())?, number(last.trim())?)),
        None => number(text).map(|block| (block, block)),
    }
}

/// The map's checksum of itself is taken with zeroes in its own place.
fn check_own(
    xml: &[u8],
    algorithm: Algorithm,
    hex: &str,
    what: &'static str,
) -> Result<(), BmapError> {
    let invalid = || BmapError::Invalid {
        what,
        value: hex.into(),
    };
    let expected = Checksum::of_algorithm(algorithm, hex).ok_or_else(invalid)?;
    let at = xml
        .windows(hex.len())
        .position(|window| window == hex.as_bytes())
        .ok_or_else(invalid)?;
    let mut hasher = Hasher::new(algorithm);
    hasher.update(&xml[..at]);
    hasher.update(&vec![b'0'; hex.len()]);
    hasher.update(&xml[at + hex.len()..]);
    let found = hasher.finish();
    if found == expected {
        return Ok(());
    }
    Err(BmapError::Damaged {
        expected: expected.hex().into(),
        found: found.hex().into(),
    })
}

/// Reads the elements. What the format does not name is passed over, as later versions may add
/// to it; whatever makes XML dangerous or ambiguous is refused.
fn read(text: &str) -> Result<Raw, BmapError> {
    let mut reader = Reader::from_str(text);
    let mut raw = Raw::default();
    let mut path: Vec<String> = Vec::new();
    loop {
        let at = reader.buffer_position();
        let syntax = |detail: String| BmapError::Syntax { at, detail };
        if path.len() > DEPTH {
            return Err(syntax("elements in one another without end".into()));
        }
        match reader
            .read_event()
            .map_err(|error| syntax(error.to_string()))?
        {
            Event::Start(element) => {
                path.push(element.name().as_ref().to_owned());
                begin(&mut raw, &path, &element).map_err(syntax)??;
            }
            Event::Empty(element) => {
                path.push(element.name().as_ref().to_owned());
                begin(&mut raw, &path, &element).map_err(syntax)??;
                path.pop();
            }
            Event::End(_) => {
                path.pop();
            }
            Event::Text(text) => put(&mut raw, &path, &text.xml_content(XmlVersion::Implicit1_0)),
            Event::Comment(_) | Event::Decl(_) => {}
            Event::CData(_) | Event::PI(_) | Event::DocType(_) | Event::GeneralRef(_) => {
                return Err(syntax("a block map has no need of that".into()));
            }
            Event::Eof if path.is_empty() => break,
            Event::Eof => return Err(syntax("it ends in the middle".into())),
        }
    }
    if raw.version.is_none() && raw.values.is_empty() {
        return Err(BmapError::NotABmap);
    }
    Ok(raw)
}

/// An element has begun. The outer error is the parser's.
fn begin(
    raw: &mut Raw,
    path: &[String],
    element: &BytesStart<'_>,
) -> Result<Result<(), BmapError>, String> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path[..] {
        ["bmap"] if raw.version.is_none() => raw.version = attribute(element, "version")?,
        [_] => return Ok(Err(BmapError::NotABmap)),
        ["bmap", name] => {
            if let Some(name) = VALUES.into_iter().find(|value| *value == name)
                && raw.values.insert(name, String::new()).is_some()
            {
                return Ok(Err(BmapError::Invalid {
                    what: name,
                    value: "there twice".into(),
                }));
            }
        }
        ["bmap", "BlockMap", "Range"] => raw.ranges.push(RawRange {
            blocks: String::new(),
            sha1: attribute(element, "sha1")?,
            chksum: attribute(element, "chksum")?,
        }),
        _ => {}
    }
    Ok(Ok(()))
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    let attribute = element
        .try_get_attribute(name)
        .map_err(|error| error.to_string())?;
    let value = attribute.map(|attribute| attribute.normalized_value(XmlVersion::Implicit1_0));
    let value = value.transpose().map_err(|error| error.to_string())?;
    Ok(value.map(|value| value.trim().to_owned()))
}

/// Text between tags; comments may cut it into several.
fn put(raw: &mut Raw, path: &[String], text: &str) {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let to = match path[..] {
        ["bmap", name] => raw.values.get_mut(name),
        ["bmap", "BlockMap", "Range"] => raw.ranges.last_mut().map(|range| &mut range.blocks),
        _ => None,
    };
    if let Some(to) = to {
        to.push_str(text.trim());
    }
}
