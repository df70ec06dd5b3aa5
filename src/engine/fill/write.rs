use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::io::Errno;

use super::{FILE, FOLDER, clean_up, name};
use crate::engine::copy::{Bounds, CHUNK, StopReason, fault};
use crate::engine::pattern::Pattern;
use crate::engine::speed_curve::{Recorder, SpeedCurve};
use crate::engine::target::Target;
use crate::engine::{Meter, Operation, Speed};

/// Free space that is full of test data now, durably.
#[derive(Debug)]
pub struct Filled {
    /// Bytes.
    pub bytes: u64,
    /// How fast they were written, over the bytes before.
    pub curve: SpeedCurve,
    /// Files, in order, and their sizes.
    pub(super) files: Vec<(PathBuf, u64)>,
    pub(super) pattern: Pattern,
}

/// Fills so many bytes with test files, or fewer where there is less room; what an earlier check
/// has left goes first. Blocks; tells the meter, and is cancelled through it.
///
/// Whatever comes of it, [`clean_up`] is due afterwards.
pub fn fill<T: Target>(target: &T, room: u64, meter: &Meter) -> Result<Filled, StopReason> {
    clean_up(target)?;
    let folder = Path::new(FOLDER);
    let taken = target.take_parts_folder(folder);
    taken.map_err(fault(target, Operation::MakeFolder, folder))?;
    let room = room / CHUNK * CHUNK;
    let filling = Filling {
        target,
        meter,
        pattern: Pattern::random(),
        recorder: Recorder::new(room),
        speed: Speed::default(),
        start: target.now(),
        confirmed_at: target.now(),
        in_flight: VecDeque::new(),
    };
    filling.run(room)
}

struct Filling<'a, T: Target> {
    target: &'a T,
    meter: &'a Meter,
    pattern: Pattern,
    recorder: Recorder,
    speed: Speed,
    start: Duration,
    /// When the stick was last known to have nothing to do, or has taken something.
    confirmed_at: Duration,
    /// Ranges of the file being written whose write-out was started.
    in_flight: VecDeque<(u64, u64)>,
}

impl<T: Target> Filling<'_, T> {
    fn run(mut self, room: u64) -> Result<Filled, StopReason> {
        let (mut files, mut bytes) = (Vec::new(), 0);
        while bytes < room {
            let path = name(files.len());
            let wanted = FILE.min(room - bytes);
            let written = self.write_file(&path, bytes, wanted)?;
            if written > 0 {
                files.push((path, written));
                bytes += written;
            }
            if written < wanted {
                // It is full: somebody else has written, or the file system needs more itself.
                break;
            }
        }
        Ok(Filled {
            bytes,
            curve: self.recorder.into_curve(),
            files,
            pattern: self.pattern,
        })
    }

    /// Gives the bytes that there was room for.
    fn write_file(&mut self, path: &Path, position: u64, size: u64) -> Result<u64, StopReason> {
        let file = match self.target.create(path, size) {
            Err(error) if is_full(&error) => return Ok(0),
            created => created.map_err(fault(self.target, Operation::Create, path))?,
        };
        self.confirmed_at = self.target.now();
        let mut chunk = vec![0; CHUNK as usize];
        let (mut written, mut started) = (0, 0);
        while written < size {
            if self.meter.is_cancelled() {
                return Err(StopReason::Cancelled);
            }
            let length = CHUNK.min(size - written);
            let bounds = Bounds::of_rate(self.speed.bytes_per_second());
            if written + length - started > bounds.window {
                self.start(path, &file, started, written)?;
                started = written;
            }
            while self.meter.unconfirmed() + length > bounds.unconfirmed {
                if self.in_flight.is_empty() {
                    self.start(path, &file, started, written)?;
                    started = written;
                }
                self.settle_oldest(path, &file)?;
            }
            let bytes = &mut chunk[..length as usize];
            self.pattern.fill(position + written, bytes);
            match self.target.write_at(&file, written, bytes) {
                Err(error) if is_full(&error) => break,
                result => result.map_err(fault(self.target, Operation::Write, path))?,
            }
            self.meter.accept(length);
            written += length;
        }
        self.start(path, &file, started, written)?;
        while !self.in_flight.is_empty() {
            self.settle_oldest(path, &file)?;
        }
        let closed = self.target.close(vec![file]);
        closed.map_err(fault(self.target, Operation::Close, path))?;
        let durable = self.target.checkpoint();
        durable.map_err(fault(self.target, Operation::Checkpoint, path))?;
        self.meter.durable_up_to(self.meter.confirmed());
        Ok(written)
    }

    fn start(&mut self, path: &Path, file: &T::File, from: u64, to: u64) -> Result<(), StopReason> {
        if from == to {
            return Ok(());
        }
        let started = self.target.start_write_out(file, from, to - from);
        started.map_err(fault(self.target, Operation::WriteOut, path))?;
        self.in_flight.push_back((from, to - from));
        Ok(())
    }

    fn settle_oldest(&mut self, path: &Path, file: &T::File) -> Result<(), StopReason> {
        let Some((offset, length)) = self.in_flight.pop_front() else {
            return Ok(());
        };
        let written = self.target.wait_write_out(file, offset, length);
        written.map_err(fault(self.target, Operation::WriteOut, path))?;
        self.target.drop_cache(file, offset, length);
        self.meter.confirm(length);
        let now = self.target.now();
        self.recorder
            .add(length, now.saturating_sub(self.confirmed_at));
        self.confirmed_at = now;
        let at = now.saturating_sub(self.start);
        self.speed.sample(at, self.meter.confirmed());
        Ok(())
    }
}

fn is_full(error: &std::io::Error) -> bool {
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    matches!(errno, Some(Errno::NOSPC | Errno::DQUOT))
}
