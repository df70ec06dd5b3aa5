use std::{
    fs,
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use serde::{Deserialize, Serialize};

/// A process that outlives the call that started it. A pid alone may have been given to another
/// process meanwhile; together with the start time it is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Process {
    pid: i32,
    /// Clock ticks from boot, as in `/proc/PID/stat`.
    started: u64,
}

impl Process {
    /// How long a process may take to end by itself before it is killed.
    const GRACE: Duration = Duration::from_secs(5);

    /// Starts `command` in a process group of its own, away from the terminal, with its output in
    /// the file `log`.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let output = fs::File::create(log)?;
        let program = command.get_program().to_owned();
        let child = command
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0)
            .spawn()
            .with_context(|| program.display().to_string())?;
        let pid = i32::try_from(child.id()).expect("a pid fits");
        // A child that has ended at once is still there as a zombie, with its start time.
        let (_, started) = look_at(pid).context("a process went away as it was started")?;
        Ok(Self { pid, started })
    }

    pub(crate) fn is_running(self) -> bool {
        // Reaped if it is a child of this very call; of no effect otherwise.
        let _ = waitpid(self.raw(), WaitOptions::NOHANG);
        look_at(self.pid).is_some_and(|(state, started)| state != 'Z' && started == self.started)
    }

    /// Ends it, if it still runs, and waits until it is gone.
    pub(crate) fn end(self) -> Result<()> {
        for signal in [Signal::TERM, Signal::KILL] {
            if !self.is_running() {
                return Ok(());
            }
            // It may have gone since.
            let _ = kill_process(self.raw().expect("a pid is positive"), signal);
            let begun = Instant::now();
            while begun.elapsed() < Self::GRACE {
                if !self.is_running() {
                    return Ok(());
                }
                thread::sleep(Duration::from_millis(10));
            }
        }
        bail!("process {} does not end, even when killed", self.pid)
    }

    fn raw(self) -> Option<Pid> {
        Pid::from_raw(self.pid)
    }
}

/// State letter and start time of a process.
fn look_at(pid: i32) -> Option<(char, u64)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in parentheses may hold anything, so what follows is counted from its end.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?.chars().next()?;
    Some((state, fields.nth(18)?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sleeper() -> Process {
        Process::start(Command::new("sleep").arg("600"), Path::new("/dev/null")).unwrap()
    }

    #[test]
    fn ends_what_it_started() {
        let process = sleeper();
        assert!(process.is_running());
        process.end().unwrap();
        assert!(!process.is_running());
    }

    #[test]
    fn a_pid_with_another_start_time_is_somebody_else() {
        let process = sleeper();
        let stranger = Process {
            started: process.started + 1,
            ..process
        };
        assert!(!stranger.is_running());
        stranger.end().unwrap();
        assert!(process.is_running());
        process.end().unwrap();
    }
}
