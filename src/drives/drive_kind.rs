use super::snapshot::DriveFacts;

/// What a person would call a drive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DriveKind {
    /// A USB stick.
    #[default]
    Stick,
    /// A memory card in a reader.
    Card,
    /// A disk, internal or in an enclosure on USB: often somebody's backup.
    Disk,
}

impl DriveKind {
    /// `shares_device` says that another drive, which can only be a slot, is in the same device.
    pub(super) fn of(drive: &DriveFacts, shares_device: bool) -> Self {
        let flash = |media: &String| media.starts_with("flash");
        let is_card = drive.bus == "sdio"
            || flash(&drive.media)
            || drive.media_compatibility.iter().any(flash);
        if is_card {
            Self::Card
        } else if drive.bus != "usb" || !drive.media_removable {
            // The flag is the disk's own; `Removable` is true of all that is on USB.
            Self::Disk
        } else if shares_device {
            Self::Card
        } else {
            Self::Stick
        }
    }
}
