//! What a person has decided once and for all, typed.

use std::cell::OnceCell;

use gtk::gio;
use gtk::gio::prelude::*;
use gtk::glib;

use crate::drives::FileSystem;
use crate::tasks::AtEnd;

const SCHEMA: &str = "io.github.steadyusb.Steady";

/// The preferences, and the last choices. All instances show the same.
#[derive(Debug, Clone)]
pub(super) struct Settings(gio::Settings);

/// What can be switched on and off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    /// Everything is read back from the stick and compared.
    Check,
    /// The stick is switched off at the end.
    PowerOff,
    /// How fast each stick is.
    RememberSticks,
    /// The end is told while the window is not in front.
    Notifications,
    /// Receipts are kept.
    History,
}

impl Switch {
    pub(super) const ALL: [Self; 5] = [
        Self::Check,
        Self::PowerOff,
        Self::RememberSticks,
        Self::Notifications,
        Self::History,
    ];

    fn key(self) -> &'static str {
        match self {
            Self::Check => "check-after-writing",
            Self::PowerOff => "power-off",
            Self::RememberSticks => "remember-sticks",
            Self::Notifications => "notifications",
            Self::History => "keep-history",
        }
    }
}

const FILE_SYSTEM: &str = "file-system";

impl Default for Settings {
    fn default() -> Self {
        thread_local! {
            static SCHEMA: OnceCell<gio::SettingsSchema> = const { OnceCell::new() };
        }
        SCHEMA.with(|kept| {
            let schema = kept.get_or_init(schema);
            let backend = None::<&gio::SettingsBackend>;
            Self(gio::Settings::new_full(schema, backend, None))
        })
    }
}

impl Settings {
    /// Whether it is switched on.
    pub(super) fn is_on(&self, switch: Switch) -> bool {
        self.0.boolean(switch.key())
    }

    /// Keeps the property `active` of `widget` and the switch the same.
    pub(super) fn bind(&self, switch: Switch, widget: &impl IsA<glib::Object>) {
        self.0.bind(switch.key(), widget, "active").build();
    }

    /// Calls back after each change of the switch.
    pub(super) fn connect_changed(&self, switch: Switch, changed: impl Fn(&Self) + 'static) {
        self.0
            .connect_changed(Some(switch.key()), move |settings, _| {
                changed(&Self(settings.clone()));
            });
    }

    /// What becomes of a stick at the end of a job.
    pub(super) fn at_end(&self) -> AtEnd {
        if self.is_on(Switch::PowerOff) {
            AtEnd::PowerOff
        } else {
            AtEnd::Unmount
        }
    }

    /// The format that was chosen last.
    pub(super) fn file_system(&self) -> FileSystem {
        match self.0.enum_(FILE_SYSTEM) {
            0 => FileSystem::Fat32,
            _ => FileSystem::ExFat,
        }
    }

    /// Remembers the format for the next time.
    pub(super) fn set_file_system(&self, file_system: FileSystem) {
        let number = match file_system {
            FileSystem::Fat32 => 0,
            FileSystem::ExFat => 1,
        };
        if let Err(error) = self.0.set_enum(FILE_SYSTEM, number) {
            // An administrator may have locked it; then it is proposed as they want it.
            tracing::info!(%error, "the format is not remembered");
        }
    }
}

/// The installed schema, or, where the program runs from where it was built, its own.
fn schema() -> gio::SettingsSchema {
    let installed = gio::SettingsSchemaSource::default();
    let fits = |schema: &gio::SettingsSchema| {
        let mut switches = Switch::ALL.iter();
        // One of an older version would end the program at the first key that it does not know.
        switches.all(|switch| schema.has_key(switch.key())) && schema.has_key(FILE_SYSTEM)
    };
    installed
        .as_ref()
        .and_then(|source| source.lookup(SCHEMA, true))
        .filter(fits)
        .unwrap_or_else(|| own_schema(installed.as_ref()))
}

/// The schema that was compiled into the program. Schemas are read from folders only.
fn own_schema(parent: Option<&gio::SettingsSchemaSource>) -> gio::SettingsSchema {
    let compiled = include_bytes!(concat!(env!("OUT_DIR"), "/gschemas.compiled"));
    let folder = tempfile::tempdir().expect("there should be a place for temporary files");
    std::fs::write(folder.path().join("gschemas.compiled"), compiled)
        .expect("temporary files should be writable");
    gio::SettingsSchemaSource::from_directory(folder.path(), parent, true)
        .expect("the program's own schema should be valid")
        .lookup(SCHEMA, false)
        .expect("the program's own schema should be complete")
}

#[cfg(test)]
impl Settings {
    /// Switches it on or off.
    pub(super) fn set(&self, switch: Switch, on: bool) {
        let set = self.0.set_boolean(switch.key(), on);
        set.expect("the switch should not be locked");
    }

    /// Everything as on the first day, so that no test disturbs another.
    pub(super) fn reset(&self) {
        for switch in Switch::ALL {
            self.0.reset(switch.key());
        }
        self.0.reset(FILE_SYSTEM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[gtk::test]
    fn on_the_first_day_everything_that_makes_sure_is_on() {
        let settings = Settings::default();
        settings.reset();
        for switch in Switch::ALL {
            assert!(settings.is_on(switch), "{switch:?}");
        }
        assert_eq!(settings.at_end(), AtEnd::PowerOff);
        assert_eq!(settings.file_system(), FileSystem::Fat32);
    }

    #[gtk::test]
    fn what_is_decided_is_decided_everywhere() {
        let (here, there) = (Settings::default(), Settings::default());
        here.set(Switch::PowerOff, false);
        assert_eq!(there.at_end(), AtEnd::Unmount);
        here.set_file_system(FileSystem::ExFat);
        assert_eq!(there.file_system(), FileSystem::ExFat);
        here.reset();
        assert_eq!(there.at_end(), AtEnd::PowerOff);
    }

    #[gtk::test]
    fn an_uninstalled_program_has_its_own_schema() {
        let schema = own_schema(None);
        for switch in Switch::ALL {
            assert!(schema.has_key(switch.key()), "{switch:?}");
        }
        assert!(schema.has_key(FILE_SYSTEM));
    }
}
