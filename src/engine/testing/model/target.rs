//! The model as the writer uses it.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::io::Errno;

use super::state::{File, State, key};
use super::{Call, Model, ModelPin, ModelReader};
use crate::engine::copy::parts;
use crate::engine::fill;
use crate::engine::plan::Existing;
use crate::engine::target::Target;

impl State {
    /// Of what gets a name of its own.
    fn assert_ready(&self, id: usize) {
        let file = &self.files[id];
        assert!(file.is_durable, "a checkpoint comes before the name");
        assert!(!file.is_open, "closed before it is named");
    }
}

impl Target for Model {
    type File = usize;
    type Reader = ModelReader;
    type Pin = ModelPin;

    fn make_folder(&self, path: &Path) -> io::Result<()> {
        self.call(Call::MakeFolder)?;
        if self.state.borrow().id_of(path).is_some() {
            return Err(Errno::EXIST.into());
        }
        self.state.borrow_mut().folders.insert(path.to_path_buf());
        Ok(())
    }

    fn take_parts_folder(&self, path: &Path) -> io::Result<()> {
        self.call(Call::TakeParts)?;
        self.state.borrow_mut().folders.insert(path.to_path_buf());
        Ok(())
    }

    fn create(&self, path: &Path, _size: u64) -> io::Result<usize> {
        assert!(
            path.starts_with(parts::FOLDER) || path.starts_with(fill::FOLDER),
            "only temporary names are created: {path:?}"
        );
        self.call(Call::Create)?;
        let mut state = self.state.borrow_mut();
        assert!(state.id_of(path).is_none());
        let id = state.add_file(File {
            is_open: true,
            ..File::default()
        });
        state.add_name(path, id);
        assert!(
            state.files.iter().filter(|file| file.is_open).count() <= 256,
            "too many are open"
        );
        Ok(id)
    }

    fn write_at(&self, file: &usize, offset: u64, bytes: &[u8]) -> io::Result<()> {
        assert!(
            !bytes.is_empty() && bytes.len() <= 512 << 10,
            "a write of {}",
            bytes.len()
        );
        assert_eq!(offset % 4096, 0, "no page is written twice");
        self.call(Call::Write)?;
        let mut state = self.state.borrow_mut();
        let length = bytes.len() as u64;
        // To memory, at 1 GB/s.
        state.now += Duration::from_nanos(length);
        let written = &mut state.files[*file];
        assert!(written.is_open);
        assert_eq!(
            offset,
            written.bytes.len() as u64,
            "files are written in order"
        );
        written.bytes.extend_from_slice(bytes);
        written.ranges.push_back((offset, length, None));
        written.is_durable = false;
        state.unconfirmed += length;
        state.peak_unconfirmed = state.peak_unconfirmed.max(state.unconfirmed);
        let bound = ((2.1 * self.pace.rate) as u64).clamp(1 << 20, 32 << 20);
        assert!(
            state.unconfirmed <= bound,
            "{} bytes are unconfirmed",
            state.unconfirmed
        );
        Ok(())
    }

    fn start_write_out(&self, file: &usize, offset: u64, length: u64) -> io::Result<()> {
        self.call(Call::StartWriteOut)?;
        let mut state = self.state.borrow_mut();
        for range in 0..state.files[*file].ranges.len() {
            let (from, bytes, started) = state.files[*file].ranges[range];
            if from >= offset && from < offset + length && started.is_none() {
                let at = state.take(self.pace, bytes);
                state.files[*file].ranges[range].2 = Some(at);
            }
        }
        Ok(())
    }

    fn wait_write_out(&self, file: &usize, offset: u64, length: u64) -> io::Result<()> {
        self.call(Call::WaitWriteOut)?;
        let mut state = self.state.borrow_mut();
        let mut end = offset;
        while let Some(&(from, bytes, started)) = state.files[*file].ranges.front() {
            if from >= offset + length {
                break;
            }
            assert_eq!(from, end, "ranges are awaited in order");
            let at = started.expect("a write-out is started before it is awaited");
            state.now = state.now.max(at);
            end += bytes;
            state.unconfirmed -= bytes;
            state.confirmed += bytes;
            state.files[*file].ranges.pop_front();
        }
        assert_eq!(end, offset + length);
        Ok(())
    }

    fn drop_cache(&self, file: &usize, offset: u64, length: u64) {
        let state = self.state.borrow();
        let ranges = &state.files[*file].ranges;
        assert!(
            ranges.iter().all(|(from, ..)| *from >= offset + length),
            "it is not confirmed"
        );
    }

