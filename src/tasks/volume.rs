//! The file system of a stick that a copy goes to: which one, and whether it is fit for it.

use std::path::Path;

use super::{Failure, Kind};
use crate::drives::{self, Drive, Health, Udisks, Volume};

/// The file system that is meant: the one at `node`, or the only one that there is.
pub(super) fn pick_volume(drive: &Drive, node: Option<&Path>) -> Result<Volume, Failure> {
    let usable = |volume: &&Volume| volume.can_mount != Some(false);
    if let Some(node) = node {
        let named = drive.volumes.iter().find(|volume| volume.device == node);
        return match named {
            Some(volume) if usable(&volume) => Ok(volume.clone()),
            Some(volume) => Err(Failure::new(Kind::NoDriver, &volume.file_system)),
            None => Err(Failure::new(Kind::TargetChanged, node.to_string_lossy())),
        };
    }
    let mut volumes = drive.volumes.iter().filter(usable);
    match (volumes.next(), volumes.next(), drive.volumes.first()) {
        (Some(only), None, _) => Ok(only.clone()),
        (Some(_), Some(_), _) => Err(Failure::new(Kind::SeveralFileSystems, nodes(drive))),
        (None, _, Some(foreign)) => Err(Failure::new(Kind::NoDriver, &foreign.file_system)),
        (None, _, None) => Err(Failure::new(Kind::NoFileSystem, "")),
    }
}

fn nodes(drive: &Drive) -> String {
    let nodes = drive
        .volumes
        .iter()
        .map(|volume| volume.device.display().to_string());
    nodes.collect::<Vec<_>>().join(", ")
}

/// Looks whether the file system is whole, and with `repair` makes it so: sound, or nobody can tell.
/// What is written to a damaged one can take other files with it: after a stick was pulled, two
/// names may share the same clusters.
///
/// Without `repair` only FAT and exFAT are looked at: their drivers do not look themselves, and it
/// is quick. One that another program holds open is left as it is; nobody could repair it now.
pub(super) fn make_sound(
    udisks: &Udisks,
    drive: &Drive,
    volume: &Volume,
    repair: bool,
) -> Result<Health, Failure> {
    let is_fat = matches!(volume.file_system.as_str(), "vfat" | "exfat");
    if volume.read_only || !(is_fat || repair) {
        return Ok(Health::Unknown);
    }
    match udisks.check(drive, volume).map_err(Failure::from) {
        Ok(health @ (Health::Sound | Health::Unknown)) => return Ok(health),
        Err(failure) if failure.kind == Kind::Busy => return Ok(Health::Unknown),
        Err(failure) => return Err(failure),
        Ok(Health::Damaged) if !repair => {
            return Err(Failure::new(Kind::DamagedFileSystem, &volume.file_system));
        }
        Ok(Health::Damaged) => {}
    }
    match udisks.repair(drive, volume) {
        Ok(Health::Sound) => Ok(Health::Sound),
        Ok(Health::Damaged | Health::Unknown) => {
            Err(Failure::new(Kind::BeyondRepair, &volume.file_system))
        }
        // The tool gave up: what helps is the same.
        Err(error @ drives::Error::Failed { .. }) => {
            Err(Failure::new(Kind::BeyondRepair, error.to_string()))
        }
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(node: &str, file_system: &str, can_mount: Option<bool>) -> Volume {
        Volume {
            device: node.into(),
            file_system: file_system.into(),
            can_mount,
            ..Volume::default()
        }
    }

    fn picked(volumes: &[Volume], node: Option<&str>) -> Result<String, Kind> {
        let drive = Drive {
            volumes: volumes.to_vec(),
            ..Drive::default()
        };
        match pick_volume(&drive, node.map(Path::new)) {
            Ok(volume) => Ok(volume.device.to_string_lossy().into_owned()),
            Err(failure) => Err(failure.kind),
        }
    }

    #[test]
    fn the_only_usable_file_system_is_meant_and_of_two_none() {
        let fat = volume("/dev/sdx1", "vfat", None);
        let ext = volume("/dev/sdx2", "ext4", Some(true));
        let apfs = volume("/dev/sdx3", "apfs", Some(false));
        let both = [fat.clone(), apfs.clone()];
        assert_eq!(picked(&both, None).as_deref(), Ok("/dev/sdx1"));
        assert_eq!(picked(&both, Some("/dev/sdx3")), Err(Kind::NoDriver));
        assert_eq!(picked(&[apfs], None), Err(Kind::NoDriver));
        assert_eq!(picked(&[], None), Err(Kind::NoFileSystem));
        let two = [fat, ext];
        assert_eq!(picked(&two, None), Err(Kind::SeveralFileSystems));
        assert_eq!(picked(&two, Some("/dev/sdx2")).as_deref(), Ok("/dev/sdx2"));
        assert_eq!(picked(&two, Some("/dev/sdx9")), Err(Kind::TargetChanged));
    }
}
