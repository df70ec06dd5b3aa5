use super::{Entry, ImageFile, Refused};

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recognised {
    /// An image, ready to be written.
    Image(ImageFile),
    /// An archive with several images: one is to be chosen, and the file looked at again.
    Choice(Vec<Entry>),
    /// Nothing that can be written as an image.
    Refused(Refused),
}
