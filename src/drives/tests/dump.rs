use zbus::zvariant::Value;

use super::tree::{Tree, bytes, object, with_zero};

/// Reads what `udisksctl dump` prints, so that a person's tree can become a test as it is.
///
/// The text has no types: they are those of UDisks2's documentation.
pub(super) fn read(text: &str) -> Tree {
    let mut tree = Tree::default();
    let (mut path, mut interface) = (String::new(), String::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let Some((name, value)) = line.trim().split_once(':') else {
            continue;
        };
        match indent {
            0 => name.clone_into(&mut path),
            2 => {
                let (_, short) = name.rsplit_once('.').expect("an interface has dots");
                short.clone_into(&mut interface);
                tree.put(&path, &interface, &[]);
            }
            _ => {
                let mut values = vec![value.trim()];
                // Further values of a list stand alone below the first.
                while let Some(more) = lines.next_if(|next| next.starts_with("      ")) {
                    values.push(more.trim());
                }
                tree.put(&path, &interface, &[(name, typed(name, &values))]);
            }
        }
    }
    tree
}

fn typed(name: &str, values: &[&str]) -> Value<'static> {
    let first = values[0];
    match name {
        "Device" | "BackingFile" => bytes(first),
        "MountPoints" => {
            let places = values.iter().filter(|it| !it.is_empty());
            Value::from(places.map(|it| with_zero(it)).collect::<Vec<_>>())
        }
        "MediaCompatibility" => {
            let kinds = first.split_whitespace().chain(values[1..].iter().copied());
            Value::from(kinds.map(str::to_owned).collect::<Vec<_>>())
        }
        "RotationRate" => Value::from(first.parse::<i32>().expect("a number")),
        "Number" => Value::from(first.parse::<u32>().expect("a number")),
        "Size" | "Offset" | "DeviceNumber" => Value::from(first.parse::<u64>().expect("a number")),
        _ if first == "true" || first == "false" => Value::from(first == "true"),
        _ if first.starts_with('\'') => object(first.trim_matches('\'')),
        _ => Value::from(first.to_owned()),
    }
}
