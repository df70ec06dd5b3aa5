use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::io::Errno;

use crate::engine::copy::parts;
use crate::engine::target::{ReadBack, Target};

/// What the model was asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    MakeFolder,
    TakeParts,
    Create,
    Write,
    StartWriteOut,
    WaitWriteOut,
    Close,
    Rename,
    Remove,
    RemoveFolder,
    Checkpoint,
    FlushDevice,
    OpenReadBack,
}

/// An error to be given at one call, or from it on.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Index of the call.
    pub at: usize,
    /// The error.
    pub errno: Errno,
    /// Whether all later calls fail too.
    pub for_good: bool,
}

/// How fast the model is, in its own time.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Bytes a second.
    pub rate: f64,
    /// Bytes a second once `backlog` bytes came without a break.
    pub slow: f64,
    /// Bytes.
    pub backlog: u64,
    /// What a flush costs.
    pub flush: Duration,
}

/// Is run before each call, with its index.
pub type Hook = Box<dyn FnMut(usize, Call)>;

/// A stick in memory that asserts how it is used: sizes, order, bounds, flushes before names.
pub struct Model {
    state: RefCell<State>,
    /// Every call that can fail, in order.
    pub calls: RefCell<Vec<Call>>,
    /// The error to give.
    pub fault: Cell<Option<Fault>>,
    /// Is run before each call, with its index.
    pub hook: RefCell<Option<Hook>>,
    pace: Pace,
}

#[derive(Default)]
struct State {
    now: Duration,
    busy_until: Duration,
    since_break: u64,
    folders: BTreeSet<PathBuf>,
    names: BTreeMap<PathBuf, usize>,
    files: Vec<File>,
    unconfirmed: u64,
    peak_unconfirmed: u64,
    confirmed: u64,
    flushed: u64,
    durable: BTreeMap<PathBuf, Vec<u8>>,
    order: Vec<PathBuf>,
    gone: bool,
}

#[derive(Default)]
struct File {
    bytes: Vec<u8>,
    /// Ranges that are not confirmed: offset, length, and when the stick will have them, once
    /// their write-out has begun.
    ranges: VecDeque<(u64, u64, Option<Duration>)>,
    is_open: bool,
    is_durable: bool,
}

/// An even stick.
impl Default for Model {
    fn default() -> Self {
        Self::with_pace(Pace {
            rate: 17.1e6,
            slow: 17.1e6,
            backlog: u64::MAX,
            flush: Duration::from_millis(5),
        })
    }
}

impl Model {
    pub fn with_pace(pace: Pace) -> Self {
        Self {
            state: RefCell::default(),
            calls: RefCell::default(),
            fault: Cell::default(),
            hook: RefCell::default(),
            pace,
        }
    }

    /// Names and bytes that are there now, folders left out.
    pub fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state.borrow();
        let content = state.names.iter();
        content
            .map(|(name, id)| (name.clone(), state.files[*id].bytes.clone()))
            .collect()
    }

    /// What would be left after pulling it now, by the last checkpoint.
    pub fn durable(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        self.state.borrow().durable.clone()
    }

    /// Folders that are there now.
    pub fn folders(&self) -> BTreeSet<PathBuf> {
        self.state.borrow().folders.clone()
    }

    /// Bytes that a checkpoint has covered.
    pub fn flushed(&self) -> u64 {
        self.state.borrow().flushed
    }

    /// The most bytes it was ever behind.
    pub fn peak_unconfirmed(&self) -> u64 {
        self.state.borrow().peak_unconfirmed
    }

    /// Names that files got, in order.
    pub fn order(&self) -> Vec<PathBuf> {
        self.state.borrow().order.clone()
    }

    /// The model's own time.
    pub fn seconds(&self) -> f64 {
        self.state.borrow().now.as_secs_f64()
    }

    /// Files open for writing.
    pub fn open_files(&self) -> usize {
        self.state
            .borrow()
            .files
            .iter()
            .filter(|file| file.is_open)
            .count()
    }

    /// Puts a file there, as another program would.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let mut state = self.state.borrow_mut();
        let id = state.files.len();
        state.files.push(File {
            bytes: bytes.to_vec(),
            is_durable: true,
            ..File::default()
        });
        state.names.insert(name.into(), id);
    }

    /// Changes one byte, as a bad stick would.
    pub fn corrupt(&self, name: &Path, offset: usize) {
        let mut state = self.state.borrow_mut();
        let id = state.names[name];
        state.files[id].bytes[offset] ^= 1;
    }

    /// The stick leaves.
    pub fn pull(&self) {
        self.state.borrow_mut().gone = true;
    }

    fn call(&self, call: Call) -> io::Result<()> {
        let index = self.calls.borrow().len();
        self.calls.borrow_mut().push(call);
        if let Some(hook) = self.hook.borrow_mut().as_mut() {
            hook(index, call);
        }
        if self.state.borrow().gone {
            return Err(Errno::IO.into());
        }
        match self.fault.get() {
            Some(fault) if index == fault.at || fault.for_good && index > fault.at => {
                Err(fault.errno.into())
            }
            _ => Ok(()),
        }
    }

    fn rest(&self, state: &mut State) {
        state.now = state.now.max(state.busy_until) + self.pace.flush;
        state.busy_until = state.now;
        state.since_break = 0;
    }
}

