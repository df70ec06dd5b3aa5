//! Steady.
