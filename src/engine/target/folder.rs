use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use rustix::fs::{
    self, Advice, AtFlags, FallocateFlags, FileType, FlockOperation, Mode, OFlags, RenameFlags,
    Timespec, Timestamps,
};
use rustix::io::Errno;

use super::below::Below;
use super::mount::Mount;
use super::{FolderReader, Target, sys};
use crate::engine::plan::{Existing, FAT_TIMES, FileId, FileSystem, Listing, Present, TargetFacts};
use crate::engine::{Error, Operation};

const MSDOS_MAGIC: u64 = 0x4d44;
const EXFAT_MAGIC: u64 = 0x2011_bab0;
const NTFS_MAGIC: u64 = 0x7366_746e;
const EXT4_MAGIC: u64 = 0xef53;
const BTRFS_MAGIC: u64 = 0x9123_683e;
const FUSE_MAGIC: u64 = 0x6573_5546;
/// What the root folder of FAT16 holds if nobody asked for another size: 512 slots of 32 bytes.
const FAT16_ROOT: u64 = 512 * 32;
/// Fewer clusters make it FAT16 or FAT12, by definition.
const FAT32_CLUSTERS: u64 = 65_525;
/// Reserving space for a smaller file gains nothing.
const WORTH_RESERVING: u64 = 1 << 20;
/// A mount with `flush` sleeps 0.1 s in each close; asleep they cost nothing.
const CLOSING_THREADS: usize = 16;

/// A mounted folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Opened before anything is written, so that `syncfs` on it tells every error since.
    root: Below,
    id: FileId,
    magic: u64,
    start: Instant,
    /// The folder for temporary names, locked against other jobs.
    parts: Mutex<Option<OwnedFd>>,
}

/// A file of a [`Folder`], open for writing.
#[derive(Debug)]
pub struct FolderFile(OwnedFd);

impl Folder {
    /// Opens an existing folder.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let fail = |errno: Errno| Error::new(Operation::OpenTarget, path, errno);
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = fs::open(path, flags, Mode::empty()).map_err(fail)?;
        let magic = fs::fstatfs(&root).map_err(fail)?.f_type.cast_unsigned();
        let stat = fs::fstat(&root).map_err(fail)?;
        let id = FileId {
            device: stat.st_dev,
            inode: stat.st_ino,
        };
        Ok(Self {
            path: path.to_path_buf(),
            root: Below::new(root),
            id,
            magic,
            start: Instant::now(),
            parts: Mutex::default(),
        })
    }

    /// What it is to the system.
    pub fn id(&self) -> FileId {
        self.id
    }

    /// What the plan has to know. The file system comes from the kernel, not from a label.
    pub fn facts(&self) -> Result<TargetFacts, Error> {
        let stat = fs::fstatvfs(self.root.root())
            .map_err(|errno| Error::new(Operation::OpenTarget, &self.path, errno))?;
        let mount = Mount::of(self.id.device);
        let file_system = match self.magic {
            MSDOS_MAGIC if stat.f_blocks < FAT32_CLUSTERS => FileSystem::Fat16,
            MSDOS_MAGIC => FileSystem::Fat32,
            EXFAT_MAGIC => FileSystem::ExFat,
            NTFS_MAGIC => FileSystem::Ntfs,
            EXT4_MAGIC => FileSystem::Ext4,
            BTRFS_MAGIC => FileSystem::Btrfs,
            // A driver outside the kernel for a device: that of NTFS, or one of Windows' others.
            FUSE_MAGIC if mount.as_ref().is_some_and(Mount::is_fuse_device) => FileSystem::Ntfs,
            _ => FileSystem::Other,
        };
        let charset = mount
            .filter(|_| self.is_fat())
            .and_then(|mount| mount.charset());
        let (free, cluster) = (stat.f_bavail.saturating_mul(stat.f_frsize), stat.f_frsize);
        Ok(TargetFacts {
            file_system,
            free,
            cluster,
            root: Some(self.id),
            charset,
            root_names: (file_system == FileSystem::Fat16 && self.is_mount_point())
                .then_some(FAT16_ROOT),
        })
    }

    /// Whether the folder above is another file system's.
    fn is_mount_point(&self) -> bool {
        let above = fs::statat(self.root.root(), "..", AtFlags::empty());
        above.is_ok_and(|above| above.st_dev != self.id.device)
    }

    /// What the path is there now; a link is not followed. The kernel ignores letter case where
    /// the file system does.
    pub fn existing(&self, path: &Path) -> Option<Existing> {
        let place = self.root.place(path).ok()?;
        let stat = fs::statat(&place, place.name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(existing(&stat))
    }

    fn names(&self, folder: &Path) -> rustix::io::Result<Listing> {
        let folder = self.open_folder(folder)?;
        let stat = fs::fstat(&folder)?;
        let mut names = Vec::new();
        for entry in fs::Dir::read_from(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if !matches!(name, b"." | b"..") {
                names.push(OsStr::from_bytes(name).to_os_string());
            }
        }
        Ok(Listing {
            id: FileId {
                device: stat.st_dev,
                inode: stat.st_ino,
            },
            names,
        })
    }

    fn open_folder(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        self.root.open(path, flags, Mode::empty())
    }

    fn is_fat(&self) -> bool {
        matches!(self.magic, MSDOS_MAGIC | EXFAT_MAGIC)
    }

    /// Reserves without lengthening the file.
    fn reserve(&self, file: &OwnedFd, size: u64) -> io::Result<()> {
        if !is_reserved(self.magic, size) {
            return Ok(());
        }
        match fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, size) {
            Err(Errno::NOSPC) => Err(Errno::NOSPC.into()),
            // Contiguous clusters are a gain, not a need.
            _ => Ok(()),
        }
    }
}

