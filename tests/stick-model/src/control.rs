//! How a running stick is asked for its figures.

use std::{
    io::{self, BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
    time::Duration,
};

use serde::de::DeserializeOwned;

use crate::{Ailment, Counters, Stats};

mod reply;
mod server;

use reply::{Done, Reply};
// Only the plugin uses it, which unit tests leave out.
#[cfg(not(test))]
pub(crate) use server::serve;

/// A connection to the control socket of a running stick (`control=`).
///
/// Calls block; an error of kind `Other` holds the stick's own sentence.
#[derive(Debug)]
pub struct Control {
    stream: BufReader<UnixStream>,
}

impl Control {
    /// Longer than any answer takes; syncing the medium after `power-off` is the slowest.
    const PATIENCE: Duration = Duration::from_mins(2);

    /// Connects to the socket at `path`.
    pub fn connect(path: impl AsRef<Path>) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(Self::PATIENCE))?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Everything counted so far.
    pub fn stats(&mut self) -> io::Result<Stats> {
        self.ask("stats")
    }

    /// The scalar figures only.
    pub fn counters(&mut self) -> io::Result<Counters> {
        self.ask("counters")
    }

    /// Takes the power away. When this returns, the medium's file is final and synced.
    pub fn power_off(&mut self) -> io::Result<()> {
        self.ask::<Done>("power-off").map(drop)
    }

    /// Lets something befall the stick.
    pub fn befall(&mut self, ailment: Ailment) -> io::Result<()> {
        self.ask::<Done>(&ailment.to_string()).map(drop)
    }

    fn ask<T: DeserializeOwned>(&mut self, request: &str) -> io::Result<T> {
        self.stream
            .get_mut()
            .write_all(format!("{request}\n").as_bytes())?;
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        match serde_json::from_str(&line)? {
            Reply::Refused { error } => Err(io::Error::other(error)),
            Reply::Given(answer) => Ok(answer),
        }
    }
}

#[cfg(test)]
mod tests;
