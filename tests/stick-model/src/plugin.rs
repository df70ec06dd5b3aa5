//! nbdkit's calls.

use std::{
    os::unix::net::UnixListener,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use nbdkit::{Error, Flags, FuaFlags, Result, Server, ThreadModel, plugin};
use rustix::io::Errno;

use crate::{Stick, StickError, control};

mod config;

use config::Config;

/// The parameters until `get_ready`.
static CONFIG: Mutex<Config> = Mutex::new(Config::new());
/// The stick from `get_ready` on: one for all connections.
static PLUGGED: OnceLock<Plugged> = OnceLock::new();

struct Plugged {
    stick: Arc<Stick>,
    read_only: bool,
    /// Bound before nbdkit forks, so that a socket that cannot be is told at once; taken after.
    control: Mutex<Option<UnixListener>>,
}

/// One connection.
struct Connection {
    plugged: &'static Plugged,
}

impl Server for Connection {
    fn name() -> &'static str {
        "stick"
    }

    fn longname() -> Option<&'static str> {
        Some("a model of a USB stick")
    }

    fn config_help() -> Option<&'static str> {
        Some(Config::HELP)
    }

    fn config(key: &str, value: &str) -> Result<()> {
        let mut config = CONFIG.lock().unwrap_or_else(PoisonError::into_inner);
        config.set(key, value).map_err(wrong)
    }

    fn thread_model() -> Result<ThreadModel> {
        // A real stick serves one command at a time.
        Ok(ThreadModel::SerializeAllRequests)
    }

    fn get_ready() -> Result<()> {
        let config = CONFIG.lock().unwrap_or_else(PoisonError::into_inner);
        let plugged = guarded(|| config.plug_in().map_err(wrong))?;
        PLUGGED
            .set(plugged)
            .map_err(|_| wrong("The stick is plugged in already.".to_owned()))
    }

    fn after_fork() -> Result<()> {
        let plugged = plugged()?;
        let listener = plugged
            .control
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        match listener {
            Some(listener) => Ok(control::serve(listener, Arc::clone(&plugged.stick))?),
            None => Ok(()),
        }
    }

    fn open(_readonly: bool) -> Result<Box<dyn Server>> {
        Ok(Box::new(Self {
            plugged: plugged()?,
        }))
    }

    fn get_size(&self) -> Result<i64> {
        i64::try_from(self.plugged.stick.size())
            .map_err(|_| wrong("The stick is too large.".to_owned()))
    }

    fn can_write(&self) -> Result<bool> {
        Ok(!self.plugged.read_only)
    }

    fn can_flush(&self) -> Result<bool> {
        Ok(true)
    }

    fn can_fua(&self) -> Result<FuaFlags> {
        Ok(FuaFlags::Native)
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<()> {
        guarded(|| self.plugged.stick.read(buffer, offset).map_err(failed))
    }

    fn write_at(&self, data: &[u8], offset: u64, flags: Flags) -> Result<()> {
        let durable = flags.contains(Flags::FUA);
        guarded(|| {
            self.plugged
                .stick
                .write(data, offset, durable)
                .map_err(failed)
        })
    }

    fn flush(&self) -> Result<()> {
        guarded(|| self.plugged.stick.flush().map_err(failed))
    }
}

plugin!(Connection {
    config,
    thread_model,
    get_ready,
    after_fork,
    can_write,
    can_flush,
    can_fua,
    write_at,
    flush
});

fn plugged() -> Result<&'static Plugged> {
    PLUGGED
        .get()
        .ok_or_else(|| wrong("The stick is not plugged in.".to_owned()))
}

/// nbdkit is no Rust: a panic becomes a failed request instead of ending it. What is behind it is
/// made for that, as no lock stays poisoned.
fn guarded<T>(call: impl FnOnce() -> Result<T>) -> Result<T> {
    panic::catch_unwind(AssertUnwindSafe(call))
        .unwrap_or_else(|_| Err(Error::new(Errno::IO.raw_os_error(), "the model panicked")))
}

/// What the guest sees of every failure is an I/O error.
fn failed(error: StickError) -> Error {
    Error::new(Errno::IO.raw_os_error(), error)
}

/// A parameter was wrong.
fn wrong(sentence: String) -> Error {
    Error::new(Errno::INVAL.raw_os_error(), sentence)
}
