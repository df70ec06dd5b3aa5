use std::collections::HashMap;

use rustix::fs::OFlags;
use zbus::message::Body;
use zbus::zvariant::OwnedValue;

pub(super) type Options = HashMap<String, OwnedValue>;

/// A call as the tests read it: the method, the node, and the arguments that matter.
pub(super) fn written(method: &str, node: &str, body: &Body) -> String {
    match method {
        "Format" => {
            let (kind, options): (String, Options) =
                body.deserialize().expect("Format's arguments");
            let erase = options.get("erase");
            let erase = erase.and_then(|it| it.downcast_ref::<String>().ok());
            assert_eq!(options.len(), usize::from(erase.is_some()));
            let how = erase.map_or_else(String::new, |erase| format!(" {erase}"));
            format!("Format {node} {kind}{how}")
        }
        "CreatePartition" => {
            let (offset, size, kind, _, _) = body
                .deserialize::<(u64, u64, String, String, Options)>()
                .expect("CreatePartition's arguments");
            format!("CreatePartition {node} {offset} {size} {kind}")
        }
        "CreatePartitionAndFormat" => {
            let (offset, size, kind, name, _, file_system, options) = body
                .deserialize::<(u64, u64, String, String, Options, String, Options)>()
                .expect("CreatePartitionAndFormat's arguments");
            let label = label(&options);
            // Others make UDisks2 ask for a password.
            assert!(options.keys().all(|name| name == "label"), "{options:?}");
            format!(
                "CreatePartitionAndFormat {node} {offset} {size} {kind} {name:?} {file_system} {label:?}"
            )
        }
        "OpenDevice" => {
            let (mode, options): (String, Options) =
                body.deserialize().expect("OpenDevice's arguments");
            let flags = options
                .get("flags")
                .map_or(0, |it| it.downcast_ref::<i32>().expect("a number"));
            let exclusive = OFlags::EXCL | OFlags::DIRECT | OFlags::CLOEXEC;
            let flags = match OFlags::from_bits_retain(flags.cast_unsigned()) {
                flags if flags.is_empty() => "shared",
                flags if flags == exclusive => "exclusive",
                _ => "odd",
            };
            format!("OpenDevice {node} {mode} {flags}")
        }
        "Mount" => {
            let (options,): (Options,) = body.deserialize().expect("Mount's arguments");
            let asked = options
                .get("options")
                .and_then(|it| it.downcast_ref::<String>().ok());
            format!("Mount {node} {}", asked.unwrap_or_default())
        }
        _ => format!("{method} {node}"),
    }
}

pub(super) fn label(options: &Options) -> String {
    let label = options
        .get("label")
        .and_then(|it| it.downcast_ref::<String>().ok());
    label.unwrap_or_default()
}
