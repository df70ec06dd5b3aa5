//! What the build decides; the defaults make a plain `cargo run` work.

use std::path::PathBuf;

/// Whether this is a development build.
pub(super) const IS_DEVEL: bool = match option_env!("STEADY_PROFILE") {
    Some(profile) => matches!(profile.as_bytes(), b"devel"),
    None => false,
};

/// Name on the session bus, of the desktop file and of the icon.
pub(super) const APP_ID: &str = if IS_DEVEL {
    "io.github.steadyusb.Steady.Devel"
} else {
    "io.github.steadyusb.Steady"
};

/// Name of the catalogues of translations.
pub(super) const TEXT_DOMAIN: &str = "steady";

/// Where the translations are: `LANGUAGE/LC_MESSAGES/steady.mo`. `STEADY_LOCALEDIR` decides when
/// the program is built, and when it is run from where it was built.
pub(super) fn locale_dir() -> PathBuf {
    std::env::var_os("STEADY_LOCALEDIR").map_or_else(
        || {
            option_env!("STEADY_LOCALEDIR")
                .unwrap_or("/usr/share/locale")
                .into()
        },
        PathBuf::from,
    )
}
