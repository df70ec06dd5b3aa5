#[cfg(test)]
mod tests;

use super::value::{is_blank, is_hex};
use super::{Algorithm, Checksum};

/// Endings of packed images: without them, a name is that of the image inside.
const PACKED: [&str; 9] = [
    ".gz", ".xz", ".zst", ".bz2", ".lz4", ".zip", ".lzma", ".zstd", ".lz",
];
/// What the image in an archive is called.
const INSIDE: [&str; 3] = [".img", ".iso", ".raw"];

/// A published list of checksums, or a file with a single one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    entries: Vec<Entry>,
    /// Names whose value is none.
    broken: Vec<String>,
    /// It bears a PGP signature, which nobody has verified: it is no more than a plain list.
    pub signed: bool,
    /// The list's own file name.
    name: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    /// `None`: the value alone.
    name: Option<String>,
    checksum: Checksum,
}

/// What a list says about an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The strongest that it has.
    pub checksum: Checksum,
    /// Of which bytes.
    pub of: Of,
}

/// What a checksum was computed of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Of {
    /// The file as it lies there, packed or not.
    File,
    /// The image inside the packed file.
    Content,
}

/// Why a list says nothing about an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListError {
    /// There is no checksum in it, or the image's value is none.
    #[error("this is not a checksum")]
    NotAChecksum,
    /// The image is not in it; others are.
    #[error("the list has no entry for the image; it has {names:?}")]
    NoEntry {
        /// The names that are there.
        names: Vec<String>,
    },
}

impl List {
    /// Understands what `sha256sum` and its kin, BSD's and OpenSSL's tools write, a value alone,
    /// and all of it with a signature around. `name` is the list's own file name, which may tell
    /// the algorithm.
    pub fn parse(bytes: &[u8], name: &str) -> Result<Self, ListError> {
        let mut list = Self {
            entries: Vec::new(),
            broken: Vec::new(),
            signed: false,
            name: file_name(name).to_owned(),
        };
        let text = decode(bytes);
        let mut lines = text.lines().map(|line| line.trim_matches(is_blank));
        while let Some(line) = lines.next() {
            match line {
                "-----BEGIN PGP SIGNED MESSAGE-----" => {
                    list.signed = true;
                    // Up to the empty line: which hash the signature uses.
                    lines.by_ref().find(|line| line.is_empty());
                }
                "-----BEGIN PGP SIGNATURE-----" => {
                    list.signed = true;
                    lines
                        .by_ref()
                        .find(|line| *line == "-----END PGP SIGNATURE-----");
                }
                // Dash-escaped, as in signed messages.
                _ => list.read(line.strip_prefix("- ").unwrap_or(line)),
            }
        }
        if list.entries.is_empty() && list.broken.is_empty() {
            return Err(ListError::NotAChecksum);
        }
        Ok(list)
    }

    /// What it says about the image with that file name: about the file itself, else about the
    /// image inside where the name is that of a packed file.
    pub fn find(&self, image: &str) -> Result<Found, ListError> {
        let image = file_name(image);
        let inside = names_inside(image);
        let is_inside = |name: &str| inside.iter().any(|inside| inside == name);
        let found = |of, checksum: &Checksum| {
            let checksum = checksum.clone();
            Ok(Found { checksum, of })
        };
        if let Some(checksum) = self.strongest(|name| name == Some(image)) {
            return found(Of::File, checksum);
        }
        if let Some(checksum) = self.strongest(|name| name.is_some_and(is_inside)) {
            return found(Of::Content, checksum);
        }
        if self
            .broken
            .iter()
            .any(|name| name == image || is_inside(name))
        {
            return Err(ListError::NotAChecksum);
        }
        if let Some(checksum) = self.strongest(|name| name.is_none()) {
            // `a.img.sha256` beside `a.img.xz` is about what is inside.
            let stem = self.name.rsplit_once('.').map_or("", |(stem, _)| stem);
            let of = if is_inside(stem) {
                Of::Content
            } else {
                Of::File
            };
            return found(of, checksum);
        }
        let mut names: Vec<_> = self.entries.iter().filter_map(|e| e.name.clone()).collect();
        names.dedup();
        if names.is_empty() {
            return Err(ListError::NotAChecksum);
        }
        Err(ListError::NoEntry { names })
    }

    fn strongest(&self, is_it: impl Fn(Option<&str>) -> bool) -> Option<&Checksum> {
        let entries = self.entries.iter();
        entries
            .filter(|entry| is_it(entry.name.as_deref()))
            .map(|entry| &entry.checksum)
            .max_by_key(|checksum| checksum.algorithm())
    }

    fn read(&mut self, line: &str) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            return;
        }
        let read = tagged(line).or_else(|| plain(line, &self.name));
        match read {
            Some((name, Some(checksum))) => self.entries.push(Entry { name, checksum }),
            Some((Some(name), None)) => self.broken.push(name),
            Some((None, None)) | None => {}
        }
    }
}

type Line = (Option<String>, Option<Checksum>);

/// `SHA256 (name) = value`, or `SHA256(name)= value`.
fn tagged(line: &str) -> Option<Line> {
    let (head, hex) = line.rsplit_once('=')?;
    let (tag, name) = head.trim_end().strip_suffix(')')?.split_once('(')?;
    let algorithm = Algorithm::of_tag(tag.trim());
    let checksum = algorithm.and_then(|a| Checksum::of_algorithm(a, hex.trim()));
    Some((Some(file_name(name).to_owned()), checksum))
}

/// `value  name`, `value *name`, or the value alone.
fn plain(line: &str, list: &str) -> Option<Line> {
    // A leading backslash says that the name has odd letters, which no image has.
    let line = line.strip_prefix('\\').unwrap_or(line);
    let (value, name) = line.split_once([' ', '\t']).unwrap_or((line, ""));
    let name = name.trim_start().trim_start_matches('*');
    let digits = value.split_once(':').map_or(value, |(_, digits)| digits);
    // Prose is no broken entry; a value of a wrong length is.
    if !is_hex(digits) || digits.len() < 8 {
        return None;
    }
    let name = Some(file_name(name).to_owned()).filter(|name| !name.is_empty());
    Some((name, Checksum::parse(value, list)))
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn names_inside(image: &str) -> Vec<String> {
    let lower = image.to_ascii_lowercase();
    let Some(ending) = PACKED.iter().find(|ending| lower.ends_with(*ending)) else {
        return Vec::new();
    };
    let stem = &image[..image.len() - ending.len()];
    let with = INSIDE.iter().map(|ending| format!("{stem}{ending}"));
    with.chain([stem.to_owned()]).collect()
}

/// UTF-8, or the UTF-16 that PowerShell writes.
fn decode(bytes: &[u8]) -> String {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        String::from_utf16_lossy(&units.collect::<Vec<_>>())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}
