use std::fmt;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::{Algorithm, Checksum, Hasher};

/// Bytes taken at once when the rest is read for its checksum alone.
const PIECE: usize = 64 << 10;

/// A reader that computes the checksum of what passes: put between a packed file and its
/// decoder, it covers the file as it was published.
#[derive(Debug)]
pub struct Tapped<R>(Arc<Mutex<State<R>>>);

/// The checksum of a packed file, computed while its decoder works.
pub struct Tap {
    finish: Option<Finish>,
    /// Nobody wants it any more.
    unwanted: Arc<AtomicBool>,
}

type Finish = Box<dyn FnOnce() -> io::Result<Checksum> + Send>;

#[derive(Debug)]
struct State<R> {
    reader: R,
    hasher: Option<Hasher>,
}

impl<R: Read + Send + 'static> Tapped<R> {
    /// Reads from there.
    pub fn new(reader: R, algorithm: Algorithm) -> (Self, Tap) {
        let state = Arc::new(Mutex::new(State::new(reader, algorithm)));
        let tapped = Self(Arc::clone(&state));
        let unwanted = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&unwanted);
        let finish = Box::new(move || lock(&state).finish(&stop));
        let tap = Tap {
            finish: Some(finish),
            unwanted,
        };
        (tapped, tap)
    }
}

impl Tap {
    /// For a decoder that reads the file on its own, perhaps not in order: the file is read once
    /// more beside it, on a thread of its own, until the tap is dropped.
    pub fn beside(file: impl Read + Send + 'static, algorithm: Algorithm) -> Self {
        let unwanted = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&unwanted);
        let reading = thread::Builder::new()
            .name("checksum".into())
            .spawn(move || State::new(file, algorithm).finish(&stop))
            .expect("the system should be able to start a thread");
        let failed = || io::Error::other("the reader of the file has failed");
        let finish = Box::new(move || reading.join().map_err(|_| failed())?);
        Self {
            finish: Some(finish),
            unwanted,
        }
    }

    /// The checksum of the whole file, once its decoder has come to its end: what that has left
    /// unread is read here.
    pub fn finish(mut self) -> io::Result<Checksum> {
        self.finish.take().expect("a tap is finished once")()
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        self.unwanted.store(true, Ordering::Relaxed);
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Tap")
    }
}

impl<R: Read> Read for Tapped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.0).read(buffer)
    }
}

impl<R: Read> State<R> {
    fn new(reader: R, algorithm: Algorithm) -> Self {
        Self {
            reader,
            hasher: Some(Hasher::new(algorithm)),
        }
    }

    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&buffer[..count]);
        }
        Ok(count)
    }

    fn finish(&mut self, unwanted: &AtomicBool) -> io::Result<Checksum> {
        let mut buffer = vec![0; PIECE];
        loop {
            if unwanted.load(Ordering::Relaxed) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            match self.read(&mut buffer) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        let hasher = self.hasher.take().expect("a tap is finished once");
        Ok(hasher.finish())
    }
}

fn lock<R>(state: &Mutex<State<R>>) -> MutexGuard<'_, State<R>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_decoder_leaves_unread_counts_too() {
        let bytes: Vec<u8> = (0..200_000_u32).map(|n| n as u8).collect();
        let (mut tapped, tap) = Tapped::new(io::Cursor::new(bytes.clone()), Algorithm::Sha256);
        tapped.read_exact(&mut [0; 1000]).unwrap();
        let mut hasher = Hasher::new(Algorithm::Sha256);
        hasher.update(&bytes);
        let whole = hasher.finish();
        assert_eq!(tap.finish().unwrap(), whole);
        let tap = Tap::beside(io::Cursor::new(bytes), Algorithm::Sha256);
        assert_eq!(tap.finish().unwrap(), whole);
    }

    #[test]
    fn a_tap_that_nobody_wants_stops_reading() {
        struct Endless {
            _alive: std::sync::mpsc::Sender<()>,
        }
        impl Read for Endless {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                buffer.fill(0);
                Ok(buffer.len())
            }
        }
        let (alive, gone) = std::sync::mpsc::channel();
        drop(Tap::beside(Endless { _alive: alive }, Algorithm::Blake3));
        assert!(gone.recv().is_err(), "its reader is dropped");
    }
}
