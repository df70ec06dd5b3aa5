/// How switching a stick off ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PowerOff {
    /// It has no power any more, and has vanished.
    Off,
    /// It stays on (a card reader, an internal slot, another drive in the same device): once flushed
    /// and unmounted it may be unplugged all the same.
    NotPossible,
}
