use std::{
    fs::{self, File},
    io,
    os::unix::net::UnixListener,
    path::{self, PathBuf},
    sync::{Arc, Mutex},
};

use super::Plugged;
use crate::{Profile, Stick, profile::bytes};

/// The sizes that disks come in are multiples of this.
const SECTOR: u64 = 512;

/// The plugin's parameters as given so far. Paths are absolute: nbdkit changes its folder.
pub(super) struct Config {
    file: Option<PathBuf>,
    size: Option<u64>,
    profile: Option<Profile>,
    control: Option<PathBuf>,
    read_only: bool,
}

impl Config {
    /// What `nbdkit --help` shows.
    pub(super) const HELP: &str = "\
file=PATH       (required) The medium; created when absent, then with size.
size=SIZE       As in 2G. Needed unless the file exists or the stick is a fake one, whose
                profile says what it has, and what it claims unless that is given here.
profile=PROFILE NAME or NAME:key=value,... (default: even)
control=PATH    A Unix socket that answers stats, counters and power-off.
readonly=0|1    The stick is write-protected.";

    pub(super) const fn new() -> Self {
        Self {
            file: None,
            size: None,
            profile: None,
            control: None,
            read_only: false,
        }
    }

    /// Takes a parameter; an error is a sentence.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        match key {
            "file" => self.file = Some(absolute(value)?),
            "control" => self.control = Some(absolute(value)?),
            "profile" => {
                self.profile = Some(Profile::parse(value).map_err(|error| error.to_string())?);
            }
            "size" => {
                let size = bytes(value).filter(|size| *size > 0 && size.is_multiple_of(SECTOR));
                self.size = Some(size.ok_or_else(|| {
                    format!("{value:?} is no size. Sizes are multiples of 512, as in 2G.")
                })?);
            }
            "readonly" => {
                self.read_only = match value {
                    "0" => false,
                    "1" => true,
                    _ => return Err(format!("readonly takes 0 or 1, not {value:?}.")),
                }
            }
            _ => {
                return Err(format!(
                    "There is no parameter {key:?}. There are: file, size, profile, control, readonly."
                ));
            }
        }
        Ok(())
    }

    /// Opens or makes the medium, and binds the control socket.
    pub(super) fn plug_in(&self) -> Result<Plugged, String> {
        let mut profile = match &self.profile {
            Some(profile) => profile.clone(),
            None => Profile::parse("even").map_err(|error| error.to_string())?,
        };
        if let Some(size) = self.size {
            profile.claim_by_default(size);
        }
        let medium = self.medium(profile.parameters().has.or(self.size))?;
        let stick = Stick::plug_in(medium, &profile).map_err(|error| error.to_string())?;
        let control = self
            .control
            .as_ref()
            .map(|path| bind(path).map_err(|error| format!("{}: {error}", path.display())))
            .transpose()?;
        Ok(Plugged {
            stick: Arc::new(stick),
            read_only: self.read_only,
            control: Mutex::new(control),
        })
    }

    /// The medium's file, made if it is to have that size.
    fn medium(&self, size: Option<u64>) -> Result<File, String> {
        let path = self.file.as_ref().ok_or("The parameter file is missing.")?;
        let told = |error: io::Error| format!("{}: {error}", path.display());
        let file = File::options()
            .read(true)
            .write(true)
            .create(size.is_some())
            .truncate(false)
            .open(path)
            .map_err(told)?;
        let length = file.metadata().map_err(told)?.len();
        match size {
            Some(size) if length == 0 => file.set_len(size).map_err(told)?,
            Some(size) if length != size => {
                return Err(format!(
                    "{} has {length} bytes and not the {size} that it should have.",
                    path.display()
                ));
            }
            None if length == 0 || !length.is_multiple_of(SECTOR) => {
                return Err(format!(
                    "{} has {length} bytes, which is no stick's size.",
                    path.display()
                ));
            }
            _ => {}
        }
        Ok(file)
    }
}

fn absolute(path: &str) -> Result<PathBuf, String> {
    path::absolute(path).map_err(|error| format!("{path:?}: {error}"))
}

/// Binds `path`, in place of a socket that an nbdkit of before has left behind.
fn bind(path: &PathBuf) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => UnixListener::bind(path),
    }
}
