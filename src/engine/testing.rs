//! Models for tests of this part and of those above it.
#![allow(missing_docs, reason = "the names are the documentation")]

mod disk;
mod model;
mod sources;

pub use disk::{Disk, DiskCall, DiskHook, Fake, OLD};
pub use model::{Call, Fault, Hook, Model, ModelPin, ModelReader, Pace};
pub use sources::Sources;
