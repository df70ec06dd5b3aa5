use std::io::{self, Read};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Algorithm, Checksum, Hasher};

/// Bytes taken at once when the rest is read for its checksum alone.
const PIECE: usize = 64 << 10;

/// A reader that computes the checksum of what passes: put between a packed file and its
/// decoder, it covers the file as it was published.
#[derive(Debug)]
pub struct Tapped<R>(Arc<Mutex<State<R>>>);

/// The checksum's end of a [`Tapped`] reader.
pub struct Tap(Box<dyn FnOnce() -> io::Result<Checksum> + Send>);

#[derive(Debug)]
struct State<R> {
    reader: R,
    hasher: Option<Hasher>,
}

impl<R: Read + Send + 'static> Tapped<R> {
    /// Reads from there.
    pub fn new(reader: R, algorithm: Algorithm) -> (Self, Tap) {
        let state = Arc::new(Mutex::new(State {
            reader,
            hasher: Some(Hasher::new(algorithm)),
        }));
        let tapped = Self(Arc::clone(&state));
        (tapped, Tap(Box::new(move || finish(&mut lock(&state)))))
    }
}

impl Tap {
    /// The checksum of the whole file, once its decoder has come to its end: what that has left
    /// unread is read here.
    pub fn finish(self) -> io::Result<Checksum> {
        self.0()
    }
}

impl std::fmt::Debug for Tap {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Tap")
    }
}

impl<R: Read> Read for Tapped<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        lock(&self.0).read(buffer)
    }
}

impl<R: Read> State<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(buffer)?;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(&buffer[..count]);
        }
        Ok(count)
    }
}

fn finish<R: Read>(state: &mut State<R>) -> io::Result<Checksum> {
    let mut buffer = vec![0; PIECE];
    loop {
        match state.read(&mut buffer) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let hasher = state.hasher.take().expect("a tap is finished once");
    Ok(hasher.finish())
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
        assert_eq!(tap.finish().unwrap(), hasher.finish());
    }
}
