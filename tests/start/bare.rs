//! A bare window of libadwaita with nothing in it: what Steady's start is measured against.

use adw::prelude::*;

fn main() -> gtk::glib::ExitCode {
    let application = adw::Application::builder()
        .application_id("io.github.steadyusb.Bare")
        .build();
    application.connect_activate(|application| {
        let window = adw::ApplicationWindow::builder()
            .application(application)
            .default_width(620)
            .default_height(680)
            .build();
        window.present();
    });
    application.run()
}
