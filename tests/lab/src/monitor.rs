use std::{
    io::BufReader,
    os::unix::net::UnixStream,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};
use qapi::{
    Command, Qmp, Stream,
    qmp::{self, BlockdevOptions, Event},
};
use serde_json::{Value, json};

/// QEMU's monitor (QMP).
pub(crate) struct Monitor(Qmp<Stream<BufReader<UnixStream>, UnixStream>>);

impl Monitor {
    /// Saving a desktop is the slowest that is ever asked for; five times what it takes.
    const PATIENCE: Duration = Duration::from_mins(2);

    pub(crate) fn connect(state: &Path) -> Result<Self> {
        let stream = UnixStream::connect(state.join("monitor")).context("the lab is not up")?;
        stream.set_read_timeout(Some(Self::PATIENCE))?;
        let mut qmp = Qmp::new(Stream::new(BufReader::new(stream.try_clone()?), stream));
        qmp.handshake()?;
        Ok(Self(qmp))
    }

    /// A command of the human monitor, for those few that have no twin in QMP. They say nothing
    /// or OK when they succeed.
    pub(crate) fn human(&mut self, line: &str) -> Result<()> {
        let said = self.execute(&qmp::human_monitor_command {
            cpu_index: None,
            command_line: line.to_owned(),
        })?;
        ensure!(matches!(said.trim(), "" | "OK"), "{line}: {}", said.trim());
        Ok(())
    }

    /// Makes a block node from its options as QMP takes them.
    pub(crate) fn add_node(&mut self, options: Value) -> Result<()> {
        let options: BlockdevOptions = serde_json::from_value(options)?;
        self.execute(&qmp::blockdev_add(options)).map(drop)
    }

    pub(crate) fn remove_node(&mut self, name: &str) -> Result<()> {
        let node_name = name.to_owned();
        self.execute(&qmp::blockdev_del { node_name }).map(drop)
    }

    /// Plugs a device in. `properties` are those of the driver.
    pub(crate) fn add_device(
        &mut self,
        driver: &str,
        bus: &str,
        id: &str,
        properties: Value,
    ) -> Result<()> {
        let Value::Object(arguments) = properties else {
            unreachable!("properties are an object");
        };
        self.execute(&qmp::device_add {
            driver: driver.to_owned(),
            bus: Some(bus.to_owned()),
            id: Some(id.to_owned()),
            arguments: arguments.into_iter().collect(),
        })
        .map(drop)
    }

    /// Lets the guest see a USB device that was added unattached.
    pub(crate) fn attach(&mut self, id: &str) -> Result<()> {
        self.execute(&qmp::qom_set {
            path: format!("/machine/peripheral/{id}"),
            property: "attached".to_owned(),
            value: Value::Bool(true),
        })
        .map(drop)
    }

    /// Unplugs a device and waits until it is gone.
    pub(crate) fn remove_device(&mut self, id: &str) -> Result<()> {
        self.execute(&qmp::device_del { id: id.to_owned() })?;
        let begun = Instant::now();
        loop {
            let gone = self.0.events().any(|event| {
                matches!(event, Event::DEVICE_DELETED { data, .. } if data.device.as_deref() == Some(id))
            });
            if gone {
                return Ok(());
            }
            ensure!(
                begun.elapsed() < Self::PATIENCE,
                "{id} is not let go by the guest"
            );
            thread::sleep(Duration::from_millis(10));
            self.0.nop()?;
        }
    }

    /// Takes the medium out of a device that has a slot for one.
    pub(crate) fn take_medium(&mut self, id: &str) -> Result<()> {
        let open = json!({ "id": id, "force": true });
        self.execute::<qmp::blockdev_open_tray>(&serde_json::from_value(open)?)?;
        let id = id.to_owned();
        self.execute(&qmp::blockdev_remove_medium { id }).map(drop)
    }

    /// Puts a block node into the empty slot of a device.
    pub(crate) fn put_medium(&mut self, id: &str, node: &str) -> Result<()> {
        self.execute(&qmp::blockdev_insert_medium {
            id: id.to_owned(),
            node_name: node.to_owned(),
        })?;
        let close = json!({ "id": id });
        self.execute::<qmp::blockdev_close_tray>(&serde_json::from_value(close)?)
            .map(drop)
    }

    pub(crate) fn has_device(&mut self, id: &str) -> Result<bool> {
        let path = "/machine/peripheral".to_owned();
        let devices = self.execute(&qmp::qom_list { path })?;
        Ok(devices.iter().any(|device| device.name == id))
    }

    pub(crate) fn has_node(&mut self, name: &str) -> Result<bool> {
        let nodes = self.execute(&qmp::query_named_block_nodes { flat: Some(true) })?;
        Ok(nodes
            .iter()
            .any(|node| node.node_name.as_deref() == Some(name)))
    }

    fn execute<C: Command>(&mut self, command: &C) -> Result<C::Ok> {
        self.0.execute(command).with_context(|| C::NAME)
    }
}
