//! How much room a stick really has, found out without losing anything on it.
//!
//! A trial writes test data to a few places and to a short run near the stick's start, and looks
//! what is there when all of it is written: the stick's own cache is then full of something else,
//! and what came round from a higher place lies over what was lower. Every place is read before
//! anything is written and put back right afterwards, whatever happens; only when the stick is
//! pulled, or the computer stops, within those moments (under a second on most sticks, some on
//! poor ones) the places of that one trial are left with test data. The run lies before the first
//! partition where there is room.
//!
//! A stick that has less than 2 MiB, and a cache larger than the run (1 to 4 MiB), are beyond it.

mod bench;
mod capacity;
mod narrow;
mod period;
mod places;
mod search;
mod seen;
#[cfg(test)]
mod tests;

pub use bench::Stopped;
pub use capacity::{Beyond, Capacity};

use super::Meter;
use super::device::Device;
use search::Search;

/// A look that costs a moment: about fifty blocks, however large the stick. Finds every stick that
/// drops what is beyond its room, and those that come round after a power of two or a simple
/// share of what they claim, as they do whose controller leaves out bits. Blocks; cancelled
/// through the meter.
///
/// Only where something is wrong the true size is found by some more trials.
pub fn quick<D: Device>(device: &D, meter: &Meter) -> Result<Capacity, Stopped> {
    match Search::begin(device, meter, false)? {
        Some(mut search) => search.quick(),
        None => Ok(Capacity::honest(device.size())),
    }
}

/// Like [`quick`], and finds those that come round anywhere: reads one block for each length of the
/// run in the upper half of the stick. Tells beside it how many bytes the stick had to take for
/// that, in whose wake it may be slower.
pub fn thorough<D: Device>(device: &D, meter: &Meter) -> Result<(Capacity, u64), Stopped> {
    match Search::begin(device, meter, true)? {
        Some(mut search) => Ok((search.thorough()?, search.written())),
        None => Ok((Capacity::honest(device.size()), 0)),
    }
}
