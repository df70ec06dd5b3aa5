mod pump;

use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

use super::source_file::SourceFile;
use super::tracked::Tracked;
use super::watch::Watch;
use super::{Container, DecodeError, ImageFile, Progress, Size};
use crate::engine::checksum::{Algorithm, Tap, Tapped};
use crate::engine::{Error, Operation};
use pump::{AHEAD, Fault, Job, News, PIECE, Piece, Pump};

/// Bytes of all buffers together: the pieces on their way, the one being filled and the one being
/// handed out, and what is read at once.
pub(super) const BUFFERS: u64 = (AHEAD as u64 + 2) * PIECE as u64 + 1024 * 1024;
/// How often a waiting reader looks whether it was cancelled.
const LOOK: Duration = Duration::from_millis(50);

/// The bytes of an image, unpacked on a thread of their own, a few pieces ahead.
///
/// They end only where the image does: everything in the file was unpacked, all checksums that it
/// has were right, and the file has not changed meanwhile. Anything else is an error, with a
/// [`DecodeError`] inside, and stays one. Dropping it ends the thread at its next piece.
#[derive(Debug)]
pub struct Decoded {
    news: Receiver<News>,
    spare: Sender<Piece>,
    piece: Option<Piece>,
    taken: usize,
    has_ended: bool,
    progress: Progress,
    size: Size,
}

impl Decoded {
    /// Opens what was recognised. The file must be as it was then.
    pub fn open(path: &Path, image: &ImageFile) -> Result<Self, Error> {
        let source = open_source(path, image)?;
        Ok(Self::start_in_file(source.clone(), source, image))
    }

    /// The same, and computes the checksum of the file as it lies there. Where it is no archive,
    /// that takes no second reading.
    pub fn open_with_checksum(
        path: &Path,
        image: &ImageFile,
        algorithm: Algorithm,
    ) -> Result<(Self, Tap), Error> {
        let source = open_source(path, image)?;
        if image.entry.is_some() {
            let beside = SourceFile::open(path)?;
            let tap = Tap::beside(beside.once(), algorithm);
            return Ok((Self::start_in_file(source.clone(), source, image), tap));
        }
        let (tapped, tap) = Tapped::new(source.clone().once(), algorithm);
        let watch = Arc::new(Watch::default());
        let job = Job {
            containers: image.containers.clone(),
            entry: None,
            size: image.size,
            source: Tracked::new(tapped, watch.clone()),
        };
        let run = move |pump: &Pump| job.run(pump);
        let decoded = Self::start_checked(watch, source, image, run);
        Ok((decoded, tap))
    }

    fn start_in_file(source: SourceFile, check: SourceFile, image: &ImageFile) -> Self {
        let watch = Arc::new(Watch::default());
        let job = Job {
            containers: image.containers.clone(),
            entry: image.entry.as_ref().map(|entry| entry.index),
            size: image.size,
            source: Tracked::new(source.once(), watch.clone()),
        };
        let run = move |pump: &Pump| job.run_in_file(pump);
        Self::start_checked(watch, check, image, run)
    }

    fn start_checked(
        watch: Arc<Watch>,
        check: SourceFile,
        image: &ImageFile,
        run: impl FnOnce(&Pump) -> Result<(), Fault> + Send + 'static,
    ) -> Self {
        let packed = image.entry.as_ref().map(|entry| entry.packed_size);
        let packed = packed.unwrap_or(image.file_size);
        Self::start(watch, Some(packed), image.size, move |pump| {
            let result = run(&pump);
            // A file that changed explains everything else.
            let result = check
                .compare(None)
                .map_err(DecodeError::Source)
                .and_then(|()| result.map_err(|fault| fault.explain(|e| check.unreadable(e))));
            pump.end(result);
        })
    }

