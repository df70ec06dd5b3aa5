//! Published checksums of images: values, lists of them, and computing them on the way.
//!
//! People publish the checksum of the file that is downloaded, which is the packed one, or of the
//! image in it. [`List::find`] says by the name in the list which of them it is.

mod algorithm;
mod hasher;
mod list;
mod tap;
mod value;

pub use algorithm::Algorithm;
pub use hasher::Hasher;
pub use list::{Found, List, ListError, Of};
pub use tap::{Tap, Tapped};
pub use value::Checksum;
