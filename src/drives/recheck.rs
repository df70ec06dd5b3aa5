use super::{Drive, Error, Refusal};

/// The row of `now` that is the drive `chosen` earlier: same id, serial number and node, and
/// nothing else in its place.
pub(super) fn same_drive(chosen: &Drive, now: Vec<Drive>) -> Result<Drive, Error> {
    let node_taken = now.iter().any(|drive| drive.device == chosen.device);
    let Some(drive) = now.into_iter().find(|drive| drive.id == chosen.id) else {
        let id = chosen.id.clone();
        return Err(if node_taken {
            Error::Changed(id)
        } else {
            Error::Gone(id)
        });
    };
    if drive.serial == chosen.serial && drive.device == chosen.device && drive.block == chosen.block
    {
        Ok(drive)
    } else {
        Err(Error::Changed(drive.id))
    }
}

/// Like [`same_drive`], and it may be written: same medium, and no reason against it.
pub(super) fn writable_drive(chosen: &Drive, now: Vec<Drive>) -> Result<Drive, Error> {
    let drive = same_drive(chosen, now)?;
    match drive.refusal {
        Some(Refusal::WriteProtected) => Err(Error::WriteProtected),
        Some(refusal) => Err(Error::Refused(refusal)),
        None if drive.size != chosen.size => Err(Error::Changed(drive.id)),
        None => Ok(drive),
    }
}
