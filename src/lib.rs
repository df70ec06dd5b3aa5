//! Steady puts files and disk images on USB sticks, shows only what the stick has really taken,
//! and says when it is safe to unplug.
//!
//! # The map of the house
//!
//! ```text
//! ui ─┐                     ui      GTK, libadwaita, gettext: pages, one job object, translated texts
//!     ├─> tasks ─> engine   tasks   the use cases: copy files, format; all sentences about trouble
//! cli ┘        └─> drives   engine  planning, windowed writing, reading back, speed and time left
//!                           drives  UDisks2 over zbus: list, watch, judge, unmount, format, mount, power off
//! ```
//!
//! Parts look only along the arrows; the plain types of the lower parts are everybody's words.
//! [`engine`] and [`drives`] know neither each other nor a toolkit; only [`tasks`] joins them; only
//! the window translates.
//!
//! # Words
//!
//! - *accepted*: handed to the kernel. *confirmed*: the stick has reported it written. *durable*:
//!   covered by a flush that reached the device's own cache. Always `durable <= confirmed <= accepted`.
//! - *window*: what may be accepted and unconfirmed. *checkpoint*: a flush that makes everything
//!   so far durable.
//! - *source*, *stick* ([`drives::Drive`] in code, as UDisks2 says), *job*, *plan*, *problem*
//!   (found before the start), *outcome*.

// Every result of a write, a flush, an unmount or a close is looked at: `let _ =` and `.ok();` are no
// way around, only an `expect` that says why nothing is claimed without it.
#![cfg_attr(
    not(test),
    deny(clippy::let_underscore_must_use, clippy::unused_result_ok)
)]

pub mod cli;
pub mod drives;
pub mod engine;
pub mod tasks;
#[cfg(feature = "gui")]
pub mod ui;
