use std::{
    io::{BufRead, BufReader},
    net::Shutdown,
    os::unix::net::UnixStream,
    path::Path,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};

/// Lines that the guest sends through `/run/steady-lab/events`, each with the moment of its
/// arrival. Lines sent while nobody listens are lost.
#[derive(Debug)]
pub struct Events {
    stream: UnixStream,
    lines: Receiver<(Instant, String)>,
}

impl Events {
    pub(crate) fn listen(state: &Path) -> Result<Self> {
        let stream = UnixStream::connect(state.join("events")).context("the lab is not up")?;
        let reader = BufReader::new(stream.try_clone()?);
        let (sender, lines) = mpsc::channel();
        thread::Builder::new()
            .name("lab events".into())
            .spawn(move || {
                for line in reader.lines().map_while(Result::ok) {
                    if sender.send((Instant::now(), line)).is_err() {
                        break;
                    }
                }
            })?;
        Ok(Self { stream, lines })
    }

    /// The next line, or `None` if none comes within `limit` or the lab has gone down.
    pub fn next_within(&self, limit: Duration) -> Option<(Instant, String)> {
        self.lines.recv_timeout(limit).ok()
    }

    /// The lines that have arrived already.
    pub fn arrived(&self) -> impl Iterator<Item = (Instant, String)> + '_ {
        self.lines.try_iter()
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        // Ends the thread. If the lab is down the thread has ended already.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}
