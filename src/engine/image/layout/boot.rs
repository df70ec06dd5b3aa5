/// What a computer will make of a stick that holds an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Boot {
    /// There is what a computer looks for; whether it starts is up to the image.
    Expected,
    /// Without a table of partitions it will probably not start from USB.
    NoTable,
    /// Windows' installer for a DVD: it needs another way onto a stick.
    WindowsInstaller,
}
