mod beside;
mod jobs;
mod looking;
mod offers;

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use super::*;
use crate::engine::testing::Disk;
use crate::tasks::Event;

const MIB: usize = 1 << 20;

/// Files in a folder of their own.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    }
}

/// A stick in memory; what it is asked for is kept.
struct Held {
    disk: Arc<Disk>,
    answer: Result<(), Kind>,
    /// It was tried before.
    is_genuine: bool,
    asked: Arc<Mutex<Vec<String>>>,
    /// The password is given once this says so.
    until: Option<Mutex<Receiver<()>>>,
}

impl Held {
    fn new(disk: &Arc<Disk>) -> Self {
        Self {
            disk: Arc::clone(disk),
            answer: Ok(()),
            is_genuine: false,
            asked: Arc::default(),
            until: None,
        }
    }

    fn note(&self, what: impl Into<String>) {
        self.asked.lock().unwrap().push(what.into());
    }
}

impl Access for Held {
    type Device = Disk;

    fn drive(&self) -> Option<&Drive> {
        None
    }

    fn authorize(&self) -> Result<(), Failure> {
        self.note("authorize");
        if let Some(until) = &self.until {
            until.lock().unwrap().recv().unwrap();
        }
        self.answer.map_err(|kind| Failure::new(kind, ""))
    }

    fn open(&self) -> Result<Arc<Disk>, Failure> {
        self.note("open");
        Ok(Arc::clone(&self.disk))
    }

    fn let_go(&self, _: Arc<Disk>, at_end: AtEnd) -> Result<bool, Failure> {
        self.note(format!("{at_end:?}"));
        Ok(true)
    }

    fn is_genuine(&self) -> bool {
        self.is_genuine
    }

    fn remember_genuine(&self, genuine: bool) {
        self.note(if genuine { "genuine" } else { "fake" });
    }
}

/// A disk of that many bytes, different everywhere, with a partition.
fn disk_image(size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    blake3::Hasher::new().finalize_xof().fill(&mut bytes);
    let sectors = (size / 512) as u32 - 1;
    let entry = [0x80, 0, 2, 0, 0x0c, 0, 1, 0, 1, 0, 0, 0];
    bytes[446..512].fill(0);
    bytes[446..458].copy_from_slice(&entry);
    bytes[458..462].copy_from_slice(&sectors.to_le_bytes());
    bytes[510..512].copy_from_slice(&[0x55, 0xaa]);
    bytes
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 0);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn stick(size: usize) -> Arc<Disk> {
    Arc::new(Disk::new(size as u64, 512))
}

/// A request for no stick yet, checked.
fn request(image: &std::path::Path) -> WriteRequest {
    WriteRequest {
        image: image.to_path_buf(),
        entry: None,
        sticks: Vec::new(),
        check: true,
        checksum: GivenChecksum::None,
        map: GivenMap::Beside,
        lock: false,
        at_end: AtEnd::PowerOff,
    }
}

/// All events of a job; the last one ends it.
fn story(job: &Job) -> Vec<Event> {
    let events = job.events();
    std::iter::from_fn(|| events.recv_blocking().ok()).collect()
}

/// Writes to one stick; how it ended.
fn written(request: &WriteRequest, disk: &Arc<Disk>) -> Event {
    let (_, planned) = plan(request).unwrap();
    let jobs = planned.start(vec![Held::new(disk)]);
    story(&jobs[0]).pop().unwrap()
}
