mod fault;
mod job;
mod piece;

use std::io::{self, ErrorKind, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use crate::engine::image::DecodeError;
use crate::engine::image::watch::Watch;
pub(super) use fault::Fault;
pub(super) use job::Job;
pub(super) use piece::{PIECE, Piece};

/// Pieces that may be unpacked ahead: 2 MiB.
pub(super) const AHEAD: usize = 4;

/// What comes of an image: its bytes in order, then one end.
#[derive(Debug)]
pub(super) enum News {
    Piece(Piece),
    End,
    Failed(DecodeError),
}

/// Moves an image's bytes from its decoders to whoever reads them.
pub(super) struct Pump {
    tell: SyncSender<News>,
    spares: Receiver<Piece>,
    watch: Arc<Watch>,
}

impl Pump {
    pub(super) fn new(tell: SyncSender<News>, spares: Receiver<Piece>, watch: Arc<Watch>) -> Self {
        Self {
            tell,
            spares,
            watch,
        }
    }

    /// Moves everything; yields how many bytes that were.
    fn move_all(&self, reader: &mut dyn Read) -> Result<u64, Fault> {
        let mut moved = 0;
        loop {
            let mut piece = self.spares.try_recv().unwrap_or_default();
            let result = piece.fill(reader);
            moved += piece.bytes().len() as u64;
            result.map_err(|error| self.fault(&error, moved))?;
            if piece.bytes().is_empty() {
                return Ok(moved);
            }
            piece.packed_until = self.watch.read_so_far();
            self.tell
                .send(News::Piece(piece))
                .map_err(|_| Fault::Unwanted)?;
        }
    }

    /// Tells the end. Nobody may be there any more.
    pub(super) fn end(self, result: Result<(), DecodeError>) {
        #[expect(
            clippy::let_underscore_must_use,
            reason = "nobody may be there any more"
        )]
        let _ = self.tell.send(match result {
            Ok(()) => News::End,
            Err(error) => News::Failed(error),
        });
    }

    /// What an error of a decoder means, after so many bytes of the image.
    fn fault(&self, error: &io::Error, decoded: u64) -> Fault {
        if self.watch.is_cancelled() {
            return Fault::Unwanted;
        }
        match self.watch.take_failure() {
            Some(cause) => Fault::Source(cause),
            None => Fault::of_decoder(error, self.watch.read_so_far(), decoded),
        }
    }

    /// Damage that no decoder noticed.
    fn damage(&self, decoded: u64) -> Fault {
        let error = io::Error::new(ErrorKind::InvalidData, "it has another size than it says");
        self.fault(&error, decoded)
    }
}
