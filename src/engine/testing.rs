//! Models for tests of this part and of those above it.
#![allow(missing_docs, reason = "the names are the documentation")]

mod model;
mod null;
mod sources;

pub use model::{Call, Fault, Hook, Model, ModelPin, ModelReader, Pace};
pub use null::Null;
pub use sources::Sources;
