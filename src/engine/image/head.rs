use std::cell::Cell;
use std::io::{self, BufRead, Read};

use super::Container;
use super::content::HEAD;
use super::decoder::{unpack, wants_too_much_memory};

/// What the beginning of something packed holds.
pub(super) enum Head {
    /// Its first bytes; all of them, checked, if it is whole.
    Bytes { bytes: Vec<u8>, is_whole: bool },
    /// It is damaged or incomplete at that byte.
    Corrupt { at: u64 },
    /// Its decoder needs more than it may have.
    TooMuchMemory,
}

impl Head {
    /// Unpacks the beginning of something packed, of which `packed` is the beginning, or all of it
    /// unless it `is_cut`.
    pub(super) fn unpack(container: Container, packed: &[u8], is_cut: bool) -> Self {
        let left = Cell::new(packed);
        let ran_out = Cell::new(false);
        let input = Beginning {
            left: &left,
            is_cut,
            ran_out: &ran_out,
        };
        let mut bytes = Vec::new();
        let result = unpack(Box::new(input), &[container])
            // One byte more tells whether there are more.
            .and_then(|reader| reader.take(HEAD as u64 + 1).read_to_end(&mut bytes));
        match result {
            Ok(count) => {
                bytes.truncate(HEAD);
                Self::Bytes {
                    bytes,
                    is_whole: count <= HEAD,
                }
            }
            Err(_) if ran_out.get() => {
                bytes.truncate(HEAD);
                Self::Bytes {
                    bytes,
                    is_whole: false,
                }
            }
            Err(error) if wants_too_much_memory(&error) => Self::TooMuchMemory,
            Err(_) => Self::Corrupt {
                at: (packed.len() - left.get().len()) as u64,
            },
        }
    }
}

/// The beginning of something longer: where it ends there is an error, and that is remembered.
struct Beginning<'a> {
    left: &'a Cell<&'a [u8]>,
    is_cut: bool,
    ran_out: &'a Cell<bool>,
}

impl BufRead for Beginning<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.is_cut && self.left.get().is_empty() {
            self.ran_out.set(true);
            return Err(io::Error::other("the rest is not looked at"));
        }
        Ok(self.left.get())
    }

    fn consume(&mut self, amount: usize) {
        self.left.set(&self.left.get()[amount..]);
    }
}

impl Read for Beginning<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}
