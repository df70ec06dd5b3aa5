mod medium;
mod pin;
mod reader;
mod state;
mod target;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, SystemTime};

use rustix::io::Errno;

pub use pin::ModelPin;
pub use reader::ModelReader;

use medium::Slot;
use state::{File, State};

use crate::engine::plan::Existing;

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
    Replace,
    Pin,
    List,
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

/// A FAT stick in memory, letter case ignored, that asserts how it is used: sizes, order, bounds,
/// flushes before names. What a pull leaves of it is in the state's `medium`.
pub struct Model {
    state: Rc<RefCell<State>>,
    /// Every call that can fail, in order.
    pub calls: RefCell<Vec<Call>>,
    /// The error to give.
    pub fault: Cell<Option<Fault>>,
    /// Is run before each call, with its index.
    pub hook: RefCell<Option<Hook>>,
    /// Whether what is held open keeps its clusters, as it does with the kernel. Without it a test
    /// shows what holding is for.
    pub pins_hold: Cell<bool>,
    pace: Pace,
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
            state: Rc::default(),
            calls: RefCell::default(),
            fault: Cell::default(),
            hook: RefCell::default(),
            pins_hold: Cell::new(true),
            pace,
        }
    }

    /// Names and bytes that are there now, folders left out.
    pub fn content(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let state = self.state.borrow();
        let content = state.names.values();
        content
            .map(|(name, id)| (name.clone(), state.files[*id].content()))
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

    /// Puts a file there, as another program would, and makes it durable.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        self.put_with_time(name, bytes, None);
    }

    /// The same with a time.
    pub fn put_with_time(&self, name: &str, bytes: &[u8], modified: Option<SystemTime>) {
        let mut state = self.state.borrow_mut();
        let id = state.add_file(File {
            bytes: bytes.to_vec(),
            modified,
            is_durable: true,
            ..File::default()
        });
        state.set_name(Path::new(name), id);
        state.medium.flush();
    }

    /// What a name is there now.
    pub fn existing(&self, name: &Path) -> Option<Existing> {
        self.state.borrow().existing(name)
    }

    /// Changes one byte, as a bad stick would.
    pub fn corrupt(&self, name: &Path, offset: usize) {
        let mut state = self.state.borrow_mut();
        let id = state.id_of(name).expect("it is there");
        state.files[id].bytes[offset] ^= 1;
    }

    /// Whether clusters were freed that were free already, which has the kernel turn it read-only.
    pub fn is_read_only(&self) -> bool {
        self.state.borrow().read_only
    }

    /// What is left after pulling it at this moment, plugged in again: of each sector written
    /// since the last flush, any of the states it had. `pick` chooses a number below the one it
    /// is given.
    #[must_use]
    pub fn after_pull(&self, pick: &mut dyn FnMut(usize) -> usize) -> Self {
        let left = Self::with_pace(self.pace);
        let state = self.state.borrow();
        let (slots, free) = state.medium.after_pull(pick);
        let mut new = State {
            files: state.files.iter().map(File::as_found).collect(),
            folders: state.folders.clone(),
            ..State::default()
        };
        for (id, file) in state.files.iter().enumerate() {
            // What the kernel took for free may have got other bytes, whatever the sectors say.
            new.files[id].freed = free.contains(&id) || file.freed && pick(2) == 1;
        }
        for (key, slot) in slots {
            let id = match slot {
                Slot::File(id) => id,
                _ => new.add_file(File::default()),
            };
            let shown = state.shown.get(&key).unwrap_or(&key);
            new.set_name(shown, id);
        }
        new.medium.flush();
        *left.state.borrow_mut() = new;
        left
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
        if self.state.borrow().read_only && call.changes() {
            return Err(Errno::ROFS.into());
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

impl Call {
    fn changes(self) -> bool {
        !matches!(
            self,
            Self::Pin | Self::List | Self::OpenReadBack | Self::Close
        )
    }
}
