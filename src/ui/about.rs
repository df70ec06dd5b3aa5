//! Who made this, from the description that software centres show too.

use std::sync::Once;

use gettextrs::gettext;
use gtk::{gio, glib};

use super::config;

const METAINFO: &str = "/io/github/steadyusb/Steady/io.github.steadyusb.Steady.metainfo.xml";

/// The dialog.
pub(super) fn about_dialog() -> adw::AboutDialog {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(|| {
        let data = include_bytes!(concat!(env!("OUT_DIR"), "/steady.gresource"));
        let resource = gio::Resource::from_data(&glib::Bytes::from_static(data));
        gio::resources_register(&resource.expect("the program's own resource should be valid"));
    });
    let dialog = adw::AboutDialog::from_appdata(METAINFO, None);
    dialog.set_application_icon(config::APP_ID);
    dialog.set_version(env!("CARGO_PKG_VERSION"));
    // Translators: your name, and those of others who translated, one a line
    let translators = gettext("translator-credits");
    if translators != "translator-credits" {
        dialog.set_translator_credits(&translators);
    }
    dialog
}

#[cfg(test)]
mod tests {
    use super::*;

    #[gtk::test]
    fn it_says_what_the_software_centre_says() {
        adw::init().expect("libadwaita should start on a display");
        let dialog = about_dialog();
        assert_eq!(dialog.application_name(), "Steady");
        assert_eq!(dialog.developer_name(), "The Steady contributors");
        assert_eq!(dialog.license_type(), gtk::License::Gpl30);
        assert!(dialog.website().contains("steady"));
        assert!(dialog.issue_url().contains("issues"));
        assert_eq!(dialog.version(), env!("CARGO_PKG_VERSION"));
    }
}
