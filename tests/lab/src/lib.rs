//! A virtual PC with USB sticks.
