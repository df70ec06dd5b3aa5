use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use rustix::io::Errno;

use steady::engine::plan::Existing;
use steady::engine::target::{ReadBack, Target};

/// A stick that takes everything at once and keeps nothing, to see what copying itself costs.
pub(crate) struct Null(Instant);

/// What can be read back from it.
pub(crate) struct Nothing;

impl ReadBack for Nothing {
    fn next(&mut self) -> io::Result<&[u8]> {
        Ok(&[])
    }

    fn is_past_cache(&self) -> bool {
        false
    }
}

impl Default for Null {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Target for Null {
    type File = ();
    type Reader = Nothing;
    type Pin = ();

    fn make_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn take_parts_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn create(&self, _: &Path, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn write_at(&self, (): &(), _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn start_write_out(&self, (): &(), _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn wait_write_out(&self, (): &(), _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn drop_cache(&self, (): &(), _: u64, _: u64) {}

    fn set_modified(&self, (): &(), _: SystemTime) {}

    fn close(&self, _: Vec<()>) -> io::Result<()> {
        Ok(())
    }

    fn rename(&self, _: &Path, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn replace(&self, _: &Path, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn pin(&self, _: &Path) -> io::Result<((), Existing)> {
        Err(Errno::NOENT.into())
    }

    fn list(&self, _: &Path, _: &mut dyn FnMut(PathBuf, Existing)) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove_folder(&self, _: &Path) -> io::Result<()> {
        Ok(())
    }

    fn checkpoint(&self) -> io::Result<()> {
        Ok(())
    }

    fn flush_device(&self) -> io::Result<()> {
        Ok(())
    }

    fn open_read_back(&self, _: &Path) -> io::Result<Nothing> {
        Err(Errno::NOENT.into())
    }

    fn is_gone(&self) -> bool {
        false
    }

    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn pause(&self, _: Duration) {}
}
