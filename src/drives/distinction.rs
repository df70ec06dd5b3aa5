use super::Drive;

/// Shortest end of a serial number that is told.
const TAIL: usize = 6;

/// What tells a drive from another that looks just like it, as a person can check it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Distinction {
    /// Name of a volume on it.
    Label(String),
    /// End of its serial number, long enough to differ.
    Serial(String),
    /// The kernel's name of the port that it is plugged into, such as `2-1.4`.
    Port(String),
    /// The kernel's name of it, such as `sdb`: nothing else differs.
    Node(String),
}

/// Tells of each drive what distinguishes it from those of the same maker, model and size; of one
/// without a name also when it is alone.
pub(super) fn distinguish(drives: &mut [Drive]) {
    let distinctions: Vec<_> = (0..drives.len())
        .map(|index| {
            let (before, rest) = drives.split_at(index);
            let (drive, after) = rest.split_first().expect("the index is in range");
            let twins: Vec<&Drive> = before
                .iter()
                .chain(after)
                .filter(|other| look_alike(drive, other))
                .collect();
            distinction(drive, &twins)
        })
        .collect();
    for (drive, distinction) in drives.iter_mut().zip(distinctions) {
        drive.distinction = distinction;
    }
}

fn look_alike(one: &Drive, other: &Drive) -> bool {
    one.vendor == other.vendor && one.model == other.model && one.size == other.size
}

fn distinction(drive: &Drive, twins: &[&Drive]) -> Option<Distinction> {
    let is_nameless = drive.vendor.is_empty() && drive.model.is_empty();
    if twins.is_empty() && !is_nameless {
        return None;
    }
    let label = label(drive);
    let port = drive.port.as_deref().unwrap_or_default();
    if !label.is_empty() && twins.iter().all(|twin| self::label(twin) != label) {
        Some(Distinction::Label(label.to_owned()))
    } else if let Some(tail) = tail(drive, twins) {
        Some(Distinction::Serial(tail))
    } else if !port.is_empty() && twins.iter().all(|twin| twin.port != drive.port) && !is_nameless {
        Some(Distinction::Port(port.to_owned()))
    } else {
        let node = drive.device.file_name().unwrap_or_default();
        Some(Distinction::Node(node.display().to_string()))
    }
}

fn label(drive: &Drive) -> &str {
    let labels = drive.volumes.iter().map(|volume| volume.label.as_str());
    labels
        .into_iter()
        .find(|label| !label.is_empty())
        .unwrap_or_default()
}

/// The shortest end of the serial number that no twin's ends with.
fn tail(drive: &Drive, twins: &[&Drive]) -> Option<String> {
    let signs: Vec<char> = drive.serial.chars().collect();
    let lengths = TAIL.min(signs.len())..=signs.len();
    lengths
        .filter(|length| *length > 0)
        .map(|length| signs[signs.len() - length..].iter().collect::<String>())
        .find(|tail| twins.iter().all(|twin| !twin.serial.ends_with(tail)))
}

#[cfg(test)]
mod tests {
    use super::Distinction::{Label, Node, Port, Serial};
    use super::*;
    use crate::drives::Volume;

    fn drive(node: &str, serial: &str, port: &str, label: &str) -> Drive {
        Drive {
            device: format!("/dev/{node}").into(),
            vendor: "Acme".into(),
            model: "Flash".into(),
            serial: serial.into(),
            size: 2_000_000_000,
            port: Some(port.to_owned()).filter(|it| !it.is_empty()),
            volumes: vec![Volume {
                label: label.into(),
                ..Volume::default()
            }],
            ..Drive::default()
        }
    }

    fn told(drives: &[Drive]) -> Vec<Option<Distinction>> {
        let mut drives = drives.to_vec();
        distinguish(&mut drives);
        drives.into_iter().map(|it| it.distinction).collect()
    }

    #[test]
    fn d06_twins_differ_by_what_a_person_can_check() {
        let of = |text: &str| text.to_owned();
        for (one, other, expected) in [
            (
                drive("sdb", "AB123456", "", "MUSIC"),
                drive("sdc", "AB123457", "", "PHOTOS"),
                [Some(Label(of("MUSIC"))), Some(Label(of("PHOTOS")))],
            ),
            (
                drive("sdb", "AB123456", "", "MUSIC"),
                drive("sdc", "AB123457", "", ""),
                [Some(Label(of("MUSIC"))), Some(Serial(of("123457")))],
            ),
            (
                drive("sdb", "AB123456", "1-1", "SAME"),
                drive("sdc", "CD123456", "1-2", "SAME"),
                [Some(Serial(of("B123456"))), Some(Serial(of("D123456")))],
            ),
            (
                drive("sdb", "0123", "1-1", ""),
                drive("sdc", "0123", "1-2.4", ""),
                [Some(Port(of("1-1"))), Some(Port(of("1-2.4")))],
            ),
            (
                drive("sdb", "", "", ""),
                drive("sdc", "", "", ""),
                [Some(Node(of("sdb"))), Some(Node(of("sdc")))],
            ),
        ] {
            assert_eq!(told(&[one, other]), expected);
        }
    }

    #[test]
    fn d06_only_those_that_look_alike_need_it() {
        let other_model = Drive {
            model: "Other".into(),
            ..drive("sdc", "0123", "", "")
        };
        let other_size = Drive {
            size: 4_000_000_000,
            ..drive("sdd", "0123", "", "")
        };
        let drives = [drive("sdb", "0123", "", ""), other_model, other_size];
        assert_eq!(told(&drives), [None, None, None]);
        let nameless = Drive {
            vendor: String::new(),
            model: String::new(),
            ..drive("sdb", "", "1-1", "")
        };
        assert_eq!(told(&[nameless]), [Some(Node("sdb".into()))]);
    }
}
