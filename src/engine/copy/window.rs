use std::path::Path;
use std::rc::Rc;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Bytes that go to the kernel in one write; also what is hashed at once.
pub(in crate::engine) const CHUNK: u64 = 512 * KIB;
/// Pieces of small files in one window.
const MAX_PIECES: usize = 32;

/// How much may be on its way, by the rate that was measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::engine) struct Bounds {
    /// Bytes accepted and not confirmed.
    pub(in crate::engine) unconfirmed: u64,
    /// Bytes of one window: a second's at most, so that several are in flight and what happens
    /// shows soon.
    pub(in crate::engine) window: u64,
    /// Pieces in flight.
    pub(super) pieces: usize,
}

impl Bounds {
    /// Bytes a second; 0, and so the least, while nothing is known.
    pub(in crate::engine) fn of_rate(rate: f64) -> Self {
        let second = rate as u64;
        let window = (second / CHUNK * CHUNK).clamp(CHUNK, 2 * MIB);
        // Four windows keep any stick busy. More would only take longer to drain when it gets
        // slow, or when somebody cancels; very fast ones get a quarter of a second.
        let enough = (4 * window).max(second / 4);
        Self {
            unconfirmed: second.saturating_mul(2).min(enough).clamp(MIB, 32 * MIB),
            window,
            pieces: 2 * MAX_PIECES,
        }
    }
}

/// What is written out together: a part of a large file, or several small ones.
#[derive(Debug)]
pub(super) struct Window<'a, F> {
    pub(super) pieces: Vec<Piece<'a, F>>,
    bytes: u64,
}

/// A range of one file.
#[derive(Debug)]
pub(super) struct Piece<'a, F> {
    pub(super) file: Rc<F>,
    /// Of the file, for errors.
    pub(super) path: &'a Path,
    pub(super) offset: u64,
    pub(super) length: u64,
}

impl<'a, F> Window<'a, F> {
    pub(super) fn new() -> Self {
        Self {
            pieces: Vec::new(),
            bytes: 0,
        }
    }

    /// Bytes that still fit.
    pub(super) fn room(&self, bounds: Bounds) -> u64 {
        if self.pieces.len() >= MAX_PIECES {
            0
        } else {
            bounds.window.saturating_sub(self.bytes)
        }
    }

    /// Bytes in it.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Adds a range, joined with the one before where it goes on from there.
    pub(super) fn add(&mut self, piece: Piece<'a, F>) {
        self.bytes += piece.length;
        match self.pieces.last_mut() {
            Some(last)
                if Rc::ptr_eq(&last.file, &piece.file)
                    && last.offset + last.length == piece.offset =>
            {
                last.length += piece.length;
            }
            _ => self.pieces.push(piece),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_follow_the_rate() {
        let bounds = |rate| Bounds::of_rate(rate);
        assert_eq!((bounds(0.0).unconfirmed, bounds(0.0).window), (MIB, CHUNK));
        assert_eq!(bounds(24e3).unconfirmed, MIB);
        assert_eq!(bounds(4.04e6).unconfirmed, 8_080_000);
        assert_eq!(bounds(500e6).unconfirmed, 32 * MIB);
        for rate in [0.0, 1e3, 1e6, 4.04e6, 17.1e6, 1e9, f64::INFINITY] {
            let Bounds {
                unconfirmed,
                window,
                ..
            } = bounds(rate);
            assert!(
                2 * window <= unconfirmed,
                "two windows are in flight at {rate}"
            );
            assert!((CHUNK..=2 * MIB).contains(&window) && window % CHUNK == 0);
        }
    }

    #[test]
    fn a_window_joins_what_goes_on_and_ends_with_many_pieces() {
        let bounds = Bounds::of_rate(4e6);
        let (a, b) = (Rc::new(()), Rc::new(()));
        let mut window = Window::new();
        let mut add = |file: &Rc<()>, offset| {
            window.add(Piece {
                file: Rc::clone(file),
                path: Path::new(""),
                offset,
                length: 10,
            });
            (window.pieces.len(), window.room(bounds))
        };
        assert_eq!(add(&a, 0).0, 1);
        assert_eq!(add(&a, 10).0, 1);
        assert_eq!(add(&b, 20), (2, bounds.window - 30));
        for _ in 0..30 {
            add(&b, 0);
        }
        assert_eq!(add(&b, 0).1, 0);
    }
}
