use std::time::Duration;

use async_channel::{Receiver, Sender};
use async_io::Timer;
use futures_lite::{FutureExt, StreamExt, future, stream};
use zbus::connection::Builder;
use zbus::message::Type;
use zbus::{MatchRule, MessageStream};

use super::bus::{self, NAME, ROOT};
use super::{Drive, Error};

/// Changes that come this close together make one update.
const TOGETHER: Duration = Duration::from_millis(100);
/// After a crash nobody else may start UDisks2 again.
const START_AGAIN: Duration = Duration::from_secs(3);
/// Between two tries while there is no bus at all.
const NO_BUS: Duration = Duration::from_secs(5);

const OWNER_CHANGED: &str = "NameOwnerChanged";

type Update = Result<Vec<Drive>, Error>;

/// The list of all drives, now and whenever it changes, from a thread of its own that ends when
/// the receiver is dropped.
///
/// While UDisks2 is not there one `Err` comes instead; the list comes again when it is back.
pub fn watch() -> Receiver<Update> {
    start(Builder::system)
}

/// Like [`watch`], on the bus that `bus` names.
pub(super) fn start(
    bus: impl Fn() -> zbus::Result<Builder<'static>> + Send + 'static,
) -> Receiver<Update> {
    let (updates, receiver) = async_channel::unbounded();
    let watcher = Watcher {
        updates: updates.clone(),
        last: None,
    };
    let thread = std::thread::Builder::new()
        .name("drives-watch".to_owned())
        .spawn(move || async_io::block_on(watcher.run(bus)));
    if let Err(error) = thread {
        #[expect(
            clippy::let_underscore_must_use,
            reason = "the receiver is ours: it cannot be full or closed"
        )]
        let _ = updates.try_send(Err(Error::NoUdisks(error.to_string())));
    }
    receiver
}

/// What a signal means.
enum Change {
    /// Something about the drives.
    Drives,
    /// UDisks2 has come to the bus.
    Came,
    /// UDisks2 has left the bus.
    Left,
}

struct Watcher {
    updates: Sender<Update>,
    /// What was told last.
    last: Option<Result<Vec<Drive>, ()>>,
}

impl Watcher {
    async fn run(mut self, bus: impl Fn() -> zbus::Result<Builder<'static>>) {
        let updates = self.updates.clone();
        let watching = async {
            loop {
                let error = match connect(&bus).await {
                    Ok((connection, changes)) => self.follow(&connection, changes).await,
                    Err(error) => error,
                };
                self.tell(Err(Error::NoUdisks(error.to_string())));
                Timer::after(NO_BUS).await;
            }
        };
        watching.or(updates.closed()).await;
    }

    /// Until the connection breaks.
    async fn follow(&mut self, connection: &zbus::Connection, mut signals: Signals) -> zbus::Error {
        // Signals are taken off the connection while a call waits for its answer: a full queue
        // would hold up the answer too.
        let (sender, changes) = async_channel::unbounded();
        let reading = async {
            while let Some(signal) = signals.next().await {
                match signal {
                    Ok(message) => {
                        #[expect(
                            clippy::let_underscore_must_use,
                            reason = "whoever takes the changes waits for them in this same future"
                        )]
                        let _ = sender.try_send(meaning(&message));
                    }
                    Err(error) => return error,
                }
            }
            zbus::Error::Failure("the bus has closed the connection".to_owned())
        };
        let telling = async {
            self.tell(bus::drives(connection).await);
            loop {
                self.next(connection, &changes).await;
            }
        };
        reading.or(telling).await
    }

    /// Waits for a change and tells the list after it.
    async fn next(&mut self, connection: &zbus::Connection, changes: &Receiver<Change>) {
        let Ok(mut change) = changes.recv().await else {
            return future::pending().await;
        };
        if !matches!(change, Change::Left) {
            Timer::after(TOGETHER).await;
        }
        while let Ok(later) = changes.try_recv() {
            change = match (change, later) {
                // Signals that were still under way after it had left.
                (Change::Left, Change::Drives) => Change::Left,
                (_, later) => later,
            };
        }
        if matches!(change, Change::Left) {
            self.tell(Err(Error::NoUdisks(format!("{NAME} has left the bus"))));
            // A call would start it again at once, against who is just stopping it.
            let back =
                async { while let Ok(Change::Drives | Change::Left) = changes.recv().await {} };
            let waited = async {
                Timer::after(START_AGAIN).await;
            };
            back.or(waited).await;
        }
        self.tell(bus::drives(connection).await);
    }

    /// Sends an update unless it says what the last one said.
    fn tell(&mut self, update: Update) {
        let told = update.as_ref().map_err(|_| ()).cloned();
        if self.last.as_ref() != Some(&told) {
            self.last = Some(told);
            #[expect(
                clippy::let_underscore_must_use,
                reason = "closed: the thread is about to end"
            )]
            let _ = self.updates.try_send(update);
        }
    }
}

type Signals = futures_lite::stream::Or<MessageStream, MessageStream>;

/// A connection of its own with exactly two match rules: what UDisks2 tells, and whether it is
/// there.
async fn connect(
    bus: impl Fn() -> zbus::Result<Builder<'static>>,
) -> zbus::Result<(zbus::Connection, Signals)> {
    let connection = bus()?.build().await?;
    let of_udisks = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender(NAME)?
        .path_namespace(ROOT)?
        .build();
    let of_bus = MatchRule::builder()
        .msg_type(Type::Signal)
        .sender("org.freedesktop.DBus")?
        .interface("org.freedesktop.DBus")?
        .member(OWNER_CHANGED)?
        .arg(0, NAME)?
        .build();
    // The first look comes after both, so that no change falls between.
    let of_bus = MessageStream::for_match_rule(of_bus, &connection, None).await?;
    let of_udisks = MessageStream::for_match_rule(of_udisks, &connection, None).await?;
    Ok((connection, stream::or(of_bus, of_udisks)))
}

fn meaning(signal: &zbus::Message) -> Change {
    let header = signal.header();
    if header
        .member()
        .is_none_or(|it| it.as_str() != OWNER_CHANGED)
    {
        return Change::Drives;
    }
    match signal.body().deserialize::<(&str, &str, &str)>() {
        Ok((_, _, "")) => Change::Left,
        _ => Change::Came,
    }
}
