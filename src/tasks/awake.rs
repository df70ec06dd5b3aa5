use std::os::fd::OwnedFd;
use std::time::Duration;

use async_io::{Timer, block_on};
use futures_lite::FutureExt;
use zbus::zvariant;

/// A login service that does not answer must not hold up the job.
const PATIENCE: Duration = Duration::from_secs(3);

/// Keeps the computer from sleeping and from being switched off, for as long as it lives: either
/// would leave the stick half-written. In a sandbox the login service cannot be reached; there
/// the desktop is asked instead, by the window.
#[derive(Debug)]
pub(super) struct Awake {
    /// Closing it is what releases the computer.
    _held: Option<OwnedFd>,
}

impl Awake {
    pub(super) fn hold() -> Self {
        let asked = async {
            let connection = zbus::Connection::system().await?;
            inhibit(&connection).await
        };
        let late = async {
            Timer::after(PATIENCE).await;
            Err(zbus::Error::Failure("no answer".into()))
        };
        let held = block_on(asked.or(late));
        if let Err(error) = &held {
            tracing::info!(%error, "nothing keeps the computer awake");
        }
        Self { _held: held.ok() }
    }
}

async fn inhibit(connection: &zbus::Connection) -> Result<OwnedFd, zbus::Error> {
    let (what, mode) = ("sleep:shutdown", "block");
    let reply = connection
        .call_method(
            Some("org.freedesktop.login1"),
            "/org/freedesktop/login1",
            Some("org.freedesktop.login1.Manager"),
            "Inhibit",
            &(what, "Steady", "A stick is being written", mode),
        )
        .await?;
    let body = reply.body();
    Ok(body.deserialize::<zvariant::OwnedFd>()?.into())
}