impl State {
    fn take(&mut self, pace: Pace, length: u64) -> Duration {
        if self.now >= self.busy_until + Duration::from_millis(50) {
            self.since_break = 0;
        }
        self.since_break += length;
        let rate = if self.since_break > pace.backlog {
            pace.slow
        } else {
            pace.rate
        };
        self.busy_until =
            self.now.max(self.busy_until) + Duration::from_secs_f64(length as f64 / rate);
        self.busy_until
    }
}

impl Target for Model {
    type File = usize;
    type Reader = ModelReader;

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.call(Call::MakeFolder)?;
        self.state.borrow_mut().folders.insert(path.to_path_buf());
        Ok(())
    }

    fn take_parts_folder(&self, path: &Path) -> io::Result<()> {
        self.call(Call::TakeParts)?;
        let mut state = self.state.borrow_mut();
        state.names.retain(|name, _| !name.starts_with(path));
        state.folders.insert(path.to_path_buf());
        Ok(())
    }

    fn create(&self, path: &Path, _size: u64) -> io::Result<usize> {
        assert!(
            path.starts_with(parts::FOLDER),
            "only temporary names are created: {path:?}"
        );
        self.call(Call::Create)?;
        let mut state = self.state.borrow_mut();
        assert!(!state.names.contains_key(path));
        let id = state.files.len();
        state.files.push(File {
            is_open: true,
            ..File::default()
        });
        state.names.insert(path.to_path_buf(), id);
        assert!(
            state.files.iter().filter(|file| file.is_open).count() <= 256,
            "too many are open"
        );
        Ok(id)
    }

    fn write_at(&self, file: &usize, offset: u64, bytes: &[u8]) -> io::Result<()> {
        assert!(
            !bytes.is_empty() && bytes.len() <= 512 << 10,
            "a write of {}",
            bytes.len()
        );
        assert_eq!(offset % 4096, 0, "no page is written twice");
        self.call(Call::Write)?;
        let mut state = self.state.borrow_mut();
        let length = bytes.len() as u64;
        // To memory, at 1 GB/s.
        state.now += Duration::from_nanos(length);
        let written = &mut state.files[*file];
        assert!(written.is_open);
        assert_eq!(
            offset,
            written.bytes.len() as u64,
            "files are written in order"
        );
        written.bytes.extend_from_slice(bytes);
        written.ranges.push_back((offset, length, None));
        written.is_durable = false;
        state.unconfirmed += length;
        state.peak_unconfirmed = state.peak_unconfirmed.max(state.unconfirmed);
        let bound = ((2.1 * self.pace.rate) as u64).clamp(1 << 20, 32 << 20);
        assert!(
            state.unconfirmed <= bound,
            "{} bytes are unconfirmed",
            state.unconfirmed
        );
        Ok(())
    }

    fn start_write_out(&self, file: &usize, offset: u64, length: u64) -> io::Result<()> {
        self.call(Call::StartWriteOut)?;
        let mut state = self.state.borrow_mut();
        for range in 0..state.files[*file].ranges.len() {
            let (from, bytes, started) = state.files[*file].ranges[range];
            if from >= offset && from < offset + length && started.is_none() {
                let at = state.take(self.pace, bytes);
                state.files[*file].ranges[range].2 = Some(at);
            }
        }
        Ok(())
    }

    fn wait_write_out(&self, file: &usize, offset: u64, length: u64) -> io::Result<()> {
        self.call(Call::WaitWriteOut)?;
        let mut state = self.state.borrow_mut();
        let mut end = offset;
        while let Some(&(from, bytes, started)) = state.files[*file].ranges.front() {
            if from >= offset + length {
                break;
            }
            assert_eq!(from, end, "ranges are awaited in order");
            let at = started.expect("a write-out is started before it is awaited");
            state.now = state.now.max(at);
            end += bytes;
            state.unconfirmed -= bytes;
            state.confirmed += bytes;
            state.files[*file].ranges.pop_front();
        }
        assert_eq!(end, offset + length);
        Ok(())
    }

    fn drop_cache(&self, file: &usize, offset: u64, length: u64) {
        let state = self.state.borrow();
        let ranges = &state.files[*file].ranges;
        assert!(
            ranges.iter().all(|(from, ..)| *from >= offset + length),
            "it is not confirmed"
        );
    }

    fn set_modified(&self, file: &usize, _modified: SystemTime) {
        assert!(self.state.borrow().files[*file].is_open);
    }

    fn close(&self, files: Vec<usize>) -> io::Result<()> {
        assert!(!files.is_empty());
        self.call(Call::Close)?;
        let mut state = self.state.borrow_mut();
        for file in files {
            assert!(
                state.files[file].ranges.is_empty(),
                "closed before it was confirmed"
            );
            state.files[file].is_open = false;
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(Call::Rename)?;
        let mut state = self.state.borrow_mut();
        if state.names.contains_key(to) {
            return Err(Errno::EXIST.into());
        }
        let id = state.names.remove(from).expect("what is renamed is there");
        assert!(
            state.files[id].is_durable,
            "a checkpoint comes before the name"
        );
        assert!(!state.files[id].is_open, "closed before it is named");
        state.names.insert(to.to_path_buf(), id);
        state.order.push(to.to_path_buf());
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        assert!(
            path.starts_with(parts::FOLDER),
            "only temporary names are removed: {path:?}"
        );
        self.call(Call::Remove)?;
        let mut state = self.state.borrow_mut();
        let Some(id) = state.names.remove(path) else {
            return Err(Errno::NOENT.into());
        };
        state.files[id].is_open = false;
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.call(Call::RemoveFolder)?;
        let mut state = self.state.borrow_mut();
        if state.names.keys().any(|name| name.starts_with(path)) {
            return Err(Errno::NOTEMPTY.into());
        }
        state.folders.remove(path);
        Ok(())
    }

    fn checkpoint(&self) -> io::Result<()> {
        self.call(Call::Checkpoint)?;
        let mut state = self.state.borrow_mut();
        self.rest(&mut state);
        state.flushed = state.confirmed;
        for file in &mut state.files {
            file.is_durable = true;
        }
        drop(state);
        let content = self.content();
        self.state.borrow_mut().durable = content;
        Ok(())
    }

    fn flush_device(&self) -> io::Result<()> {
        self.call(Call::FlushDevice)?;
        self.rest(&mut self.state.borrow_mut());
        Ok(())
    }

    fn open_read_back(&self, path: &Path) -> io::Result<ModelReader> {
        self.call(Call::OpenReadBack)?;
        let state = self.state.borrow();
        let id = *state.names.get(path).ok_or(Errno::NOENT)?;
        Ok(ModelReader {
            bytes: state.files[id].bytes.clone(),
            offset: 0,
        })
    }

    fn is_gone(&self) -> bool {
        self.state.borrow().gone
    }

    fn now(&self) -> Duration {
        self.state.borrow().now
    }

    fn pause(&self, time: Duration) {
        self.state.borrow_mut().now += time;
    }
}

/// Reads a file of a [`Model`].
pub struct ModelReader {
    bytes: Vec<u8>,
    offset: usize,
}

impl ReadBack for ModelReader {
    fn next(&mut self) -> io::Result<&[u8]> {
        let from = self.offset;
        self.offset = (from + (1 << 20)).min(self.bytes.len());
        Ok(&self.bytes[from..self.offset])
    }

    fn is_past_cache(&self) -> bool {
        true
    }
}
