mod ending;
mod run;

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::format::place_to_format;
use super::place::{Place, Ready};
use super::portal;
use super::volume::{make_sound, pick_volume};
use super::{Choices, Failure, Job, Kind, Problem};
use crate::drives::{Drive, FormatSpec, Udisks};
use crate::engine::plan::{Gathered, Gathering, Plan, gather_with};

/// What shall be copied where.
#[derive(Debug, Clone)]
pub struct CopyRequest {
    /// Files and folders.
    pub sources: Vec<PathBuf>,
    /// Where they go.
    pub destination: Destination,
    /// Whether everything is read back from the stick and compared.
    pub check: bool,
    /// What is done about problems; for those that can only stop, that.
    pub choices: Choices,
    /// What becomes of a stick at the end.
    pub at_end: AtEnd,
    /// Whether a damaged file system is repaired before anything is copied.
    pub repair: bool,
}

impl CopyRequest {
    /// Whether it erases a stick.
    pub fn formats(&self) -> bool {
        matches!(
            self.destination,
            Destination::Stick {
                format: Some(_),
                ..
            }
        )
    }
}

/// What becomes of a stick once everything is on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtEnd {
    /// Unmounted, and switched off where that takes no other drive with it.
    PowerOff,
    /// Unmounted.
    Unmount,
    /// Stays mounted, and is then not safe to unplug.
    KeepMounted,
}

/// Where files go.
#[derive(Debug, Clone)]
pub enum Destination {
    /// A folder, which is never unmounted or switched off.
    Folder(PathBuf),
    /// A stick.
    Stick {
        /// As it was chosen. It is looked at again before anything is written.
        drive: Box<Drive>,
        /// The node of the file system that is meant, where the stick has several.
        volume: Option<PathBuf>,
        /// Formatted first, which erases it.
        format: Option<FormatSpec>,
    },
}

/// A copy whose problems are known and that can be started. Dropping it takes back what it
/// needed: a stick that was mounted for it is unmounted.
#[derive(Debug)]
pub struct Prepared {
    request: CopyRequest,
    gathered: Gathered,
    plan: Plan,
    place: Place,
}

/// Looks at sources and destination: nothing is written, unless a repair was asked for. Blocks:
/// belongs on a worker thread.
///
/// An error is a refusal of the whole copy; problems of single files are in the [`Prepared`].
/// A person who has gone back ends it through `gathering`; it then fails as [`Kind::Dismissed`].
pub fn prepare_copy(request: CopyRequest, gathering: &Gathering) -> Result<Prepared, Failure> {
    let given_up = || Failure::new(Kind::Dismissed, "given up while looking");
    let mut gathered = gather_with(&request.sources, gathering).ok_or_else(given_up)?;
    let place = match &request.destination {
        Destination::Folder(folder) => Place::Ready(Ready::folder(folder)?),
        Destination::Stick {
            drive,
            volume,
            format,
        } => {
            let udisks = Udisks::connect()?;
            let drive = udisks.recheck(drive)?;
            match format {
                None => {
                    let volume = pick_volume(&drive, volume.as_deref())?;
                    let health = make_sound(&udisks, &drive, &volume, request.repair)?;
                    let ready = Ready::stick(udisks, drive, volume, health);
                    Place::Ready(ready.map_err(|failure| match failure.kind {
                        // Asking once more would change nothing.
                        Kind::DamagedFileSystem if request.repair => Failure {
                            kind: Kind::BeyondRepair,
                            ..failure
                        },
                        _ => failure,
                    })?)
                }
                Some(spec) => {
                    refuse_sources_on(&drive, &request.sources)?;
                    place_to_format(udisks, drive, spec)?
                }
            }
        }
    };
    if let Some(folder) = place.folder() {
        portal::locate(&mut gathered, folder);
    }
    let plan = place.plan(&gathered, &request.choices)?;
    Ok(Prepared {
        request,
        gathered,
        plan,
        place,
    })
}

