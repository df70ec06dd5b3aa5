use std::io;

/// Why a stick did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StickError {
    /// Its power was taken away.
    #[error("the stick has no power")]
    Unpowered,
    /// It failed for good.
    #[error("the stick is dead")]
    Dead,
    /// The request reaches beyond its end.
    #[error("the request reaches beyond the end of the stick")]
    OutOfRange,
    /// The request does not consist of whole sectors.
    #[error("the request does not consist of whole sectors")]
    Unaligned,
    /// The request touches a part of the stick that cannot be read or written.
    #[error("the request touches a bad part of the stick")]
    Bad,
    /// It failed this time, as it was told to ([`super::Ailment::Fails`]).
    #[error("the stick fails")]
    Failed,
    /// The file that stands for its medium failed.
    #[error("the medium's file: {0}")]
    Medium(#[from] io::Error),
}
