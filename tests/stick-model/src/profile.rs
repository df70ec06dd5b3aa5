//! What kind of stick is modelled.

use std::{fmt, str::FromStr, time::Duration};

mod error;
mod number;
mod parameters;

// Only the plugin uses it, which unit tests leave out.
#[cfg(not(test))]
pub(crate) use number::bytes;
pub use {error::ProfileError, parameters::Parameters};

/// A kind of stick: a named set of [`Parameters`], some of them possibly overridden.
///
/// Written `NAME` or `NAME:key=value,key=value`, as in `even:wbps=20e6` or `dies:at=30e6`; the
/// keys are [`Parameters::KEYS`], and every profile takes all of them.
///
/// | name | behaviour | what it assumes |
/// |---|---|---|
/// | `even` | 16 MB/s written, 24 MB/s read | no stick is so even; it is the yardstick |
/// | `volatile` | `even`; a pull drops a seeded part of what was not flushed | 4 KiB blocks survive or not, each by itself |
/// | `backlog` | 17.1 MB/s, 4.04 MB/s once 15 MB came without a flush or 50 ms of idleness | that flushes and pauses are what helps |
/// | `dies:at=` | `even`; fails for good once that many bytes were written | it dies all at once and can be read after a replug |
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    spec: String,
    name: &'static str,
    parameters: Parameters,
}

impl Profile {
    /// The names that [`Profile::parse`] knows.
    pub const NAMES: [&str; 4] = ["even", "volatile", "backlog", "dies"];

    /// Reads a profile as written on a command line.
    pub fn parse(spec: &str) -> Result<Self, ProfileError> {
        let (name, overrides) = spec.split_once(':').unwrap_or((spec, ""));
        let name = Self::NAMES
            .into_iter()
            .find(|known| *known == name)
            .ok_or_else(|| ProfileError::UnknownName(name.to_owned()))?;
        let mut parameters = preset(name);
        for pair in overrides.split(',').filter(|pair| !pair.is_empty()) {
            let (key, value) = pair
                .split_once('=')
                .ok_or_else(|| ProfileError::NoValue(pair.to_owned()))?;
            parameters.set(key, value)?;
        }
        if name == "dies" && parameters.dies_at.is_none() {
            return Err(ProfileError::DiesWithoutAt);
        }
        Ok(Self {
            spec: spec.to_owned(),
            name,
            parameters,
        })
    }

    /// The name without the overrides.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The figures, overrides included.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}

impl FromStr for Profile {
    type Err = ProfileError;

    fn from_str(spec: &str) -> Result<Self, ProfileError> {
        Self::parse(spec)
    }
}

/// As it was written, so that it can be handed on to the plugin.
impl fmt::Display for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.spec)
    }
}

/// The figures of a profile before any override.
fn preset(name: &str) -> Parameters {
    let even = Parameters {
        write_rate: 16e6,
        read_rate: 24e6,
        command_cost: Duration::ZERO,
        pause: Duration::from_millis(50),
        backlog_limit: None,
        backlog_rate: 4.04e6,
        volatile_cache: false,
        seed: 1,
        keep: 0.5,
        dies_at: None,
    };
    match name {
        "volatile" => Parameters {
            volatile_cache: true,
            ..even
        },
        // A 2 GB stick that wrote 1.01 MB/s plainly and 4.28 MB/s in small bounded portions, times
        // four so that tests stay short. That flushes and pauses are what helps is assumed.
        "backlog" => Parameters {
            write_rate: 17.1e6,
            backlog_limit: Some(15_000_000),
            ..even
        },
        _ => even,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_figures() {
        for name in Profile::NAMES {
            let spec = if name == "dies" { "dies:at=1M" } else { name };
            let profile = Profile::parse(spec).unwrap();
            assert_eq!(profile.name(), name);
            assert_eq!(profile.to_string(), spec);
        }
    }

    #[test]
    fn the_presets_are_the_documented_ones() {
        let even = Profile::parse("even").unwrap().parameters;
        assert_eq!((even.write_rate, even.read_rate), (16e6, 24e6));
        assert!(!even.volatile_cache && even.backlog_limit.is_none() && even.dies_at.is_none());

        let volatile = Profile::parse("volatile").unwrap().parameters;
        assert!(volatile.volatile_cache);
        assert_eq!((volatile.write_rate, volatile.read_rate), (16e6, 24e6));

        let backlog = Profile::parse("backlog").unwrap().parameters;
        assert_eq!((backlog.write_rate, backlog.backlog_rate), (17.1e6, 4.04e6));
        assert_eq!(backlog.backlog_limit, Some(15_000_000));
        assert_eq!(backlog.pause, Duration::from_millis(50));
    }

    #[test]
    fn overrides_replace_figures() {
        let profile = Profile::parse("dies:at=30e6,wbps=200e6,command_ms=0.3").unwrap();
        assert_eq!(profile.parameters.dies_at, Some(30_000_000));
        assert_eq!(profile.parameters.write_rate, 200e6);
        assert_eq!(profile.parameters.command_cost, Duration::from_micros(300));
    }

    #[test]
    fn what_is_not_understood_is_refused_with_a_sentence() {
        for (spec, sentence) in [
            (
                "evne",
                "There is no stick profile \"evne\". There are: even, volatile, backlog, dies.",
            ),
            (
                "dies",
                "The profile \"dies\" needs at=BYTES, as in dies:at=30e6.",
            ),
            ("even:wbps", "\"wbps\" has no value. Write wbps=VALUE."),
            (
                "even:wbps=0",
                "\"0\" is no value for wbps, which takes bytes a second above 0.",
            ),
            (
                "even:keep=2",
                "\"2\" is no value for keep, which takes a share from 0 to 1.",
            ),
            (
                "volatile:seed=-1",
                "\"-1\" is no value for seed, which takes a whole number.",
            ),
        ] {
            assert_eq!(Profile::parse(spec).unwrap_err().to_string(), sentence);
        }
        let unknown = Profile::parse("even:speed=1").unwrap_err().to_string();
        assert!(
            unknown.starts_with("Stick profiles have no parameter \"speed\". They have: wbps, "),
            "{unknown}"
        );
    }
}
