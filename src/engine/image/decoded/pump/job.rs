use std::io::{BufReader, Read, Seek};

use zip::result::ZipError;

use super::{Fault, Pump};
use crate::engine::image::decoder::{INPUT, unpack};
use crate::engine::image::tracked::Tracked;
use crate::engine::image::{Container, Size, zip_file};

/// What is to be unpacked.
pub(in crate::engine::image::decoded) struct Job<R> {
    /// The outermost first.
    pub containers: Vec<Container>,
    /// Which entry, where the outermost is an archive.
    pub entry: Option<usize>,
    pub size: Size,
    pub source: Tracked<R>,
}

impl<R: Read> Job<R> {
    /// Unpacks what is no archive.
    pub(in crate::engine::image::decoded) fn run(self, pump: &Pump) -> Result<(), Fault> {
        let mut reader = unpack(Box::new(self.source), &self.containers)
            .map_err(|error| pump.fault(&error, 0))?;
        let moved = pump.move_all(&mut reader)?;
        check_size(self.size, moved, pump)
    }
}

impl<R: Read + Seek> Job<R> {
    /// Unpacks anything.
    pub(in crate::engine::image::decoded) fn run_in_file(self, pump: &Pump) -> Result<(), Fault> {
        let Some(entry) = self.entry else {
            return self.run(pump);
        };
        let fail = |error: ZipError| pump.fault(&error.into(), 0);
        let mut archive = zip_file::open(self.source, &pump.watch).map_err(fail)?;
        let reader = archive.by_index(entry).map_err(fail)?;
        pump.watch.set_start(reader.data_start().unwrap_or(0));
        let reader = BufReader::with_capacity(INPUT, reader);
        let layers = self.containers.get(1..).unwrap_or_default();
        let mut reader = unpack(Box::new(reader), layers).map_err(|error| pump.fault(&error, 0))?;
        let moved = pump.move_all(&mut reader)?;
        check_size(self.size, moved, pump)
    }
}

fn check_size(size: Size, moved: u64, pump: &Pump) -> Result<(), Fault> {
    match size {
        Size::Exact(size) if size != moved => Err(pump.damage(moved)),
        _ => Ok(()),
    }
}
