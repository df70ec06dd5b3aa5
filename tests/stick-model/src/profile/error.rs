use super::{Parameters, Profile};

/// Why a profile as written is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProfileError {
    /// No profile of that name.
    #[error("There is no stick profile \"{0}\". There are: {names}.", names = Profile::names().collect::<Vec<_>>().join(", "))]
    UnknownName(String),
    /// No parameter of that name.
    #[error("Stick profiles have no parameter \"{0}\". They have: {keys}.", keys = Parameters::KEYS.join(", "))]
    UnknownKey(String),
    /// A key alone.
    #[error("\"{0}\" has no value. Write {0}=VALUE.")]
    NoValue(String),
    /// The value is of the wrong kind or out of range.
    #[error("\"{value}\" is no value for {key}, which takes {takes}.")]
    BadValue {
        /// The parameter.
        key: String,
        /// What was written.
        value: String,
        /// What could be written.
        takes: &'static str,
    },
    /// What the profile is about has no sensible default.
    #[error("The profile \"{profile}\" needs {key}={takes}, as in {profile}:{key}={example}.")]
    Missing {
        /// The profile.
        profile: &'static str,
        /// The parameter.
        key: &'static str,
        /// What could be written.
        takes: &'static str,
        /// One such value.
        example: &'static str,
    },
}