    /// Unpacks what any reader yields, from the outermost container to the innermost; an archive
    /// cannot be among them.
    pub fn from_reader(
        reader: impl Read + Send + 'static,
        containers: &[Container],
        size: Size,
    ) -> Self {
        let watch = Arc::new(Watch::default());
        let job = Job {
            containers: containers.to_vec(),
            entry: None,
            size,
            source: Tracked::new(reader, watch.clone()),
        };
        Self::start(watch, None, size, move |pump| {
            let result = job.run(&pump).map_err(|fault| fault.explain(unreadable));
            pump.end(result);
        })
    }

    fn start(
        watch: Arc<Watch>,
        packed_size: Option<u64>,
        size: Size,
        work: impl FnOnce(Pump) + Send + 'static,
    ) -> Self {
        let (tell, news) = mpsc::sync_channel(AHEAD);
        let (spare, spares) = mpsc::channel();
        let pump = Pump::new(tell, spares, watch.clone());
        thread::Builder::new()
            .name("decoder".into())
            .spawn(move || work(pump))
            .expect("the system should be able to start a thread");
        Self {
            news,
            spare,
            piece: None,
            taken: 0,
            has_ended: false,
            progress: Progress { watch, packed_size },
            size,
        }
    }

    /// Bytes of the image, as far as they are known.
    pub fn size(&self) -> Size {
        self.size
    }

    /// How far it has come, to be asked from any thread.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Waits for the next piece. `false`: the image has ended.
    fn next_piece(&mut self) -> io::Result<bool> {
        match self.wait()? {
            News::Piece(piece) => {
                self.piece = Some(piece);
                self.taken = 0;
                Ok(true)
            }
            News::End => {
                self.has_ended = true;
                if let Some(all) = self.progress.packed_size {
                    self.progress.watch.consume_up_to(all);
                }
                Ok(false)
            }
            News::Failed(error) => {
                let kind = match &error {
                    DecodeError::Source(error) => error.cause.kind(),
                    DecodeError::Corrupt { .. } => ErrorKind::InvalidData,
                    DecodeError::TooMuchMemory { .. } => ErrorKind::OutOfMemory,
                    DecodeError::Cancelled => ErrorKind::Other,
                };
                Err(io::Error::new(kind, error))
            }
        }
    }

    fn wait(&self) -> io::Result<News> {
        loop {
            if self.progress.watch.is_cancelled() {
                return Err(io::Error::other(DecodeError::Cancelled));
            }
            match self.news.recv_timeout(LOOK) {
                Ok(news) => return Ok(news),
                Err(RecvTimeoutError::Timeout) => {}
                // It has failed before, or a decoder has broken down.
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the image has not come to its end"));
                }
            }
        }
    }

    fn finish_piece(&mut self) {
        if let Some(piece) = self.piece.take() {
            self.progress.watch.consume_up_to(piece.packed_until);
            #[expect(
                clippy::let_underscore_must_use,
                reason = "nobody wants it back at the end"
            )]
            let _ = self.spare.send(piece);
        }
    }
}

impl Read for Decoded {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() || self.has_ended {
            return Ok(0);
        }
        if self.piece.is_none() && !self.next_piece()? {
            return Ok(0);
        }
        let rest = self
            .piece
            .as_ref()
            .map_or(&[][..], |piece| &piece.bytes()[self.taken..]);
        let count = rest.len().min(buffer.len());
        let is_last = count == rest.len();
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        self.progress.watch.deliver(count as u64);
        if is_last {
            self.finish_piece();
        }
        Ok(count)
    }
}

impl Drop for Decoded {
    fn drop(&mut self) {
        self.progress.watch.cancel();
    }
}

/// The file, if it is as it was looked at.
fn open_source(path: &Path, image: &ImageFile) -> Result<SourceFile, Error> {
    let source = SourceFile::open(path)?;
    source.compare(image.stamp.as_ref())?;
    Ok(source)
}

fn unreadable(cause: io::Error) -> Error {
    Error::new(Operation::ReadSource, Path::new(""), cause)
}
