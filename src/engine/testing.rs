//! Models for tests.
