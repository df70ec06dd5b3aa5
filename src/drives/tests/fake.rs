mod call;

use std::collections::HashMap;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::Duration;

use futures_lite::StreamExt;
use zbus::message::{Header, Type};
use zbus::zvariant::{OwnedObjectPath, OwnedValue, Value};
use zbus::{Message, MessageStream};

use call::Options;

use super::private_bus::PrivateBus;
use super::tree::{MIB, Tree, block_path, path};
use crate::drives::Udisks;
use crate::drives::bus::{NAME, ROOT};
use crate::drives::snapshot::Snapshot;

/// UDisks2 on a private bus: does to its object tree what UDisks2 does, notes the calls, and
/// answers with errors where it is told to.
pub(super) struct Fake {
    state: Arc<Mutex<State>>,
    connection: zbus::Connection,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct State {
    tree: Tree,
    calls: Vec<String>,
    /// Errors (short name, message) for the next calls of a method; `None` lets one through.
    answers: HashMap<String, Vec<Option<(String, String)>>>,
    /// How many times an automounter mounts what was just unmounted.
    automounts: usize,
    /// A method right before which an automounter mounts, and how often.
    automounts_at: (String, usize),
    /// Kinds of file system that there is no tool for.
    without_tool: Vec<String>,
    /// Whether the file systems contradict themselves.
    damaged: bool,
    /// What an exclusive open gives, and the tree from then on.
    opening: Option<(File, Option<Tree>)>,
    /// Where volumes are mounted, where not at the usual place.
    media: Option<PathBuf>,
    /// What it takes to tell what is there.
    look: Duration,
}

impl Fake {
    pub(super) fn start(bus: &PrivateBus, tree: Tree) -> Self {
        let state = Arc::new(Mutex::new(State {
            tree,
            ..State::default()
        }));
        let connection = async_io::block_on(async {
            let connection = bus.builder()?.build().await?;
            let stream = MessageStream::from(&connection);
            connection.request_name(NAME).await?;
            zbus::Result::Ok((connection, stream))
        });
        let (connection, mut stream) = connection.expect("the private bus");
        let thread = std::thread::spawn({
            let (state, connection) = (state.clone(), connection.clone());
            move || {
                async_io::block_on(async {
                    while let Some(Ok(message)) = stream.next().await {
                        if message.message_type() == Type::MethodCall {
                            answer(&connection, &state, &message).await;
                        }
                    }
                });
            }
        });
        Self {
            state,
            connection,
            thread: Some(thread),
        }
    }

    /// The part under test, on this bus.
    pub(super) fn udisks(bus: &PrivateBus) -> Udisks {
        Udisks::on(bus.connect()).expect("the fake should answer")
    }

    /// The next call of `method` fails so.
    pub(super) fn fail(&self, method: &str, name: &str, message: &str) {
        let error = Some((name.to_owned(), message.to_owned()));
        self.answers(method, error);
    }

    /// The next call of `method` (after those told before) is let through.
    pub(super) fn let_through(&self, method: &str) {
        self.answers(method, None);
    }

    fn answers(&self, method: &str, answer: Option<(String, String)>) {
        let mut state = self.lock();
        state
            .answers
            .entry(method.to_owned())
            .or_default()
            .push(answer);
    }

    pub(super) fn automount(&self, times: usize) {
        self.lock().automounts = times;
    }

    /// An automounter mounts right before each of the next calls of `method`.
    pub(super) fn automount_at(&self, method: &str, times: usize) {
        self.lock().automounts_at = (method.to_owned(), times);
    }

    /// Volumes are mounted in this folder, which is really there.
    pub(super) fn mount_below(&self, media: &Path) {
        self.lock().media = Some(media.to_owned());
    }

    /// On a slow computer telling what is there takes so long.
    pub(super) fn take(&self, look: Duration) {
        self.lock().look = look;
    }

    pub(super) fn without_tool(&self, file_system: &str) {
        self.lock().without_tool.push(file_system.to_owned());
    }

    pub(super) fn damage(&self) {
        self.lock().damaged = true;
    }

    /// An open stick is this file; another tree is in place by the time it is open.
    pub(super) fn open_as(&self, file: File, then: Option<Tree>) {
        self.lock().opening = Some((file, then));
    }

    /// Calls that change something, as `Method node arguments`, in order.
    pub(super) fn calls(&self) -> Vec<String> {
        self.lock().calls.clone()
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        self.lock().tree.snapshot()
    }

    /// Puts another tree in place and tells so on the bus.
    pub(super) fn change(&self, tree: Tree) {
        self.lock().tree = tree;
        self.tell("InterfacesAdded");
    }

    /// Puts another tree in place where only properties of `object` differ, and tells so.
    pub(super) fn change_properties(&self, object: &str, tree: Tree) {
        self.lock().tree = tree;
        let changed: HashMap<String, OwnedValue> = HashMap::new();
        let gone: Vec<String> = Vec::new();
        async_io::block_on(self.connection.emit_signal(
            None::<&str>,
            object,
            "org.freedesktop.DBus.Properties",
            "PropertiesChanged",
            &("org.freedesktop.UDisks2.Block", changed, gone),
        ))
        .expect("the bus");
    }

