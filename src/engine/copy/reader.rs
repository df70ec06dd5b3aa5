use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::Duration;

use super::source::{Disk, Source};
use super::window::CHUNK;
use crate::engine::Error;
use crate::engine::plan::PlannedFile;
use crate::engine::pool::{Pool, Pooled};

/// Pieces that may be read ahead: 4 MiB.
const PIECES_AHEAD: usize = 8;

/// Reads and hashes on a thread of its own, so that neither waits for the stick, and a source
/// that hangs holds up nobody. A thread that hangs cannot be ended: dropping the reader leaves it
/// to itself, and it ends when its read comes back.
pub(super) struct Reader {
    wanted: Sender<PlannedFile>,
    news: Receiver<News>,
}

/// What comes of a file: opened, its bytes in order, its end; or failed at any point.
pub(super) enum News {
    /// It is there and as large as planned.
    Opened,
    /// Its next bytes: 512 KiB, fewer at its end.
    Bytes(Pooled<Vec<u8>>),
    /// All was read, and it has not changed meanwhile.
    Whole(Option<blake3::Hash>),
    /// Nothing more comes of it.
    Failed(Error),
}

/// The writer has gone.
struct Unwanted;

impl Reader {
    pub(super) fn start(hash: bool, disk: Arc<dyn Disk>) -> Self {
        let (wanted, files) = mpsc::channel::<PlannedFile>();
        let (tell, news) = mpsc::sync_channel(PIECES_AHEAD);
        thread::Builder::new()
            .name("source".into())
            .spawn(move || {
                let pool = Pool::default();
                for planned in files {
                    if read(&planned, &*disk, hash, &pool, &tell).is_err() {
                        return;
                    }
                }
            })
            .expect("the system should be able to start a thread");
        Self { wanted, news }
    }

    /// Asks for one more file, after those asked for before.
    pub(super) fn want(&self, planned: &PlannedFile) {
        self.wanted
            .send(planned.clone())
            .expect("the reader lives as long as it is asked");
    }

    /// The next news; `None` when there are none within that time.
    pub(super) fn wait(&self, time: Duration) -> Option<News> {
        match self.news.recv_timeout(time) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                unreachable!("the reader tells the end of every file")
            }
        }
    }
}

fn read(
    planned: &PlannedFile,
    disk: &dyn Disk,
    hash: bool,
    pool: &Pool<Vec<u8>>,
    news: &SyncSender<News>,
) -> Result<(), Unwanted> {
    let tell = |what| news.send(what).map_err(|_| Unwanted);
    match read_whole(planned, disk, hash, pool, &tell) {
        Ok(Ok(hash)) => tell(News::Whole(hash)),
        Ok(Err(error)) => tell(News::Failed(error)),
        Err(unwanted) => Err(unwanted),
    }
}

fn read_whole(
    planned: &PlannedFile,
    disk: &dyn Disk,
    hash: bool,
    pool: &Pool<Vec<u8>>,
    tell: &impl Fn(News) -> Result<(), Unwanted>,
) -> Result<Result<Option<blake3::Hash>, Error>, Unwanted> {
    let mut source = match Source::open(planned, disk) {
        Ok(source) => source,
        Err(error) => return Ok(Err(error)),
    };
    tell(News::Opened)?;
    let mut hasher = hash.then(blake3::Hasher::new);
    while source.left() > 0 {
        let mut bytes = pool.take(Vec::new);
        match source.read(CHUNK, &mut bytes) {
            Ok(()) => {
                if let Some(hasher) = &mut hasher {
                    hasher.update(&bytes[..]);
                }
                tell(News::Bytes(bytes))?;
            }
            Err(error) => return Ok(Err(error)),
        }
    }
    Ok(source
        .finish()
        .map(|()| hasher.map(|hasher| hasher.finalize())))
}