impl Present for Folder {
    fn existing(&self, path: &Path) -> Option<Existing> {
        Folder::existing(self, path)
    }

    fn list(&self, folder: &Path) -> Option<Listing> {
        self.names(folder).ok()
    }
}

impl Target for Folder {
    type File = FolderFile;
    type Reader = FolderReader;
    type Pin = OwnedFd;

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        let place = self.root.place(path)?;
        match fs::mkdirat(&place, place.name, Mode::from_raw_mode(0o777)) {
            Err(Errno::EXIST) if self.existing(path) == Some(Existing::Folder) => Ok(()),
            result => Ok(result?),
        }
    }

    fn take_parts_folder(&self, path: &Path) -> io::Result<()> {
        self.make_folder(path)?;
        let folder = self.open_folder(path)?;
        let mut held = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        *held = None;
        fs::flock(&folder, FlockOperation::NonBlockingLockExclusive)?;
        *held = Some(folder);
        Ok(())
    }

    fn create(&self, path: &Path, size: u64) -> io::Result<FolderFile> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let file = self.root.open(path, flags, Mode::from_raw_mode(0o666))?;
        if let Err(error) = self.reserve(&file, size) {
            self.remove(path)?;
            return Err(error);
        }
        Ok(FolderFile(file))
    }

    fn write_at(&self, file: &FolderFile, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut written = 0;
        while written < bytes.len() {
            match rustix::io::pwrite(&file.0, &bytes[written..], offset + written as u64) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => written += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn start_write_out(&self, file: &FolderFile, offset: u64, length: u64) -> io::Result<()> {
        sys::sync_file_range(file.0.as_fd(), offset, length, false)
    }

    fn wait_write_out(&self, file: &FolderFile, offset: u64, length: u64) -> io::Result<()> {
        sys::sync_file_range(file.0.as_fd(), offset, length, true)
    }

    fn drop_cache(&self, file: &FolderFile, offset: u64, length: u64) {
        #[expect(
            clippy::let_underscore_must_use,
            reason = "only a hint: nothing depends on it but other programs' memory"
        )]
        let _ = fs::fadvise(&file.0, offset, length.try_into().ok(), Advice::DontNeed);
    }

    fn set_modified(&self, file: &FolderFile, modified: SystemTime) {
        let time = storable(timespec(modified), self.is_fat());
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        #[expect(
            clippy::let_underscore_must_use,
            reason = "a date never makes a copy fail"
        )]
        let _ = fs::futimens(&file.0, &times);
    }

    fn close(&self, files: Vec<FolderFile>) -> io::Result<()> {
        let close_all = |files: Vec<FolderFile>| {
            files
                .into_iter()
                .map(|file| sys::close(file.0))
                .fold(Ok(()), io::Result::and)
        };
        let share = files.len().div_ceil(CLOSING_THREADS).max(1);
        let mut files = files.into_iter();
        let shares = std::iter::from_fn(|| {
            let share: Vec<_> = files.by_ref().take(share).collect();
            (!share.is_empty()).then_some(share)
        });
        thread::scope(|scope| {
            let threads: Vec<_> = shares
                .map(|share| scope.spawn(move || close_all(share)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("closing does not panic"))
                .fold(Ok(()), io::Result::and)
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (old, new) = (self.root.place(from)?, self.root.place(to)?);
        match fs::renameat_with(&old, old.name, &new, new.name, RenameFlags::NOREPLACE) {
            // The file system does not know the flag: look first. Nobody else names files there
            // in between, save one who wants to.
            Err(Errno::INVAL | Errno::NOSYS) => {
                if self.existing(to).is_some() {
                    return Err(Errno::EXIST.into());
                }
                Ok(fs::renameat(&old, old.name, &new, new.name)?)
            }
            result => Ok(result?),
        }
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        let (old, new) = (self.root.place(from)?, self.root.place(to)?);
        Ok(fs::renameat(&old, old.name, &new, new.name)?)
    }

    fn pin(&self, path: &Path) -> io::Result<(OwnedFd, Existing)> {
        // Enough to keep the inode, and asks for no permission to read.
        let pin = self.root.open(path, OFlags::PATH, Mode::empty())?;
        let existing = existing(&fs::fstat(&pin)?);
        Ok((pin, existing))
    }

    fn list(&self, folder: &Path, tell: &mut dyn FnMut(PathBuf, Existing)) -> io::Result<()> {
        let opened = self.open_folder(folder)?;
        for entry in fs::Dir::read_from(&opened)? {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let stat = fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW)?;
            tell(
                folder.join(OsStr::from_bytes(name.to_bytes())),
                existing(&stat),
            );
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let place = self.root.place(path)?;
        Ok(fs::unlinkat(&place, place.name, AtFlags::empty())?)
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        let place = self.root.place(path)?;
        Ok(fs::unlinkat(&place, place.name, AtFlags::REMOVEDIR)?)
    }

    fn checkpoint(&self) -> io::Result<()> {
        fs::syncfs(self.root.root())?;
        // vfat sends no device flush on syncfs, but one on fsync of a folder.
        self.flush_device()
    }

    fn flush_device(&self) -> io::Result<()> {
        Ok(fs::fsync(self.root.root())?)
    }

    fn open_read_back(&self, path: &Path) -> io::Result<FolderReader> {
        let open = |flags| self.root.open(path, flags, Mode::empty());
        match open(OFlags::RDONLY | OFlags::DIRECT) {
            Ok(file) => Ok(FolderReader::new(file, true)),
            Err(Errno::INVAL) => {
                let file = open(OFlags::RDONLY)?;
                fs::fsync(&file)?;
                fs::fadvise(&file, 0, None, Advice::DontNeed)?;
                Ok(FolderReader::new(file, false))
            }
            Err(errno) => Err(errno.into()),
        }
    }

    fn is_gone(&self) -> bool {
        let (major, minor) = (fs::major(self.id.device), fs::minor(self.id.device));
        // Major 0: a file system without a device of its own.
        let device_left =
            major != 0 && !Path::new(&format!("/sys/dev/block/{major}:{minor}")).exists();
        device_left || fs::stat(&self.path).map_or(true, |stat| stat.st_dev != self.id.device)
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn pause(&self, time: Duration) {
        thread::sleep(time);
    }
}

/// Whether a file's space is reserved: not on exFAT, which knows no other way than to write zeroes
/// first.
fn is_reserved(magic: u64, size: u64) -> bool {
    size >= WORTH_RESERVING && magic != EXFAT_MAGIC
}

/// The nearest time that the file system can hold.
fn storable(mut time: Timespec, is_fat: bool) -> Timespec {
    if is_fat {
        time.tv_sec = time.tv_sec.clamp(*FAT_TIMES.start(), *FAT_TIMES.end());
    }
    time
}

fn timespec(time: SystemTime) -> Timespec {
    let seconds = match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_secs().try_into().unwrap_or(i64::MAX),
        Err(before) => before
            .duration()
            .as_secs()
            .try_into()
            .map_or(i64::MIN, |s: i64| -s),
    };
    Timespec {
        tv_sec: seconds,
        tv_nsec: 0,
    }
}

fn existing(stat: &fs::Stat) -> Existing {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => Existing::Folder,
        FileType::RegularFile => Existing::File {
            size: stat.st_size.cast_unsigned(),
            modified: modified(stat),
        },
        _ => Existing::Other,
    }
}

/// A file's time, where it is one that the clock knows.
fn modified(stat: &fs::Stat) -> Option<SystemTime> {
    let nanos = Duration::from_nanos(u64::from(u32::try_from(stat.st_mtime_nsec).ok()?));
    match u64::try_from(stat.st_mtime) {
        Ok(seconds) => UNIX_EPOCH.checked_add(Duration::from_secs(seconds) + nanos),
        Err(_) => UNIX_EPOCH
            .checked_sub(Duration::from_secs(stat.st_mtime.unsigned_abs()))?
            .checked_add(nanos),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f10_times_are_clamped_to_what_fat_holds() {
        let seconds = |seconds, is_fat| {
            let time = Timespec {
                tv_sec: seconds,
                tv_nsec: 0,
            };
            storable(time, is_fat).tv_sec
        };
        // 1970, an odd second of 2001, 2200, and before 1970.
        assert_eq!(seconds(0, true), 315_619_200);
        assert_eq!(seconds(1_000_000_001, true), 1_000_000_001);
        assert_eq!(seconds(7_258_118_400, true), 4_354_732_799);
        assert_eq!(seconds(-5, true), 315_619_200);
        assert_eq!(seconds(7_258_118_400, false), 7_258_118_400);
        assert_eq!(seconds(-5, false), -5);
    }

    #[test]
    fn space_is_never_reserved_on_exfat() {
        assert!(is_reserved(MSDOS_MAGIC, 8 << 20));
        assert!(!is_reserved(EXFAT_MAGIC, 8 << 20) && !is_reserved(EXFAT_MAGIC, 4 << 30));
        assert!(!is_reserved(MSDOS_MAGIC, 700));
    }
}
