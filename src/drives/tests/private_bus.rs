use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;
use zbus::connection::Builder;

/// `SOCKET` stands for where it listens.
const CONFIGURATION: &str = r#"<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path=SOCKET</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"#;

/// A bus of its own, without services that could be started.
pub(super) struct PrivateBus {
    daemon: Child,
    address: String,
    _folder: TempDir,
}

impl PrivateBus {
    pub(super) fn start() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let configuration = folder.path().join("bus.conf");
        let socket = folder.path().join("bus");
        let text = CONFIGURATION.replace("SOCKET", &socket.display().to_string());
        fs::write(&configuration, text).expect("the configuration");
        let mut daemon = Command::new("dbus-daemon")
            .arg("--config-file")
            .arg(&configuration)
            .args(["--nofork", "--print-address"])
            .stdout(Stdio::piped())
            // It complains of limits it may not raise.
            .stderr(Stdio::null())
            .spawn()
            .expect("dbus-daemon (package dbus) should be installed");
        let output = daemon.stdout.take().expect("its output is piped");
        let mut address = String::new();
        BufReader::new(output)
            .read_line(&mut address)
            .expect("its address");
        Self {
            daemon,
            address: address.trim().to_owned(),
            _folder: folder,
        }
    }

    pub(super) fn builder(&self) -> zbus::Result<Builder<'static>> {
        Builder::address(self.address.as_str())
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn connect(&self) -> zbus::Connection {
        async_io::block_on(async { self.builder()?.build().await }).expect("the private bus")
    }
}

impl Drop for PrivateBus {
    fn drop(&mut self) {
        // Gone already or killed now: both are the end.
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}
