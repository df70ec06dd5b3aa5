use std::collections::HashMap;

use async_io::block_on;
use zbus::zvariant::Value;

use super::udisks::Udisks;

/// What UDisks2 asks polkit for when a device is opened.
const OPEN_DEVICE: &str = "org.freedesktop.udisks2.open-device";

impl Udisks {
    /// Whether a password opens the way to a device. Where UDisks2 then says that this person is not
    /// authorized, none was given: some agents (lxpolkit) do not tell that their prompt was closed.
    pub(super) fn password_opens(&self) -> bool {
        let asked = block_on(check(&self.connection));
        match asked {
            Ok(is_challenge) => is_challenge,
            Err(error) => {
                tracing::info!(%error, "polkit does not tell what may be done");
                false
            }
        }
    }
}

/// Asks polkit without anybody being asked for a password.
async fn check(connection: &zbus::Connection) -> Result<bool, zbus::Error> {
    let name = connection.unique_name().map_or("", |name| name.as_str());
    let me = (
        "system-bus-name",
        HashMap::from([("name", Value::from(name))]),
    );
    let details = HashMap::<&str, &str>::new();
    let reply = connection
        .call_method(
            Some("org.freedesktop.PolicyKit1"),
            "/org/freedesktop/PolicyKit1/Authority",
            Some("org.freedesktop.PolicyKit1.Authority"),
            "CheckAuthorization",
            &(me, OPEN_DEVICE, details, 0_u32, ""),
        )
        .await?;
    let body = reply.body();
    let (_, is_challenge, _): (bool, bool, HashMap<String, String>) = body.deserialize()?;
    Ok(is_challenge)
}
