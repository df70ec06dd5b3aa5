mod beside;
mod look;
mod offer;
mod request;
mod run;
mod source;
#[cfg(test)]
mod tests;
mod together;
mod trouble;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::access::{Access, Stick};
use super::copy::refuse_sources_on;
use super::stick::connect;
use super::{About, AtEnd, Failure, Job, Kind};
use crate::drives::{Drive, block_size};
use crate::engine::bmap::Bmap;
use crate::engine::device::Image;
use crate::engine::image::ImageFile;
use run::{Work, run};
use source::source;
use together::Together;

pub use look::{Looked, look_at_image};
pub use offer::{Offer, OfferedImage, offer_image};
pub use request::{GivenChecksum, GivenMap, WriteRequest};

/// An image and the sticks that it can be written to. Nothing was touched yet.
#[derive(Debug)]
pub struct PreparedWrite {
    planned: Planned,
    sticks: Vec<Stick>,
}

/// An image, and how it will be written.
#[derive(Debug)]
struct Planned {
    image: Arc<Image>,
    path: PathBuf,
    packed: u64,
    total: Option<u64>,
    check: bool,
    at_end: AtEnd,
    notes: Vec<Failure>,
}

/// Looks at the image, at what is published beside it and at the sticks. Nobody is asked for a
/// password and nothing is touched. Blocks: belongs on a worker thread.
///
/// An error is a refusal; what a person should know beside it is in [`PreparedWrite::notes`].
pub fn prepare_write(request: &WriteRequest) -> Result<PreparedWrite, Failure> {
    let (file, mut planned) = plan(request)?;
    let udisks = connect()?;
    let mut sticks = Vec::with_capacity(request.sticks.len());
    let of_several = |failure: Failure, drive: &Drive| Failure {
        detail: match request.sticks.len() {
            1 => failure.detail,
            _ => format!("{}: {}", drive.device.display(), failure.detail),
        },
        ..failure
    };
    for drive in &request.sticks {
        let stick = Stick::find(udisks.as_ref(), drive, request.lock);
        let stick = stick.map_err(|failure| of_several(failure, drive))?;
        refuse_sources_on(drive, std::slice::from_ref(&request.image))?;
        let room = planned.may_go_to(drive, &file);
        room.map_err(|failure| of_several(failure, drive))?;
        if stick.locks() {
            planned.notes.push(Failure::new(Kind::WillLock, &drive.id));
        }
        sticks.push(stick);
    }
    Ok(PreparedWrite { planned, sticks })
}

fn plan(request: &WriteRequest) -> Result<(ImageFile, Planned), Failure> {
    let path = &request.image;
    let file = match look_at_image(path, request.entry.as_deref())? {
        Looked::Image(file) => *file,
        Looked::Choice(entries) => {
            let names = entries.into_iter().map(|entry| entry.name).collect();
            let several = Failure::of_file(Kind::SeveralImages, path);
            return Err(several.about(About::Names(names)));
        }
    };
    let mut notes = look::notes(path, &file);
    let checksum = beside::checksum(&request.checksum, path, &mut notes)?;
    let map = beside::map(&request.map, path, &file, &mut notes)?;
    let entry = file.entry.as_ref();
    let planned = Planned {
        packed: entry.map_or(file.file_size, |entry| entry.packed_size),
        total: map.as_ref().map(Bmap::mapped_bytes).or(file.size.exact()),
        image: Arc::new(source(path.clone(), file.clone(), checksum, map)),
        path: path.clone(),
        check: request.check,
        at_end: request.at_end,
        notes,
    };
    Ok((file, planned))
}

/// Why the stick has no room for an image of at least that many bytes.
fn too_large(path: &Path, size: u64, drive: &Drive) -> Option<Failure> {
    let limit = drive.size;
    let about = About::Sizes { size, limit };
    (size > limit).then(|| Failure::of_file(Kind::ImageTooLarge, path).about(about))
}

impl Planned {
    /// Refuses a stick on which the image has no room, as far as that is known, and notes what
    /// may not work on it.
    fn may_go_to(&mut self, drive: &Drive, file: &ImageFile) -> Result<(), Failure> {
        let map = self.image.map.as_ref().map(Bmap::image_size);
        let size = map.unwrap_or(file.size.at_least());
        if let Some(failure) = too_large(&self.path, size, drive) {
            return Err(failure);
        }
        let sectors = file.layout.sector_size.map(u64::from);
        if let (Some(made_for), Some(has)) = (sectors, block_size(drive))
            && made_for != has
        {
            let failure = Failure::of_file(Kind::SectorSize, &self.path);
            self.notes.push(failure);
        }
        Ok(())
    }

    /// One job for each stick.
    fn start<A: Access>(self, sticks: Vec<A>) -> Vec<Job> {
        let members = Together::members(&self.image, self.check, sticks.len());
        let works = sticks.into_iter().zip(members).map(|(stick, member)| Work {
            stick,
            member,
            path: self.path.clone(),
            packed: self.packed,
            total: self.total,
            check: self.check,
            at_end: self.at_end,
        });
        works
            .map(|work| Job::start("write", move |story| run(work, story)))
            .collect()
    }
}

impl PreparedWrite {
    /// What a person should know before it begins.
    pub fn notes(&self) -> &[Failure] {
        &self.planned.notes
    }

    /// Whether what is written will be read back.
    pub fn checks(&self) -> bool {
        self.planned.check
    }

    /// Bytes that will be written to each stick, where that is known.
    pub fn bytes(&self) -> Option<u64> {
        self.planned.total
    }

    /// Starts a job for each stick, in the order in which they were asked for; this erases them.
    /// The password is asked for first of all: where it is dismissed, nothing was touched.
    pub fn start(self) -> Vec<Job> {
        self.planned.start(self.sticks)
    }
}
