//! Disk images: what a file is, judged by its bytes, and the bytes of the image in it.
//!
//! [`look`] reads a file's two ends and says whether it can be written to a stick, what it holds
//! and how large that is. [`Decoded::open`] then streams the image itself, whatever it is packed
//! in; nothing is unpacked to a disk.

mod container;
mod content;
mod decode_error;
mod decoded;
mod decoder;
mod entry;
mod head;
mod image_file;
mod layout;
mod memory;
mod name_claim;
mod no_image;
mod progress;
mod recognise;
mod recognised;
mod refusal;
mod side_file;
mod size;
mod source_file;
mod stamp;
#[cfg(test)]
mod tests;
mod text;
mod tracked;
mod unsupported;
mod watch;
mod zip_file;

pub use container::Container;
pub use decode_error::DecodeError;
pub use decoded::Decoded;
pub use entry::Entry;
pub use image_file::ImageFile;
pub use layout::{Boot, FileSystem, Iso, Layout, Table};
pub use memory::MOST_MEMORY;
pub use name_claim::NameClaim;
pub use no_image::NoImage;
pub use progress::Progress;
pub use recognise::{look, recognise};
pub use recognised::Recognised;
pub use refusal::{Refusal, Refused};
pub use side_file::SideFile;
pub use size::Size;
pub use unsupported::Unsupported;
