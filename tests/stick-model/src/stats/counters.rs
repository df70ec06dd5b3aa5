use serde::{Deserialize, Serialize};

/// The scalar figures of a stick since it was plugged in: cheap to ask for 50 times a second.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// The profile as written.
    pub profile: String,
    /// The stick's size in bytes.
    pub size: u64,
    /// Milliseconds since it was plugged in.
    pub up_ms: u64,
    /// False once its power was taken away.
    pub powered: bool,
    /// True once it failed for good (`dies_at=`).
    pub died: bool,
    /// Bytes written, counted when the stick says that it has them.
    pub bytes_written: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// Write requests as they came over NBD.
    pub write_requests: u64,
    /// Read requests as they came over NBD.
    pub read_requests: u64,
    /// Writes as a stick sees them: adjacent requests joined.
    pub write_commands: u64,
    /// Reads as a stick sees them: adjacent requests joined.
    pub read_commands: u64,
    /// Write requests that asked to be durable by themselves (FUA).
    pub fua_writes: u64,
    /// Flushes asked for by the guest. What QEMU flushes after the power is gone is not counted.
    pub flushes: u64,
    /// Pauses that came by themselves: idle for `pause_ms` before a write, without a flush since
    /// the write before it.
    pub pauses: u64,
    /// Bytes written that are file data, the others being metadata. Nobody tells a stick which is
    /// which, so a rule decides: a run of adjacent writes is file data once it reaches 64 KiB, and
    /// so is what continues or rewrites file data. Files below 64 KiB therefore count as metadata,
    /// and a FAT that is cleared in one go counts as file data.
    pub data_bytes_written: u64,
    /// Distinct bytes of the stick that hold file data by that rule: what is rewritten counts once.
    pub data_bytes_held: u64,
    /// Distinct bytes written that would survive a pull now (after `power-off`: that did).
    pub on_medium_bytes: u64,
    /// Distinct bytes written that are only in the volatile cache.
    pub in_cache_bytes: u64,
}
