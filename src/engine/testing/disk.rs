use std::collections::VecDeque;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::io::Errno;

use super::Fault;
use crate::engine::device::Device;

/// What a disk was asked to do, with the bytes that it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiskCall {
    Write { offset: u64, bytes: Vec<u8> },
    Read(Range<u64>),
    Flush,
}

/// Less room than a disk claims.
#[derive(Debug, Clone, Copy)]
pub enum Fake {
    /// What goes beyond comes round to the start.
    Wrap(u64),
    /// What goes beyond is lost, and reads as zeroes.
    Drop(u64),
}

/// Is run before each call, with its index. It may take its time.
pub type DiskHook = Box<dyn Fn(usize, &DiskCall) + Send + Sync>;

/// A whole stick in memory that asserts block size and alignment, keeps a journal, and forgets
/// what was not flushed when it is pulled.
pub struct Disk {
    size: u64,
    block_size: u64,
    state: Mutex<State>,
    hook: Option<DiskHook>,
    fault: Option<Fault>,
    bad: Option<Range<u64>>,
    fake: Option<Fake>,
    flush: Duration,
    backlog: Option<u64>,
    /// Bytes of a cache that no flush empties, whatever it says.
    cache: usize,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// What is only in that cache: pieces, the oldest first.
    cached: VecDeque<(u64, Vec<u8>)>,
    /// What was there before each write that no flush covers.
    before: Vec<(usize, Vec<u8>)>,
    journal: Vec<DiskCall>,
    now: Duration,
    /// Bytes since the last flush or pause.
    since_break: u64,
    gone: bool,
}

/// What an old stick is full of.
pub const OLD: u8 = 0xee;

impl Disk {
    /// Full of [`OLD`] bytes; writes 16 MB a second in its own time.
    pub fn new(size: u64, block_size: u64) -> Self {
        assert_eq!(size % block_size, 0);
        let state = State {
            bytes: vec![OLD; size as usize],
            ..State::default()
        };
        Self {
            size,
            block_size,
            state: Mutex::new(state),
            hook: None,
            fault: None,
            bad: None,
            fake: None,
            flush: Duration::from_millis(5),
            backlog: None,
            cache: 0,
        }
    }

    /// Full of these bytes; of a fake one, those that it has room for.
    #[must_use]
    pub fn with_content(self, bytes: &[u8]) -> Self {
        self.lock().bytes[..bytes.len()].copy_from_slice(bytes);
        self
    }

    /// A cache that answers for the last bytes written, and that no flush empties.
    #[must_use]
    pub fn with_lying_cache(mut self, bytes: usize) -> Self {
        self.cache = bytes;
        self
    }

    #[must_use]
    pub fn with_hook(mut self, hook: impl Fn(usize, &DiskCall) + Send + Sync + 'static) -> Self {
        self.hook = Some(Box::new(hook));
        self
    }

    #[must_use]
    pub fn with_fault(mut self, fault: Fault) -> Self {
        self.fault = Some(fault);
        self
    }

    /// A range that cannot be read.
    #[must_use]
    pub fn with_bad(mut self, bad: Range<u64>) -> Self {
        self.bad = Some(bad);
        self
    }

    #[must_use]
    pub fn with_fake(mut self, fake: Fake) -> Self {
        self.fake = Some(fake);
        self
    }

    /// What a flush costs.
    #[must_use]
    pub fn with_flush(mut self, cost: Duration) -> Self {
        self.flush = cost;
        self
    }

    /// Writes at a quarter of its rate once so many bytes came without a flush or a pause.
    #[must_use]
    pub fn with_backlog(mut self, bytes: u64) -> Self {
        self.backlog = Some(bytes);
        self
    }

    /// What it has now, once its cache had time.
    pub fn content(&self) -> Vec<u8> {
        let mut state = self.lock();
        self.settle(&mut state, 0);
        state.bytes.clone()
    }

    /// Every call so far.
    pub fn journal(&self) -> Vec<DiskCall> {
        self.lock().journal.clone()
    }

    /// Changes a byte, as a bad stick or another program would.
    pub fn change(&self, offset: u64) {
        self.lock().bytes[offset as usize] ^= 1;
    }

