use serde_json::Value;

/// How a tool shows how far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    /// Steady's events.
    Json,
    /// Nothing: how large the files on the stick seem is what a person can look at.
    Size,
    /// `     34,209,792  34%   32.63MB/s    0:00:02`
    Rsync,
    /// `Transferred 34.2 MB out of 100.0 MB (32.6 MB/s)`
    Gio,
    /// `34209792 bytes (34 MB, 33 MiB) copied, 2 s, 17.1 MB/s`
    Dd,
    /// `bmaptool: info: 34% copied`
    Percent,
}

impl Shows {
    /// The bytes of `total` that a line says are copied; `None` of a line that says nothing of it.
    pub(super) fn bytes(self, line: &str, total: u64) -> Option<u64> {
        match self {
            Self::Json => {
                let event: Value = serde_json::from_str(line).ok()?;
                event["confirmed"].as_u64()
            }
            Self::Size => line.trim().parse().ok(),
            Self::Rsync => {
                let mut words = line.split_whitespace();
                let bytes = words.next()?.replace([',', '.'], "");
                words.next()?.strip_suffix('%')?;
                bytes.parse().ok()
            }
            Self::Gio => {
                let (_, after) = line.split_once("Transferred ")?;
                let (done, _) = after.split_once(" out of ")?;
                size(done)
            }
            Self::Dd => {
                let (bytes, _) = line.trim().split_once(" bytes")?;
                line.contains("copied").then(|| bytes.parse().ok())?
            }
            Self::Percent => {
                let (before, _) = line.split_once('%')?;
                let digits = before.rsplit(|sign: char| !sign.is_ascii_digit()).next()?;
                let percent: u64 = digits.parse().ok().filter(|percent| *percent <= 100)?;
                Some(total * percent / 100)
            }
        }
    }
}

/// `34.2 MB`, as `GLib` writes it, with any kind of blank.
fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let number_ends = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.')?;
    let number: f64 = text[..number_ends].parse().ok()?;
    let unit = text[number_ends..].trim();
    let factor = match unit {
        "bytes" | "byte" => 1.0,
        "kB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        _ => return None,
    };
    Some((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOTAL: u64 = 100_000_000;

    #[test]
    fn each_tool_is_read_as_a_person_reads_it() {
        for (shows, line, bytes) in [
            (
                Shows::Rsync,
                "     34,209,792  34%   32.63MB/s    0:00:02",
                34_209_792,
            ),
            (
                Shows::Rsync,
                "    100,000,000 100%   17.20MB/s    0:00:05 (xfr#1, to-chk=0/1)",
                TOTAL,
            ),
            (
                Shows::Gio,
                "Transferred 34.2 MB out of 100.0 MB (32.6 MB/s)",
                34_200_000,
            ),
            (
                Shows::Gio,
                "Transferred 131.1 kB out of 100.0 MB (131.1 kB/s)",
                131_100,
            ),
            (
                Shows::Dd,
                "34209792 bytes (34 MB, 33 MiB) copied, 2 s, 17.1 MB/s",
                34_209_792,
            ),
            (Shows::Percent, "bmaptool: info: 34% copied", 34_000_000),
            (Shows::Size, "4096\n", 4096),
            (Shows::Json, r#"{"event":"progress","confirmed":77}"#, 77),
        ] {
            assert_eq!(shows.bytes(line, TOTAL), Some(bytes), "{line}");
        }
    }

    #[test]
    fn other_lines_show_nothing() {
        for (shows, line) in [
            (Shows::Rsync, "sending incremental file list"),
            (Shows::Rsync, "film.mkv"),
            (Shows::Rsync, ""),
            (Shows::Gio, "gio: file:///x: Error"),
            (Shows::Dd, "24+0 records in"),
            (Shows::Percent, "bmaptool: info: no bmap given"),
            (Shows::Json, r#"{"event":"phase","phase":"writing"}"#),
            (Shows::Size, "-"),
        ] {
            assert_eq!(shows.bytes(line, TOTAL), None, "{line}");
        }
    }
}
