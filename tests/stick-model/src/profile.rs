//! What kind of stick is modelled.

use std::{fmt, str::FromStr};

mod beyond;
mod entry;
mod error;
mod number;
mod parameters;
mod preset;

// Only the plugin uses it, which unit tests leave out.
#[cfg(not(test))]
pub(crate) use number::bytes;
use preset::Preset;
pub use {beyond::Beyond, error::ProfileError, parameters::Parameters};

/// A kind of stick: a named set of [`Parameters`], some of them possibly overridden.
///
/// Written `NAME` or `NAME:key=value,key=value`, as in `even:wbps=20e6` or `dies:at=30e6`; the
/// keys are [`Parameters::KEYS`], and every profile takes all of them, so that behaviours can be
/// joined: `volatile:dies_at=30e6`. What a profile is about also has a short name in it.
///
/// | name | behaviour | what it assumes |
/// |---|---|---|
/// | `even` | 16 MB/s written, 24 MB/s read | no stick is so even; it is the yardstick |
/// | `volatile` | `even`; a pull drops a seeded part of what was not flushed | 4 KiB blocks survive or not, each by itself |
/// | `backlog` | 17.1 MB/s, 4.04 MB/s once 15 MB came without a flush or 50 ms of idleness | that flushes and pauses are what helps |
/// | `ftl` | 17.1 MB/s; two open erase blocks of 4 MiB; giving one up costs copying what was not written into it | every block is full; a flush gives none up; reading disturbs nothing |
/// | `cliff` | 32 MB/s for 128 MiB, then 20.8, from 256 MiB on 12.8, from 512 MiB on 9.2; recovers at 9.2 MB/s after 1 s of idleness, in a minute at most | every byte written passes through the fast cells; reading and flushing empty nothing |
/// | `commands` | `even`; 40 ms more for every command, flushes included | the size of a command is free |
/// | `dies:at=` | `even`; fails for good once that many bytes were written | it dies all at once and can be read after a replug |
/// | `bad:range=` | `even`; requests that touch the range fail, `op=` read, write or both | at once, without the seconds of trying again that a real one takes |
/// | `hang:at=` | `even`; holds the write that reaches that byte for `for=` 20 s, once; everything else waits | it takes up work again as if nothing had been |
/// | `slow-flush` | `even`; every flush takes `for=` 3 s more | also if there is nothing to flush |
/// | `fake` | `even`; `claims=` 1 GiB, `has=` 256 MiB; `how=` wrap: what is beyond lands at the beginning, or drop: it is gone and reads as zeroes | the real cells are the first ones, and are honest |
/// | `4kn` | `even` in sectors of 4096 bytes | nothing smaller is emulated |
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    spec: String,
    name: &'static str,
    parameters: Parameters,
}

impl Profile {
    /// The names that [`Profile::parse`] knows.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Preset::ALL.iter().map(|preset| preset.name)
    }

    /// Reads a profile as written on a command line.
    pub fn parse(spec: &str) -> Result<Self, ProfileError> {
        let (name, overrides) = spec.split_once(':').unwrap_or((spec, ""));
        let preset =
            Preset::named(name).ok_or_else(|| ProfileError::UnknownName(name.to_owned()))?;
        let mut parameters = Parameters::EVEN;
        (preset.change)(&mut parameters);
        let mut needs = preset.needs.as_ref();
        for pair in overrides.split(',').filter(|pair| !pair.is_empty()) {
            let (written, value) = pair
                .split_once('=')
                .ok_or_else(|| ProfileError::NoValue(pair.to_owned()))?;
            let key = preset.key(written);
            parameters.set(written, key, value)?;
            needs.take_if(|need| preset.key(need.key) == key);
        }
        if let Some(need) = needs {
            return Err(ProfileError::Missing {
                profile: preset.name,
                key: need.key,
                takes: need.takes,
                example: need.example,
            });
        }
        Ok(Self {
            spec: spec.to_owned(),
            name: preset.name,
            parameters,
        })
    }

    /// The name without the overrides.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it claims more than it has. Its sizes are then the profile's affair.
    pub fn is_fake(&self) -> bool {
        self.parameters.has.is_some()
    }

    /// Lets a fake stick claim so many bytes if what was written says nothing of it.
    pub fn claim_by_default(&mut self, size: u64) {
        if self.is_fake() {
            self.parameters.claims.get_or_insert(size);
        }
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

#[cfg(test)]
mod tests;
