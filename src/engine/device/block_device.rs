use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::fd::OwnedFd;
use rustix::fs::{self, FileType, OFlags, SeekFrom};
use rustix::io::Errno;

use super::Device;
use crate::engine::aligned::AlignedBuffer;

/// A stick behind an open descriptor. A regular file will do as well, with blocks of 512 bytes.
#[derive(Debug)]
pub struct BlockDevice {
    file: OwnedFd,
    size: u64,
    block_size: u64,
    /// Its entry in `/sys`; `None` for a regular file.
    entry: Option<String>,
    start: Instant,
}

impl BlockDevice {
    /// Takes a descriptor that reads and writes. Size and block size are asked of it, so they are
    /// those of the stick that is there now; it is made direct where it is not.
    pub fn new(file: OwnedFd) -> io::Result<Self> {
        let flags = fs::fcntl_getfl(&file)?;
        if !flags.contains(OFlags::DIRECT) {
            fs::fcntl_setfl(&file, flags | OFlags::DIRECT)?;
        }
        let stat = fs::fstat(&file)?;
        let (block_size, entry) = match FileType::from_raw_mode(stat.st_mode) {
            FileType::BlockDevice => {
                let (major, minor) = (fs::major(stat.st_rdev), fs::minor(stat.st_rdev));
                let entry = format!("/sys/dev/block/{major}:{minor}");
                let block_size = u64::from(fs::ioctl_blksszget(&file)?);
                (block_size, Some(entry))
            }
            FileType::RegularFile => (512, None),
            _ => return Err(Errno::NOTBLK.into()),
        };
        // Beyond a page no kernel of today goes, and buffers are aligned to no more.
        if !block_size.is_power_of_two() || block_size > AlignedBuffer::ALIGNMENT as u64 {
            return Err(Errno::INVAL.into());
        }
        let size = end(&file)?;
        if size == 0 {
            return Err(Errno::NOMEDIUM.into());
        }
        Ok(Self {
            file,
            size: size / block_size * block_size,
            block_size,
            entry,
            start: Instant::now(),
        })
    }
}

impl Device for BlockDevice {
    fn size(&self) -> u64 {
        self.size
    }

    fn block_size(&self) -> u64 {
        self.block_size
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut written = 0;
        while written < bytes.len() {
            match rustix::io::pwrite(&self.file, &bytes[written..], offset + written as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                // What the kernel says of a device that has become read-only.
                Err(Errno::PERM) => return Err(Errno::ROFS.into()),
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut read = 0;
        while read < bytes.len() {
            match rustix::io::pread(&self.file, &mut bytes[read..], offset + read as u64) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => read += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn flush(&self) -> io::Result<()> {
        Ok(fs::fdatasync(&self.file)?)
    }

    fn is_gone(&self) -> bool {
        // A reader stays without its card, with nothing in it.
        let empty = || end(&self.file).is_ok_and(|size| size == 0);
        let entry = self.entry.as_ref();
        entry.is_some_and(|entry| !Path::new(entry).exists() || empty())
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn pause(&self, time: Duration) {
        thread::sleep(time);
    }
}

/// Where it ends now, in bytes.
fn end(file: &OwnedFd) -> io::Result<u64> {
    Ok(fs::seek(file, SeekFrom::End(0))?)
}
