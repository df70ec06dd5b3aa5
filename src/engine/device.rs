//! Whole sticks: an image written, read back and made bootable at the very end; old marks removed.
//!
//! An [`Image`] is read and decoded once for all its sticks: [`lanes`] gives each its own [`Lane`].
//! On the thread of its own job a stick then goes through [`write()`], [`read_back()`] unless nobody
//! wants it checked, and [`complete()`]. The image's first MiB, the *lead*, is written last of all,
//! when the rest is durable and was found equal: a stick that was pulled, failed or did not hold
//! what was written never looks like one to boot from.

mod block;
mod block_device;
mod complete;
mod digest;
mod fault;
mod flushing;
mod guess;
mod image;
mod lane;
mod lead;
mod marks;
mod outcome;
mod partitions;
mod pass;
mod read_back;
mod ring;
mod sharing;
mod surface;
#[cfg(test)]
mod tests;
mod write;

use std::io;
use std::time::Duration;

pub use block_device::BlockDevice;
pub use complete::{Completed, complete};
pub use guess::Guess;
pub use image::{Image, Opened};
pub use lane::{Lane, lanes};
pub use marks::{clear_marks, stale_ranges};
pub use outcome::{ImageTrouble, Mismatch, OnStick, StopReason, Stopped, Written};
pub use read_back::{Checked, read_back};
pub use surface::{Surface, read_surface, write_surface};
pub use write::write;

pub(super) use fault::fault;
pub(super) use partitions::starts as partition_starts;

/// A whole stick, or a model of one. Offsets, lengths and memory are aligned to its logical block.
///
/// Errors are the system's; whoever calls adds what was being done. Nothing is cached on this
/// side: what was written is with the stick, what is read comes from it.
pub trait Device: Send + Sync + 'static {
    /// Bytes; whole logical blocks.
    fn size(&self) -> u64;
    /// Bytes of a logical block: 512 to 4096, a power of two.
    fn block_size(&self) -> u64;
    /// Comes back when the stick has reported all bytes written.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Fills all of `bytes`.
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;
    /// Makes everything so far durable, in the stick's own cache too.
    fn flush(&self) -> io::Result<()>;
    /// Whether the stick has left.
    fn is_gone(&self) -> bool;
    /// Time since any fixed moment, as the stick's speed is measured in.
    fn now(&self) -> Duration;
    /// Lets that time pass.
    fn pause(&self, time: Duration);
}
