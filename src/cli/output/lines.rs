use std::io::Write;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionread;

/// Bytes that may lie unread in a pipe before progress is no longer told: the rest is for what
/// matters. A pipe holds 64 KiB.
const UNREAD: u64 = 16 * 1024;

/// Lines for whoever reads them. A job goes on where nobody does any more.
#[derive(Debug)]
pub(in crate::cli) struct Lines<W>(W);

impl<W: Write + AsFd> Lines<W> {
    pub(in crate::cli) fn new(to: W) -> Self {
        Self(to)
    }

    /// A line that has to arrive: waits while a reader is slow.
    pub(in crate::cli) fn say(&mut self, line: &str) {
        self.put(format_args!("{line}\n"));
    }

    /// A question, with room for its answer behind it.
    pub(in crate::cli) fn ask(&mut self, question: &str) {
        self.put(format_args!("{question}"));
    }

    /// Words that the next ones make stale: left out where nobody reads, for a reader who stands
    /// still must not hold up what comes after.
    pub(in crate::cli) fn progress(&mut self, words: &str) {
        if has_room(&self.0) {
            self.put(format_args!("{words}"));
        }
    }

    fn put(&mut self, words: std::fmt::Arguments<'_>) {
        #[expect(
            clippy::let_underscore_must_use,
            reason = "the reader has left, and the stick matters more than its story"
        )]
        let _ = self.0.write_fmt(words).and_then(|()| self.0.flush());
    }
}

/// Whether a few hundred bytes can be written without waiting.
fn has_room(to: &impl AsFd) -> bool {
    let mut asked = [PollFd::new(to, PollFlags::OUT)];
    let at_once = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let can_write = poll(&mut asked, Some(&at_once)).is_ok_and(|ready| ready > 0);
    // Of what is no pipe it tells something else, or nothing.
    can_write && ioctl_fionread(to).is_ok_and(|unread| unread < UNREAD)
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read, Seek};

    use super::*;

    #[test]
    fn progress_that_nobody_reads_is_left_out_and_the_end_arrives() {
        let (reader, writer) = rustix::pipe::pipe().expect("a pipe");
        let mut lines = Lines::new(File::from(writer));
        for number in 0..10_000 {
            lines.progress(&format!("{number} of 10000 MB on the stick\n"));
        }
        lines.say("Safe to unplug.");
        drop(lines);
        let mut told = String::new();
        File::from(reader).read_to_string(&mut told).expect("read");
        assert!(told.starts_with("0 of 10000 MB on the stick\n1 of"));
        assert!(told.ends_with("MB on the stick\nSafe to unplug.\n"));
    }

    #[test]
    fn a_reader_that_has_left_ends_nothing() {
        let (reader, writer) = rustix::pipe::pipe().expect("a pipe");
        let mut lines = Lines::new(File::from(writer));
        drop(reader);
        lines.progress("1 of 2");
        lines.say("Safe to unplug.");
    }

    #[test]
    fn a_file_takes_all() {
        let mut file = tempfile::tempfile().expect("a file");
        let mut lines = Lines::new(file.try_clone().expect("a descriptor"));
        for _ in 0..2_000 {
            lines.progress("0123456789");
        }
        file.rewind().expect("a file can");
        let mut told = String::new();
        file.read_to_string(&mut told).expect("read");
        assert_eq!(told.len(), 20_000);
    }
}
