//! USB sticks as UDisks2 knows them: list, watch, judge, check, format, mount, unmount, lock, open,
//! power off.
//!
//! Nothing here knows of files to copy or of a toolkit. Calls block and belong on a worker thread.

mod agent;
mod block_size;
mod bus;
mod bus_error;
mod capacity;
mod commands;
mod direct;
mod distinction;
mod drive;
mod drive_kind;
mod drivers;
mod error;
mod format;
mod format_spec;
mod health;
mod judge;
mod label;
mod list;
mod lock;
mod machine;
mod may_write;
mod mount_table;
mod open;
mod opened;
mod polkit;
mod power_off;
mod program;
mod recheck;
mod room;
mod settle;
mod snapshot;
mod sysfs;
mod udisks;
mod unescape;
mod unmount;
mod watch;

#[cfg(test)]
mod tests;

pub use agent::TextAgent;
pub use block_size::block_size;
pub use capacity::formatted_capacity;
pub use commands::Commands;
pub use direct::{direct_drives, open_directly, recheck_directly};
pub use distinction::Distinction;
pub use drive::{Drive, Refusal, Volume};
pub use drive_kind::DriveKind;
pub use error::Error;
pub use format_spec::{FileSystem, FormatProblem, FormatSpec, format_problem};
pub use health::Health;
pub use label::{LABEL_MAX, LabelProblem, label_problem, normalized_label};
pub use may_write::may_write;
pub use mount_table::MountOptions;
pub use power_off::PowerOff;
pub use room::Room;
pub use udisks::Udisks;
pub use watch::watch;

/// The list that comes of an answer of UDisks2, on a computer of which nothing else is known.
#[cfg(fuzzing)]
pub fn rows(objects: &zbus::fdo::ManagedObjects) -> Vec<Drive> {
    list::list(
        &snapshot::Snapshot::new(objects),
        &machine::Machine::default(),
    )
}
