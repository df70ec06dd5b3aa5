//! A virtual PC with USB sticks, in which Steady is tested.
//!
//! QEMU without hardware virtualisation, a Debian 13 guest with a person logged in, sticks that
//! are nbdkit processes. From the outside in; each part only looks at those below it:
//!
//! | part | what it does |
//! |---|---|
//! | [`mod@bench`] | how long sticks need, by Steady and by others |
//! | [`mod@campaign`] | faults at drawn moments, and what has to hold |
//! | [`demo()`], [`Clicks`] | the program clicked through |
//! | [`Lab`] | the verbs: up, plug, run, click, … |
//! | [`Stick`], [`PlugOptions`] | a stick that is plugged in |
//! | [`Medium`] | what is on a stick that was pulled out |
//! | [`Truth`] | what was shown against what the stick had |
//! | `machine` | the running QEMU, and going back to the saved desktop |
//! | `images` | what a lab starts from, made once and kept in the user's cache |
//! | `monitor`, `agent`, `driver`, [`Events`] | one socket of QEMU each |
//! | `state`, `process`, `places` | what a lab leaves on the host, so that the next call finds it |
//!
//! A lab outlives the call that started it. Everything that a call has to know is in the state
//! folder; processes are recorded with their start time, and only exactly those are ever ended.

mod agent;
pub mod bench;
pub mod campaign;
mod clicks;
mod demo;
mod driver;
mod events;
mod files;
mod images;
mod lab;
mod machine;
mod medium;
mod monitor;
mod places;
mod process;
mod programs;
mod state;
mod stick;
mod theme;
mod truth;

pub use agent::Output;
pub use clicks::{Clicks, Told};
pub use demo::demo;
pub use driver::Element;
pub use events::Events;
pub use files::{contents, copy_of, put_bytes, put_disk, put_folder, read_beginning};
pub use images::package_of;
pub use lab::Lab;
pub use medium::Medium;
pub use places::Places;
pub use stick::{Bus, PlugOptions, Stick};
pub use theme::Theme;
pub use truth::{Truth, Verdict};

/// Announces something that takes a while, and how long it usually takes.
fn step(what: &str, usually: &str) {
    eprintln!("==> {what} (usually {usually})");
}
