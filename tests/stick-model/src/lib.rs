//! Models of USB sticks.
