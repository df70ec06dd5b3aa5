use std::time::Instant;

use serde::Serialize;
use zbus::fdo::ManagedObjects;
use zbus::message::Body;
use zbus::zvariant::DynamicType;

use super::bus_error;
use super::list::list;
use super::machine::Machine;
use super::snapshot::Snapshot;
use super::{Drive, Error};

/// UDisks2's name on the bus.
pub(super) const NAME: &str = "org.freedesktop.UDisks2";
/// Its root object, the object manager.
pub(super) const ROOT: &str = "/org/freedesktop/UDisks2";
/// The object that answers for the daemon as a whole.
pub(super) const MANAGER: &str = "/org/freedesktop/UDisks2/Manager";

/// One method call to UDisks2 with no limit of time: it may wait for a password or a slow stick.
/// Its own proxies would drop the daemon's words.
pub(super) async fn call<B: Serialize + DynamicType>(
    connection: &zbus::Connection,
    object: &str,
    interface: &str,
    method: &'static str,
    body: &B,
) -> Result<Body, zbus::Error> {
    let begun = Instant::now();
    let reply = connection
        .call_method(Some(NAME), object, Some(interface), method, body)
        .await;
    let (milliseconds, well) = (begun.elapsed().as_millis(), reply.is_ok());
    tracing::debug!(method, object, milliseconds, well, "asked UDisks2");
    Ok(reply?.body())
}

/// Everything that UDisks2 tells now. Starts it where the bus can.
pub(super) async fn snapshot(connection: &zbus::Connection) -> Result<Snapshot, Error> {
    let answer = async {
        let body = call(
            connection,
            ROOT,
            "org.freedesktop.DBus.ObjectManager",
            "GetManagedObjects",
            &(),
        )
        .await?;
        body.deserialize::<ManagedObjects>()
    };
    match answer.await {
        Ok(objects) => Ok(Snapshot::new(&objects)),
        // Without its root object UDisks2 is only just starting, or not UDisks2.
        Err(error) => match bus_error::sort("GetManagedObjects", NAME, &error) {
            Error::Gone(_) => Err(Error::NoUdisks(error.to_string())),
            error => Err(error),
        },
    }
}

/// The rows of the list now.
pub(super) async fn drives(connection: &zbus::Connection) -> Result<Vec<Drive>, Error> {
    let snapshot = snapshot(connection).await?;
    Ok(list(&snapshot, &Machine::read(&snapshot)))
}