    fn set_modified(&self, file: &usize, modified: SystemTime) {
        let file = &mut self.state.borrow_mut().files[*file];
        assert!(file.is_open);
        file.modified = Some(modified);
    }

    fn close(&self, files: Vec<usize>) -> io::Result<()> {
        assert!(!files.is_empty());
        self.call(Call::Close)?;
        let mut state = self.state.borrow_mut();
        for file in files {
            assert!(
                state.files[file].ranges.is_empty(),
                "closed before it was confirmed"
            );
            state.files[file].is_open = false;
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(Call::Rename)?;
        let mut state = self.state.borrow_mut();
        if state.existing(to).is_some() {
            return Err(Errno::EXIST.into());
        }
        let id = state.id_of(from).expect("what is renamed is there");
        state.assert_ready(id);
        state.add_name(to, id);
        state.remove_name(from);
        state.order.push(to.to_path_buf());
        Ok(())
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.call(Call::Replace)?;
        let mut state = self.state.borrow_mut();
        let id = state.id_of(from).expect("what is renamed is there");
        state.assert_ready(id);
        let old = state.id_of(to).expect("what is replaced is there");
        state.set_name(to, id);
        state.remove_name(from);
        state.unlink(old);
        state.order.push(to.to_path_buf());
        Ok(())
    }

    fn pin(&self, path: &Path) -> io::Result<(ModelPin, Existing)> {
        self.call(Call::Pin)?;
        let state = self.state.borrow();
        let id = match (state.id_of(path), state.existing(path)) {
            (Some(id), _) => id,
            (None, Some(_)) => return Err(Errno::ISDIR.into()),
            (None, None) => return Err(Errno::NOENT.into()),
        };
        let existing = state.files[id].existing();
        drop(state);
        Ok((
            ModelPin::new(&self.state, id, self.pins_hold.get()),
            existing,
        ))
    }

    fn list(&self, folder: &Path, tell: &mut dyn FnMut(PathBuf, Existing)) -> io::Result<()> {
        self.call(Call::List)?;
        let state = self.state.borrow();
        // Folders have one name, in whatever letter case.
        let inside = |path: &Path| path.parent().map(key) == Some(key(folder));
        for (name, id) in state.names.values().filter(|(name, _)| inside(name)) {
            tell(name.clone(), state.files[*id].existing());
        }
        for name in state.folders.iter().filter(|name| inside(name)) {
            tell(name.clone(), Existing::Folder);
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let created = self.calls.borrow().contains(&Call::Create);
        assert!(
            path.starts_with(parts::FOLDER) || path.starts_with(fill::FOLDER) || !created,
            "only temporary names are removed once writing has begun: {path:?}"
        );
        self.call(Call::Remove)?;
        let mut state = self.state.borrow_mut();
        let id = state.remove_name(path).ok_or(Errno::NOENT)?;
        state.files[id].is_open = false;
        state.unlink(id);
        Ok(())
    }

    fn remove_folder(&self, path: &Path) -> io::Result<()> {
        self.call(Call::RemoveFolder)?;
        let mut state = self.state.borrow_mut();
        if state.names.values().any(|(name, _)| name.starts_with(path)) {
            return Err(Errno::NOTEMPTY.into());
        }
        state.folders.remove(path);
        Ok(())
    }

    fn checkpoint(&self) -> io::Result<()> {
        self.call(Call::Checkpoint)?;
        let mut state = self.state.borrow_mut();
        self.rest(&mut state);
        state.flushed = state.confirmed;
        for file in &mut state.files {
            file.is_durable = true;
        }
        state.medium.flush();
        drop(state);
        let content = self.content();
        self.state.borrow_mut().durable = content;
        Ok(())
    }

    fn flush_device(&self) -> io::Result<()> {
        self.call(Call::FlushDevice)?;
        self.rest(&mut self.state.borrow_mut());
        Ok(())
    }

    fn open_read_back(&self, path: &Path) -> io::Result<ModelReader> {
        self.call(Call::OpenReadBack)?;
        let state = self.state.borrow();
        let id = state.id_of(path).ok_or(Errno::NOENT)?;
        Ok(ModelReader {
            bytes: state.files[id].content(),
            offset: 0,
        })
    }

    fn is_gone(&self) -> bool {
        self.state.borrow().gone
    }

    fn now(&self) -> Duration {
        self.state.borrow().now
    }

    fn pause(&self, time: Duration) {
        self.state.borrow_mut().now += time;
    }
}
