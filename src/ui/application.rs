use adw::prelude::*;
use adw::subclass::prelude::*;
use gtk::{gio, glib};

use super::action::{Action, Hears};
use super::config;
use super::window::Window;

mod imp {
    use super::*;

    #[derive(Debug, Default)]
    pub(in crate::ui) struct Application;

    #[glib::object_subclass]
    impl ObjectSubclass for Application {
        const NAME: &'static str = "SteadyApplication";
        type Type = super::Application;
        type ParentType = adw::Application;
    }

    impl ObjectImpl for Application {}

    impl ApplicationImpl for Application {
        fn startup(&self) {
            self.parent_startup();
            gtk::Window::set_default_icon_name(config::APP_ID);
            let of_window = |action: &Action| action.hears() == Hears::WindowFirst;
            for action in Action::ALL.into_iter().filter(of_window) {
                self.obj()
                    .set_accels_for_action(&format!("win.{}", action.name()), action.keys());
            }
        }

        fn activate(&self) {
            self.parent_activate();
            self.obj().window().present();
        }

        fn open(&self, files: &[gio::File], _hint: &str) {
            let window = self.obj().window();
            window.add_sources(files.iter().filter_map(gio::prelude::FileExt::path));
            window.present();
        }
    }

    impl GtkApplicationImpl for Application {}
    impl AdwApplicationImpl for Application {}
}

glib::wrapper! {
    /// The program: one window, and files handed to it by the command line or by "Open With".
    pub(super) struct Application(ObjectSubclass<imp::Application>)
        @extends adw::Application, gtk::Application, gio::Application,
        @implements gio::ActionGroup, gio::ActionMap;
}

impl Application {
    pub(super) fn new() -> Self {
        glib::Object::builder()
            .property("application-id", config::APP_ID)
            .property("flags", gio::ApplicationFlags::HANDLES_OPEN)
            .build()
    }

    fn window(&self) -> Window {
        self.active_window().and_downcast().unwrap_or_else(|| {
            let window = Window::new(self);
            window.begin_once_shown();
            window
        })
    }
}
