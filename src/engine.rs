//! Planning, windowed writing, reading back, speed and time left. No GTK, no D-Bus.

mod meter;

pub use meter::{Meter, Totals};
