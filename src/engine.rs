//! Planning, windowed writing, reading back, speed and time left. No GTK, no D-Bus.
//!
//! A job goes through [`plan::gather`] and [`plan::plan`], [`copy::write`] and
//! [`verify::read_back`]. All of them block and belong on a worker thread; another thread reads
//! the [`Meter`] and cancels through it.

pub mod copy;
mod error;
pub mod image;
mod meter;
pub mod plan;
mod speed;
pub mod strategy;
pub mod target;
#[cfg(test)]
pub mod testing;
pub mod verify;

pub use error::{Error, ErrorKind, Operation};
pub use meter::{Meter, Totals};
pub use speed::Speed;
