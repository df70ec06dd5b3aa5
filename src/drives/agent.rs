use std::io::Read;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, getpid, kill_process};

/// polkit's own agent for the terminal, which asks for the password that UDisks2 wants.
///
/// It is what `udisksctl` and `systemctl` show, and the password never passes through here. It
/// steps back where the desktop has an agent. Dropped, it ends, and the terminal echoes again.
#[derive(Debug)]
pub struct TextAgent {
    process: Child,
}

impl TextAgent {
    /// Starts it for this process and waits until polkit knows of it; `None` where it cannot be
    /// had, and then [`Error::NoAgent`](super::Error::NoAgent) comes from where it was needed.
    ///
    /// Only where there is a terminal, and before the first call that may ask.
    pub fn start() -> Option<Self> {
        Self::spawn(Command::new("pkttyagent"))
    }

    fn spawn(mut command: Command) -> Option<Self> {
        let started = command
            .args(["--fallback", "--notify-fd", "1", "--process"])
            .arg(getpid().as_raw_nonzero().to_string())
            // It talks to the terminal itself; its output only tells when it is ready.
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn();
        let mut agent = match started {
            Ok(process) => Self { process },
            Err(error) => {
                tracing::info!(%error, "no agent that asks for passwords");
                return None;
            }
        };
        let output = agent.process.stdout.take();
        let closed = output.map(|mut output| output.read_to_end(&mut Vec::new()));
        match (closed, agent.process.try_wait()) {
            (Some(Ok(_)), Ok(None)) => Some(agent),
            (_, ended) => {
                tracing::info!(?ended, "the agent that asks for passwords did not start");
                None
            }
        }
    }
}

impl Drop for TextAgent {
    fn drop(&mut self) {
        // Asked to end, not killed: it has to turn the terminal's echo on again.
        if let Some(process) = Pid::from_raw(self.process.id().cast_signed()) {
            #[expect(
                clippy::let_underscore_must_use,
                reason = "it may have ended with the terminal's Ctrl+C"
            )]
            let _ = kill_process(process, Signal::TERM);
        }
        #[expect(clippy::let_underscore_must_use, reason = "it has ended in any case")]
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    /// Stands for the agent: a shell script that knows its own folder.
    fn script(folder: &Path, text: &str) -> Command {
        let path = folder.join("agent");
        fs::write(&path, text).expect("a file");
        let mut command = Command::new("sh");
        command.arg(path).env("FOLDER", folder);
        command
    }

    #[test]
    fn it_asks_for_this_process_and_ends_gently() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let agent = TextAgent::spawn(script(
            folder.path(),
            r#"trap 'echo gently >"$FOLDER/end"; exit' TERM
            echo "$@" >"$FOLDER/arguments"
            exec 1>&-
            while :; do sleep 0.02; done"#,
        ));
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        let agent = agent.expect("it is ready");
        let arguments = format!(
            "--fallback --notify-fd 1 --process {}\n",
            std::process::id()
        );
        assert_eq!(read("arguments"), arguments);
        assert_eq!(read("end"), "");
        drop(agent);
        assert_eq!(read("end"), "gently\n");
    }

    #[test]
    fn without_one_that_is_said() {
        assert!(TextAgent::spawn(Command::new("/no/such/agent")).is_none());
        // polkit does not answer: it ends at once.
        let folder = tempfile::tempdir().expect("a temporary folder");
        let refused = script(folder.path(), "exec 1>&-; exit 1");
        if let Some(mut agent) = TextAgent::spawn(refused) {
            // Its end may come a moment after its output's.
            let status = agent.process.wait().expect("its end");
            assert_eq!(status.code(), Some(1));
        }
    }
}
