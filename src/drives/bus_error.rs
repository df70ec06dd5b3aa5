use super::{Error, Refusal};

/// Sorts what a bus call answered: by the error's D-Bus name, and where UDisks2 only says
/// "failed", by the daemon's words. Keeps those words.
///
/// `object` is named when it is gone.
pub(super) fn sort(operation: &'static str, object: &str, error: &zbus::Error) -> Error {
    match error {
        zbus::Error::MethodError(name, message, _) => sort_named(
            operation,
            object,
            name,
            message.as_deref().unwrap_or_default(),
        ),
        zbus::Error::FDO(error) => {
            use zbus::DBusError;
            let message = error.description().unwrap_or_default();
            sort_named(operation, object, &error.name(), message)
        }
        // The connection itself: no bus, or it broke.
        zbus::Error::InputOutput(_)
        | zbus::Error::Connection(..)
        | zbus::Error::Address(_)
        | zbus::Error::Handshake(_) => Error::NoUdisks(error.to_string()),
        _ => Error::Failed {
            operation,
            message: error.to_string(),
        },
    }
}

fn sort_named(operation: &'static str, object: &str, name: &str, message: &str) -> Error {
    let kind = name
        .strip_prefix("org.freedesktop.UDisks2.Error.")
        .or_else(|| name.strip_prefix("org.freedesktop.DBus.Error."))
        .unwrap_or(name);
    let message = message.to_owned();
    match kind {
        "DeviceBusy" | "AlreadyMounted" | "AlreadyUnmounting" => Error::busy(None, message),
        "NotAuthorizedDismissed" => Error::Dismissed,
        // With an agent polkit would have asked.
        "NotAuthorizedCanObtain" => Error::NoAgent(message),
        "NotAuthorized" | "AccessDenied" | "AuthFailed" => Error::NotAuthorized(message),
        "ServiceUnknown" | "NameHasNoOwner" | "NoServer" | "Disconnected" | "NoReply" => {
            Error::NoUdisks(message)
        }
        _ if kind.starts_with("Spawn") => Error::NoUdisks(message),
        // What an object path answers after its stick or file system went away.
        "UnknownObject" | "UnknownMethod" | "UnknownInterface" => Error::Gone(object.to_owned()),
        _ => sort_words(operation, object, message),
    }
}

/// UDisks2 passes on what its tools and the kernel say.
fn sort_words(operation: &'static str, object: &str, message: String) -> Error {
    let words = message.to_lowercase();
    let says = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    if says(&["unknown filesystem type", "not configured in kernel"]) {
        Error::NoDriver(message)
    } else if operation == "Mount"
        && says(&[
            "wrong fs type",
            "structure needs cleaning",
            "volume is dirty",
        ])
    {
        Error::Damaged(message)
    } else if says(&["read-only", "write-protected", "write protected"]) {
        Error::WriteProtected
    } else if operation == "OpenDevice" && says(&["permission denied", "not permitted"]) {
        // The daemon itself may do anything: the device is locked.
        Error::WriteProtected
    } else if says(&["no medium found"]) {
        Error::Refused(Refusal::NoMedium)
    } else if says(&["busy", "is mounted", "currently in use"]) {
        Error::busy(None, message)
    } else if says(&["no such device"]) {
        Error::Gone(object.to_owned())
    } else {
        Error::Failed { operation, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_of_the_bus_becomes_what_a_person_can_act_on() {
        for (name, message, expected) in [
            ("UDisks2.Error.DeviceBusy", "target is busy", "Busy"),
            ("UDisks2.Error.AlreadyMounted", "mounted at /x", "Busy"),
            (
                "UDisks2.Error.NotAuthorizedDismissed",
                "dismissed",
                "Dismissed",
            ),
            ("UDisks2.Error.NotAuthorized", "not you", "NotAuthorized"),
            ("UDisks2.Error.NotAuthorizedCanObtain", "ask", "NoAgent"),
            ("DBus.Error.ServiceUnknown", "no such name", "NoUdisks"),
            ("DBus.Error.Spawn.ChildExited", "exit 1", "NoUdisks"),
            ("DBus.Error.NoReply", "recipient disconnected", "NoUdisks"),
            ("DBus.Error.UnknownMethod", "Object does not exist", "Gone"),
            ("DBus.Error.UnknownObject", "", "Gone"),
            (
                "UDisks2.Error.Failed",
                "Error opening device /dev/sdb: Read-only file system",
                "WriteProtected",
            ),
            (
                "UDisks2.Error.Failed",
                "Error wiping device: Device or resource busy",
                "Busy",
            ),
            ("UDisks2.Error.Failed", "open: No such device", "Gone"),
            (
                "UDisks2.Error.Failed",
                "Error opening /dev/sdb: No medium found",
                "Refused(NoMedium",
            ),
            ("UDisks2.Error.Failed", "mkfs.vfat: exit status 1", "Failed"),
            ("UDisks2.Error.TimedOut", "30 s", "Failed"),
            ("made.up", "", "Failed"),
            (
                "UDisks2.Error.Failed",
                "Error mounting /dev/sdb1: unknown filesystem type 'apfs'",
                "NoDriver",
            ),
            (
                "UDisks2.Error.Failed",
                "Error mounting /dev/sdb1: Filesystem type apfs not configured in kernel.",
                "NoDriver",
            ),
            (
                "UDisks2.Error.Failed",
                "Error mounting /dev/sdb1 at /run/media/ann/x: wrong fs type, bad option, bad superblock on /dev/sdb1",
                "Damaged",
            ),
            (
                "UDisks2.Error.Failed",
                "Error mounting /dev/sdb1: mount(2) system call failed: Structure needs cleaning",
                "Damaged",
            ),
        ] {
            let error = sort_named(
                "Mount",
                "stick",
                &format!("org.freedesktop.{name}"),
                message,
            );
            let told = format!("{error:?}");
            assert!(told.starts_with(expected), "{name}: {told}");
            if matches!(error, Error::Busy { .. } | Error::Failed { .. }) {
                assert!(told.contains(message), "{name} lost the daemon's words");
            }
        }
    }
}