    pub(super) fn tell(&self, member: &str) {
        let interfaces: HashMap<String, HashMap<String, OwnedValue>> = HashMap::new();
        async_io::block_on(self.connection.emit_signal(
            None::<&str>,
            ROOT,
            "org.freedesktop.DBus.ObjectManager",
            member,
            &(path(&block_path("sdb")), interfaces),
        ))
        .expect("the bus");
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test thread panics with it")
    }
}

impl Drop for Fake {
    fn drop(&mut self) {
        // Closing ends the stream, and with it the thread.
        let _ = async_io::block_on(self.connection.clone().close());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn answer(connection: &zbus::Connection, state: &Mutex<State>, message: &Message) {
    let header = message.header();
    let (answer, look) = {
        let mut state = state.lock().expect("no test thread panics with it");
        (state.serve(&header, message), state.look)
    };
    if matches!(answer, Answer::Objects(_)) {
        std::thread::sleep(look);
    }
    // A caller that has left is no fault of the fake.
    let _ = match answer {
        Answer::Objects(tree) => connection.reply(&header, &tree.0).await,
        Answer::Value(value) => connection.reply(&header, &value).await,
        Answer::Text(text) => connection.reply(&header, &text).await,
        Answer::Tool(tool) => connection.reply(&header, &(tool,)).await,
        Answer::Descriptor(descriptor) => connection.reply(&header, &descriptor).await,
        Answer::Whole(whole) => connection.reply(&header, &whole).await,
        Answer::Object(object) => connection.reply(&header, &object).await,
        Answer::Done => connection.reply(&header, &()).await,
        Answer::Error(name, message) => {
            connection
                .reply_error(&header, name.as_str(), &message)
                .await
        }
    };
}

enum Answer {
    Objects(Tree),
    Value(OwnedValue),
    Text(String),
    Object(OwnedObjectPath),
    /// Whether there is a tool, and its name if not.
    Tool((bool, String)),
    Whole(bool),
    Descriptor(zbus::zvariant::OwnedFd),
    Done,
    Error(String, String),
}

impl State {
    fn serve(&mut self, header: &Header<'_>, message: &Message) -> Answer {
        let method = header.member().map(ToString::to_string).unwrap_or_default();
        let object = header.path().map(ToString::to_string).unwrap_or_default();
        let node = object.rsplit('/').next().unwrap_or_default().to_owned();
        let body = message.body();
        match method.as_str() {
            "GetManagedObjects" => return Answer::Objects(self.tree.copy()),
            "Get" => {
                let value = self.mounts(&object).map(|it| Value::from(it).try_into());
                return match value {
                    Some(Ok(value)) => Answer::Value(value),
                    _ => no_such_object(),
                };
            }
            "CanCheck" | "CanRepair" => {
                let kind: String = body.deserialize().expect("its argument");
                return match kind.as_str() {
                    "vfat" | "exfat" | "ext4" => {
                        let there = !self.without_tool.contains(&kind);
                        let name = format!("fsck.{kind}");
                        Answer::Tool((there, if there { String::new() } else { name }))
                    }
                    _ => error(
                        "NotSupported",
                        &format!("Filesystem '{kind}' is not supported."),
                    ),
                };
            }
            _ => self.calls.push(call::written(&method, &node, &body)),
        }
        let told = self.answers.get_mut(&method).filter(|it| !it.is_empty());
        if let Some((name, message)) = told.and_then(|it| it.remove(0)) {
            return Answer::Error(format!("org.freedesktop.UDisks2.Error.{name}"), message);
        }
        self.act(&method, &object, message)
    }

    fn act(&mut self, method: &str, object: &str, message: &Message) -> Answer {
        if !self.tree.0.contains_key(&path(object)) {
            return no_such_object();
        }
        let (before, times) = &mut self.automounts_at;
        if before == method && *times > 0 {
            *times -= 1;
            self.mount(object);
        }
        match method {
            "Mount" => self.mount(object),
            "Unmount" => {
                let mut mounts = self.mounts(object).unwrap_or_default();
                if mounts.is_empty() {
                    return error("NotMounted", "it is not mounted");
                }
                let place = mounts.remove(0);
                if self.automounts > 0 {
                    self.automounts -= 1;
                    mounts.push(place);
                }
                self.set_mounts(object, mounts);
                Answer::Done
            }
            "Format" if !self.tree.snapshot().blocks[object].has_table => {
                self.tree.put(
                    object,
                    "Block",
                    &[("IdType", "".into()), ("IdUsage", "".into())],
                );
                Answer::Done
            }
            "Format" => {
                self.drop_partitions(object);
                self.tree.put(
                    object,
                    "Block",
                    &[("IdType", "".into()), ("IdUsage", "".into())],
                );
                self.tree
                    .put(object, "PartitionTable", &[("Type", "dos".into())]);
                Answer::Done
            }
            "CreatePartition" => {
                let tree = std::mem::take(&mut self.tree);
                self.tree = tree.partition("sdb1", "sdb", 5000, &[]);
                Answer::Object(path(&block_path("sdb1")))
            }
            "Delete" => {
                self.drop_partitions(&block_path("sdb"));
                Answer::Done
            }
            "CreatePartitionAndFormat" => {
                let (offset, _, _, _, _, kind, options) = message
                    .body()
                    .deserialize::<(u64, u64, String, String, Options, String, Options)>()
                    .expect("its arguments");
                let tree = std::mem::take(&mut self.tree);
                self.tree = tree
                    .partition("sdb1", "sdb", offset / MIB, &[])
                    .file_system("sdb1", &kind, &call::label(&options), "NEW", &[]);
                Answer::Object(path(&block_path("sdb1")))
            }
            "OpenDevice" => self.open(object, message),
            "Lock" => self.lock_volume(object),
            "Rescan" => Answer::Done,
            "Check" | "Repair" if self.mounts(object).is_some_and(|it| !it.is_empty()) => {
                // fsck.fat takes what is mounted for writing as not unmounted properly.
                Answer::Whole(false)
            }
            "Check" => Answer::Whole(!self.damaged),
            "Repair" => {
                self.damaged = false;
                Answer::Whole(true)
            }
            "PowerOff" => {
                self.tree = Tree::default();
                Answer::Done
            }
            _ => Answer::Error(
                "org.freedesktop.DBus.Error.UnknownMethod".to_owned(),
                format!("no method {method}"),
            ),
        }
    }

    fn open(&mut self, object: &str, message: &Message) -> Answer {
        let (mode, _): (String, Options) = message.body().deserialize().expect("its arguments");
        let descriptor = |file: File| zbus::zvariant::OwnedFd::from(OwnedFd::from(file));
        if mode == "r" {
            let file = File::open("/dev/null").expect("a descriptor");
            return Answer::Descriptor(descriptor(file));
        }
        let snapshot = self.tree.snapshot();
        let used = snapshot
            .disk_and_partitions(object)
            .iter()
            .any(|(path, block)| block.is_mounted() || snapshot.clear_text_of(path).is_some());
        if used {
            return error("Failed", "Error opening /dev/sdb: Device or resource busy");
        }
        let (file, then) = self.opening.take().expect("told what to open");
        if let Some(tree) = then {
            self.tree = tree;
        }
        Answer::Descriptor(descriptor(file))
    }

    fn lock_volume(&mut self, object: &str) -> Answer {
        let snapshot = self.tree.snapshot();
        match snapshot.clear_text_of(object) {
            None => error("NotUnlocked", "it is not unlocked"),
            Some((_, clear)) if clear.is_mounted() => error("DeviceBusy", "it is mounted"),
            Some((clear, _)) => {
                self.tree.0.remove(&path(clear));
                Answer::Done
            }
        }
    }

    fn mount(&mut self, object: &str) -> Answer {
        let label = self.tree.snapshot().blocks[object].id_label.clone();
        let media = self.media.as_deref();
        let place = media.unwrap_or(Path::new("/run/media/ann")).join(label);
        let place = place.to_string_lossy().into_owned();
        let mut mounts = self.mounts(object).unwrap_or_default();
        if !mounts.is_empty() {
            return error("AlreadyMounted", "it is mounted already");
        }
        mounts.push(super::tree::with_zero(&place));
        self.set_mounts(object, mounts);
        Answer::Text(place)
    }

    fn mounts(&self, object: &str) -> Option<Vec<Vec<u8>>> {
        let interfaces = self.tree.0.get(&path(object))?;
        let value = interfaces
            .get("org.freedesktop.UDisks2.Filesystem")?
            .get("MountPoints")?;
        value.try_clone().ok()?.try_into().ok()
    }

    fn set_mounts(&mut self, object: &str, mounts: Vec<Vec<u8>>) {
        self.tree
            .put(object, "Filesystem", &[("MountPoints", mounts.into())]);
    }

    fn drop_partitions(&mut self, disk: &str) {
        let snapshot = self.tree.snapshot();
        for (object, _) in snapshot.disk_and_partitions(disk) {
            if object != disk {
                self.tree.0.remove(&path(object));
            }
        }
        if let Some(interfaces) = self.tree.0.get_mut(&path(disk)) {
            interfaces.remove("org.freedesktop.UDisks2.Filesystem");
        }
    }
}

impl Tree {
    pub(super) fn copy(&self) -> Self {
        let mut copy = Self::default();
        for (object, interfaces) in &self.0 {
            for (interface, properties) in interfaces {
                let properties: Vec<(&str, Value<'_>)> = properties
                    .iter()
                    .map(|(name, value)| (name.as_str(), value.try_clone().expect("plain").into()))
                    .collect();
                let short = interface.as_str().rsplit('.').next().unwrap_or_default();
                copy.put(object.as_str(), short, &properties);
            }
        }
        copy
    }
}

fn error(name: &str, message: &str) -> Answer {
    Answer::Error(
        format!("org.freedesktop.UDisks2.Error.{name}"),
        message.to_owned(),
    )
}

fn no_such_object() -> Answer {
    Answer::Error(
        "org.freedesktop.DBus.Error.UnknownMethod".to_owned(),
        "Object does not exist at path".to_owned(),
    )
}