    /// The stick leaves, with what was flushed.
    pub fn pull(&self) {
        let mut state = self.lock();
        state.gone = true;
        while let Some((at, before)) = state.before.pop() {
            state.bytes[at..at + before.len()].copy_from_slice(&before);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn call(&self, call: DiskCall) -> io::Result<()> {
        let index = self.lock().journal.len();
        if let Some(hook) = &self.hook {
            hook(index, &call);
        }
        let mut state = self.lock();
        state.journal.push(call);
        if state.gone {
            return Err(Errno::IO.into());
        }
        match self.fault {
            Some(fault) if index == fault.at || fault.for_good && index > fault.at => {
                Err(fault.errno.into())
            }
            _ => Ok(()),
        }
    }

    fn assert_sound(&self, offset: u64, bytes: &[u8]) {
        let length = bytes.len() as u64;
        assert!(
            length > 0 && length <= 4 << 20,
            "{length} bytes in one piece"
        );
        assert_eq!(offset % self.block_size, 0, "offset {offset}");
        assert_eq!(length % self.block_size, 0, "length {length}");
        assert_eq!(bytes.as_ptr().addr() % self.block_size as usize, 0);
        assert!(offset + length <= self.size, "beyond the end");
    }

    /// Bytes that lie together wherever they really are.
    fn piece(&self, length: usize) -> usize {
        if self.fake.is_some() || self.cache > 0 {
            512
        } else {
            length
        }
    }

    /// Moves the oldest pieces out of the cache until so many bytes are in it.
    fn settle(&self, state: &mut State, left: usize) {
        while state.cached.len() * 512 > left {
            if let Some((offset, bytes)) = state.cached.pop_front()
                && let Some(at) = self.place(offset)
            {
                state.bytes[at..at + bytes.len()].copy_from_slice(&bytes);
            }
        }
    }

    /// Where a piece really is; `None`: nowhere.
    fn place(&self, offset: u64) -> Option<usize> {
        match self.fake {
            Some(Fake::Wrap(has)) => Some((offset % has) as usize),
            Some(Fake::Drop(has)) if offset >= has => None,
            _ => Some(offset as usize),
        }
    }
}

impl Device for Disk {
    fn size(&self) -> u64 {
        self.size
    }

    fn block_size(&self) -> u64 {
        self.block_size
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.assert_sound(offset, bytes);
        self.call(DiskCall::Write {
            offset,
            bytes: bytes.to_vec(),
        })?;
        let mut state = self.lock();
        state.since_break += bytes.len() as u64;
        let is_late = self.backlog.is_some_and(|most| state.since_break > most);
        let rate = if is_late { 4e6 } else { 16e6 };
        state.now += Duration::from_secs_f64(bytes.len() as f64 / rate);
        let piece = self.piece(bytes.len());
        for (part, number) in bytes.chunks(piece).zip(0..) {
            let offset = offset + number * piece as u64;
            if self.cache > 0 {
                state.cached.push_back((offset, part.to_vec()));
                self.settle(&mut state, self.cache);
            } else if let Some(at) = self.place(offset) {
                let there = &mut state.bytes[at..at + part.len()];
                let before = there.to_vec();
                there.copy_from_slice(part);
                state.before.push((at, before));
            }
        }
        Ok(())
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.assert_sound(offset, bytes);
        let range = offset..offset + bytes.len() as u64;
        self.call(DiskCall::Read(range.clone()))?;
        let is_bad = |bad: &Range<u64>| bad.start < range.end && range.start < bad.end;
        if self.bad.as_ref().is_some_and(is_bad) {
            return Err(Errno::IO.into());
        }
        let state = self.lock();
        let piece = self.piece(bytes.len());
        for (part, number) in bytes.chunks_mut(piece).zip(0..) {
            let offset = offset + number * piece as u64;
            let mut cached = state.cached.iter().rev();
            if let Some((_, bytes)) = cached.find(|(cached, _)| *cached == offset) {
                part.copy_from_slice(bytes);
                continue;
            }
            match self.place(offset) {
                Some(at) => part.copy_from_slice(&state.bytes[at..at + part.len()]),
                None => part.fill(0),
            }
        }
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        self.call(DiskCall::Flush)?;
        let mut state = self.lock();
        state.now += self.flush;
        state.since_break = 0;
        state.before.clear();
        Ok(())
    }

    fn is_gone(&self) -> bool {
        self.lock().gone
    }

    fn now(&self) -> Duration {
        self.lock().now
    }

    fn pause(&self, time: Duration) {
        let mut state = self.lock();
        state.now += time;
        state.since_break = 0;
    }
}
