use std::io::{self, Read};

/// Bytes of a piece. Large enough that handing it over costs nothing, small enough that a
/// cancelled job ends at once.
pub(in crate::engine::image) const PIECE: usize = 512 * 1024;

/// Some bytes of an image. Its memory is used again.
#[derive(Debug, Default)]
pub(in crate::engine::image::decoded) struct Piece {
    memory: Vec<u8>,
    length: usize,
    /// Bytes of the file that had been read when it was full.
    pub packed_until: u64,
}

impl Piece {
    pub(in crate::engine::image::decoded) fn bytes(&self) -> &[u8] {
        &self.memory[..self.length]
    }

    /// Fills it, unless the bytes end before. What came before an error stays in it.
    pub(super) fn fill(&mut self, reader: &mut dyn Read) -> io::Result<()> {
        self.memory.resize(PIECE, 0);
        self.length = 0;
        while self.length < PIECE {
            match reader.read(&mut self.memory[self.length..])? {
                0 => break,
                count => self.length += count,
            }
        }
        Ok(())
    }
}
