use std::{
    fs::File,
    hash::{BuildHasher, RandomState},
    io::{BufReader, ErrorKind, Read, Write},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
use qapi::{
    Command, ExecuteError, Qga, Stream,
    qga::{self, GuestExecCaptureOutput, GuestExecCaptureOutputMode},
};

/// What a command in the guest has left.
#[derive(Clone, Debug)]
pub struct Output {
    /// The exit code; 128 and the signal's number if a signal ended it, as shells have it.
    pub code: i32,
    /// At most 16 MiB of each, more is cut off by the guest agent.
    pub stdout: Vec<u8>,
    /// See `stdout`.
    pub stderr: Vec<u8>,
}

impl Output {
    /// The standard output as text, without the line end at its end.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end().to_owned()
    }

    /// This output if the exit code is 0, otherwise an error with what was said.
    pub fn success(self) -> Result<Self> {
        anyhow::ensure!(
            self.code == 0,
            "exit code {} in the guest: {}{}",
            self.code,
            String::from_utf8_lossy(&self.stderr),
            String::from_utf8_lossy(&self.stdout)
        );
        Ok(self)
    }
}

/// The guest agent: root's hands in the guest.
///
/// Its port serves one connection after the other, so a connection is kept for one exchange only;
/// a long command leaves the port to others while it runs.
pub(crate) struct Agent {
    state: PathBuf,
    qga: Qga<Stream<BufReader<UnixStream>, UnixStream>>,
}

impl Agent {
    const PATIENCE: Duration = Duration::from_mins(1);
    const CHUNK: usize = 1 << 20;
    /// Commands that end at once are told at once; long ones need not be asked after often.
    const POLL: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(500));

    pub(crate) fn connect(state: &Path) -> Result<Self> {
        let stream = UnixStream::connect(state.join("agent")).context("the lab is not up")?;
        stream.set_read_timeout(Some(Self::PATIENCE))?;
        let mut qga = Qga::new(Stream::new(BufReader::new(stream.try_clone()?), stream));
        // Answers to an earlier connection that nobody has read are passed over.
        let id = i64::from(RandomState::new().hash_one(0_u8) as u32);
        qga.write_command(&qga::guest_sync { id })?;
        loop {
            match qga.read_response::<qga::guest_sync>() {
                Ok(answer) if answer == id => break,
                Ok(_) | Err(ExecuteError::Qapi(_)) => {}
                Err(ExecuteError::Io(error)) if error.kind() == ErrorKind::InvalidData => {}
                Err(error) => return Err(error).context("the guest agent does not answer"),
            }
        }
        Ok(Self {
            state: state.to_owned(),
            qga,
        })
    }

    pub(crate) fn set_time(&mut self, since_1970: Duration) -> Result<()> {
        let time = Some(i64::try_from(since_1970.as_nanos())?);
        self.execute(&qga::guest_set_time { time }).map(drop)
    }

    /// Runs a command as root, outside any session.
    pub(crate) fn run<S: AsRef<str>>(mut self, command: &[S]) -> Result<Output> {
        let (program, arguments) = command.split_first().context("no command")?;
        let started = self.execute(&qga::guest_exec {
            path: program.as_ref().to_owned(),
            arg: Some(arguments.iter().map(|a| a.as_ref().to_owned()).collect()),
            env: None,
            input_data: None,
            capture_output: Some(GuestExecCaptureOutput::mode(
                GuestExecCaptureOutputMode::separated,
            )),
        })?;
        let Self { state, qga } = self;
        drop(qga);
        let mut pause = Self::POLL.0;
        loop {
            thread::sleep(pause);
            pause = (pause * 2).min(Self::POLL.1);
            let status =
                Self::connect(&state)?.execute(&qga::guest_exec_status { pid: started.pid })?;
            if status.exited {
                let signal = status.signal.map_or(0, |signal| 128 + signal);
                return Ok(Output {
                    code: i32::try_from(status.exitcode.unwrap_or(signal))?,
                    stdout: status.out_data.unwrap_or_default(),
                    stderr: status.err_data.unwrap_or_default(),
                });
            }
        }
    }

    /// Writes a file of the guest, as root.
    pub(crate) fn put(&mut self, mut from: impl Read, to: &str) -> Result<()> {
        let handle = self.open(to, "w")?;
        let mut chunk = vec![0; Self::CHUNK];
        loop {
            let read = from.read(&mut chunk)?;
            if read == 0 {
                break;
            }
            let mut rest = &chunk[..read];
            while !rest.is_empty() {
                let buf_b64 = rest.to_vec();
                let written = self.execute(&qga::guest_file_write {
                    count: None,
                    handle,
                    buf_b64,
                })?;
                rest = &rest[usize::try_from(written.count)?..];
            }
        }
        self.execute(&qga::guest_file_close { handle }).map(drop)
    }

    /// Reads a file of the guest.
    pub(crate) fn get(&mut self, from: &str, to: &Path) -> Result<()> {
        let handle = self.open(from, "r")?;
        let mut file = File::create(to).with_context(|| to.display().to_string())?;
        let count = Some(i64::try_from(Self::CHUNK)?);
        loop {
            let read = self.execute(&qga::guest_file_read { count, handle })?;
            file.write_all(&read.buf_b64)?;
            if read.eof {
                break;
            }
        }
        self.execute(&qga::guest_file_close { handle }).map(drop)
    }

    fn open(&mut self, path: &str, mode: &str) -> Result<i64> {
        self.execute(&qga::guest_file_open {
            mode: Some(mode.to_owned()),
            path: path.to_owned(),
        })
    }

    fn execute<C: Command>(&mut self, command: &C) -> Result<C::Ok> {
        self.qga.execute(command).with_context(|| C::NAME)
    }
}
