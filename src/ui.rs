//! The window: pages, the one job object, and the texts.
//!
//! ```text
//! Application ─> Window ─┬─> ChoosePage   what goes on the stick
//!                        ├─> StickPage    which stick, formatted or not
//!                        ├─> ReviewPage   what will not work
//!                        ├─> WritingPage <─ WritingView ─┐
//!                        ├─> EndPage     <─ EndView ─────┴─ Job, the one JobState
//!                        ├─> FormatPage   formats a stick and does nothing else
//!                        ├─> CheckPage    has it the room that it claims, and how fast is it
//!                        └─> dialogs      history, preferences, shortcuts, help
//! ```
//!
//! It talks to [`crate::tasks`] and to the plain types of [`crate::drives`], blocks nowhere, and is
//! the only part that translates. The window composes the pages and decides nothing itself: what
//! is shown follows from the job's state by pure functions.

#![allow(
    clippy::wildcard_imports,
    reason = "the private half of a GObject class sees what its module sees"
)]

mod about;
mod action;
mod application;
mod check;
mod choose;
mod combo;
mod config;
mod end;
mod format;
mod graph;
mod help;
mod history;
mod job;
mod large_text;
mod preferences;
mod question;
mod review;
mod settings;
mod shortcuts;
mod stick;
#[cfg(test)]
mod testing;
mod text;
mod window;
mod writing;

use adw::prelude::*;
use gettextrs::LocaleCategory;
use gtk::glib;

use application::Application;

/// Runs the program until its window is closed.
pub fn run() -> glib::ExitCode {
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::from_default_env())
        .with_writer(std::io::stderr)
        .init();
    speak_the_persons_language();
    glib::set_application_name("Steady");
    Application::new().run()
}

/// Without translations the window speaks English.
fn speak_the_persons_language() {
    gettextrs::setlocale(LocaleCategory::LcAll, "");
    let bound = gettextrs::bindtextdomain(config::TEXT_DOMAIN, config::locale_dir())
        .and_then(|_| gettextrs::bind_textdomain_codeset(config::TEXT_DOMAIN, "UTF-8"))
        .and_then(|_| gettextrs::textdomain(config::TEXT_DOMAIN));
    if let Err(error) = bound {
        tracing::warn!(%error, "no translations");
    }
}
