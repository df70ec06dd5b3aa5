//! Planning, windowed writing, reading back, speed and time left. No GTK, no D-Bus.
//!
//! A copy goes through [`plan::gather`] and [`plan::plan`], [`copy::write`] and
//! [`verify::read_back`]; an image through [`device::lanes`] and, for each stick,
//! [`device::write`], [`device::read_back`] and [`device::complete`]. All of them block and belong
//! on a worker thread; another thread reads the [`Meter`] and cancels through it.

mod aligned;
pub mod bmap;
pub mod checksum;
pub mod copy;
pub mod device;
mod error;
pub mod fill;
pub mod image;
mod meter;
mod pattern;
pub mod plan;
mod pool;
pub mod probe;
pub mod speed;
pub mod speed_curve;
pub mod strategy;
pub mod target;
#[cfg(test)]
pub mod testing;
pub mod verify;

pub use error::{Error, ErrorKind, Operation};
pub use meter::{Meter, Totals};
pub use speed::Speed;
