use serde::{Deserialize, Serialize};

/// One line that answers one request.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Reply<T> {
    /// It was not understood or went wrong.
    Refused {
        /// A sentence.
        error: String,
    },
    /// What was asked for.
    Given(T),
}

/// The answer to a request that only does something.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) ok: bool,
}