/// What is on the stick would be erased before it is read, and so would what a folder holds that the
/// stick is mounted in.
pub(super) fn refuse_sources_on(drive: &Drive, sources: &[PathBuf]) -> Result<(), Failure> {
    let device = |path: &Path| path.metadata().ok().map(|metadata| metadata.dev());
    let volumes = drive.volumes.iter();
    let mounts = volumes.flat_map(|volume| &volume.mounted_at);
    let mounts: Vec<_> = mounts.map(|it| (it.as_path(), device(it))).collect();
    for source in sources {
        let path = portal::host_path(source).or_else(|| source.canonicalize().ok());
        let kind = path.and_then(|path| conflict(&path, device(source), &mounts));
        if let Some(kind) = kind {
            return Err(Failure::of_file(kind, source));
        }
    }
    Ok(())
}

/// Why what lies there can't be copied to a stick that is formatted before and mounted at those folders.
/// Devices are compared, too: other paths may lead to a stick.
fn conflict(source: &Path, device: Option<u64>, mounts: &[(&Path, Option<u64>)]) -> Option<Kind> {
    let is_on = |(folder, its): &(&Path, Option<u64>)| {
        source.starts_with(folder) || (device.is_some() && device == *its)
    };
    if mounts.iter().any(is_on) {
        return Some(Kind::SourceOnStick);
    }
    let mut folders = mounts.iter().map(|(folder, _)| folder);
    folders
        .any(|folder| folder.starts_with(source))
        .then_some(Kind::IntoItself)
}

impl Prepared {
    /// What will not work, with what is done about it.
    pub fn problems(&self) -> &[Problem] {
        &self.plan.problems
    }

    /// Whether a problem remains that forbids the start.
    pub fn must_stop(&self) -> bool {
        self.plan.must_stop()
    }

    /// Plans again with other choices for the problems.
    pub fn choose(&mut self, choices: Choices) -> Result<(), Failure> {
        self.plan = self.place.plan(&self.gathered, &choices)?;
        self.request.choices = choices;
        Ok(())
    }

    /// Files that will be copied.
    pub fn files(&self) -> usize {
        self.plan.files.len()
    }

    /// Bytes that will be copied.
    pub fn bytes(&self) -> u64 {
        self.plan.bytes
    }

    /// Whether what is written will be read back.
    pub fn checks(&self) -> bool {
        self.request.check
    }

    /// Starts the copy on a thread of its own. With a problem that forbids it, the job fails
    /// at once and writes nothing.
    pub fn start(self) -> Job {
        Job::start("copy", move |story| run::run(self, story))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn x06_what_a_stick_holds_is_not_copied_to_it_once_it_is_erased() {
        let mounts = [
            (Path::new("/media/ann/MUSIC"), Some(21)),
            (Path::new("/mnt/b"), None),
        ];
        for (source, device, told) in [
            ("/home/ann/film.mp4", Some(1), None),
            ("/media/ann/MUSICAL/a.iso", Some(1), None),
            (
                "/media/ann/MUSIC/a.iso",
                Some(21),
                Some(Kind::SourceOnStick),
            ),
            // Through the portal it lies on another device, and where no path is told, on that one.
            ("/media/ann/MUSIC/a.iso", Some(7), Some(Kind::SourceOnStick)),
            ("/home/ann/link/a.iso", Some(21), Some(Kind::SourceOnStick)),
            ("/media/ann/MUSIC", Some(21), Some(Kind::SourceOnStick)),
            ("/mnt/b/c", None, Some(Kind::SourceOnStick)),
            ("/home/ann/gone", None, None),
            ("/media/ann", Some(1), Some(Kind::IntoItself)),
            ("/", Some(1), Some(Kind::IntoItself)),
        ] {
            let found = conflict(Path::new(source), device, &mounts);
            assert_eq!(found, told, "{source}");
        }
    }
}
