//! Receipts of what was done, kept on this computer.

mod receipt;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use super::private_file;
pub use receipt::{Did, Ended, Receipt};

/// So many receipts are kept; older ones go.
const MOST: usize = 200;
/// So many may gather before the oldest are taken out of the file.
const SLACK: usize = 50;
/// A larger file is none of ours.
const LARGEST: u64 = 4 << 20;

/// The file with the receipts: one line each, the newest last. Blocks: belongs on a worker thread.
#[derive(Debug, Clone)]
pub struct History {
    file: PathBuf,
}

impl History {
    /// `steady/history.jsonl` in the person's folder for data; `None` where there is no such folder.
    pub fn default_place() -> Option<Self> {
        let absolute = |path: PathBuf| path.is_absolute().then_some(path);
        let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from);
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/share"));
        let folder = data
            .and_then(absolute)
            .or_else(|| home().and_then(absolute))?;
        Some(Self::at(folder.join("steady/history.jsonl")))
    }

    /// The receipts in this file.
    pub fn at(file: impl Into<PathBuf>) -> Self {
        Self { file: file.into() }
    }

    /// Adds a receipt, in one write, so that a crash leaves the others as they are.
    pub fn add(&self, receipt: &Receipt) -> io::Result<()> {
        let mut file = private_file::open_to_append(&self.file)?;
        let mut line = Vec::new();
        if !ends_with_a_line(&mut file)? {
            line.push(b'\n');
        }
        serde_json::to_writer(&mut line, receipt)?;
        line.push(b'\n');
        file.write_all(&line)?;
        file.sync_data()?;
        self.shorten()
    }

    /// The receipts, the newest first; none where there is no file. What cannot be read of it is
    /// left out.
    pub fn receipts(&self) -> io::Result<Vec<Receipt>> {
        let mut receipts = match File::open(&self.file) {
            Ok(file) => read(file)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        receipts.reverse();
        receipts.truncate(MOST);
        Ok(receipts)
    }

    /// Forgets all.
    pub fn clear(&self) -> io::Result<()> {
        private_file::remove(&self.file)
    }

    fn shorten(&self) -> io::Result<()> {
        let file = File::open(&self.file)?;
        let is_long = file.metadata()?.len() > LARGEST;
        if !is_long && BufReader::new(&file).split(b'\n').count() <= MOST + SLACK {
            return Ok(());
        }
        let mut kept = self.receipts().unwrap_or_default();
        kept.reverse();
        let mut lines = Vec::new();
        for receipt in &kept {
            serde_json::to_writer(&mut lines, receipt)?;
            lines.push(b'\n');
        }
        private_file::replace(&self.file, &lines)
    }
}

fn read(file: File) -> io::Result<Vec<Receipt>> {
    let mut receipts = Vec::new();
    for line in BufReader::new(file.take(LARGEST)).split(b'\n') {
        // A line that was being written when the power went is none.
        receipts.extend(serde_json::from_slice::<Receipt>(&line?).ok());
    }
    Ok(receipts)
}

/// Whether whatever was written last was written to its end.
fn ends_with_a_line(file: &mut File) -> io::Result<bool> {
    use io::Seek;
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(io::SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};

    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn receipt(files: u64) -> Receipt {
        Receipt {
            ended_at: 1_795_000_000,
            did: Did::Copied,
            stick: "Intenso Rainbow Line".into(),
            what: "film \"one\"\n.mkv".into(),
            files,
            bytes: 429_265_824,
            bytes_per_second: 4_280_000.0,
            checked: true,
            ended: Ended::Done,
        }
    }

    fn history() -> (tempfile::TempDir, History) {
        let folder = tempfile::tempdir().expect("a folder");
        let history = History::at(folder.path().join("steady/history.jsonl"));
        (folder, history)
    }

    fn kept(history: &History) -> Vec<u64> {
        let receipts = history.receipts().expect("receipts");
        receipts.iter().map(|receipt| receipt.files).collect()
    }

    #[test]
    fn the_newest_comes_first_and_only_its_owner_may_read_it() {
        let (_folder, history) = history();
        assert!(kept(&history).is_empty());
        for files in 1..=3 {
            history.add(&receipt(files)).expect("added");
        }
        assert_eq!(history.receipts().expect("receipts")[2], receipt(1));
        assert_eq!(kept(&history), [3, 2, 1]);
        let metadata = fs::metadata(&history.file).expect("a file");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        history.clear().expect("cleared");
        history.clear().expect("cleared twice");
        assert!(!history.file.exists() && kept(&history).is_empty());
    }

    #[test]
    fn a_crash_at_any_byte_costs_one_receipt_at_most() {
        let (_folder, history) = history();
        history.add(&receipt(1)).expect("added");
        let first = fs::read(&history.file).expect("read").len();
        history.add(&receipt(2)).expect("added");
        let whole = fs::read(&history.file).expect("read");
        for length in 0..whole.len() {
            fs::write(&history.file, &whole[..length]).expect("written");
            history.add(&receipt(3)).expect("added");
            let kept = kept(&history);
            assert_eq!(kept[0], 3, "cut at {length}");
            assert_eq!(kept.contains(&1), length + 1 >= first, "cut at {length}");
        }
    }

    #[test]
    fn the_oldest_go_and_the_file_stays_private() {
        let (_folder, history) = history();
        for files in 0..(MOST + SLACK + 5) as u64 {
            history.add(&receipt(files)).expect("added");
        }
        let kept = kept(&history);
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept[0], (MOST + SLACK + 4) as u64);
        let lines = fs::read_to_string(&history.file).expect("read");
        assert!(lines.lines().count() <= MOST + SLACK);
        let metadata = fs::metadata(&history.file).expect("a file");
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn what_is_no_receipt_is_left_out() {
        let (_folder, history) = history();
        history.add(&receipt(1)).expect("added");
        let mut file = OpenOptions::new()
            .append(true)
            .open(&history.file)
            .expect("open");
        file.write_all(b"{\"ended_at\":1}\n\xff\xfe\n[]\n\n")
            .expect("written");
        history.add(&receipt(2)).expect("added");
        assert_eq!(kept(&history), [2, 1]);
    }
}
