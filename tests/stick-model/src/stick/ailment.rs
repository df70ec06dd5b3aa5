use std::{fmt, str::FromStr, time::Duration};

use serde::{Deserialize, Serialize};

/// What befalls a running stick, from one moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ailment {
    /// So many of the following requests of a kind fail; `u32::MAX` is for good. Nothing of a
    /// write that fails arrives. (The kernel asks up to six times before a program is told.)
    Fails(Operation, u32),
    /// The next request, whatever it is, is held for that long, and with it all that comes after.
    Hangs(Duration),
    /// Every flush takes so much longer.
    SlowFlushes(Duration),
}

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Operation {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A flush.
    Flush,
}

impl Operation {
    const ALL: [(&'static str, Self); 3] = [
        ("read", Self::Read),
        ("write", Self::Write),
        ("flush", Self::Flush),
    ];
}

impl fmt::Display for Ailment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fails(operation, times) => {
                let name = Operation::ALL.iter().find(|(_, other)| other == operation);
                write!(f, "fail {} {times}", name.map_or("", |(name, _)| name))
            }
            Self::Hangs(time) => write!(f, "hang {}", time.as_millis()),
            Self::SlowFlushes(time) => write!(f, "slow-flush {}", time.as_millis()),
        }
    }
}

impl FromStr for Ailment {
    type Err = String;

    /// Reads what [`fmt::Display`] writes: `fail write 6`, `hang 5000`, `slow-flush 3000`
    /// (milliseconds).
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let words: Vec<_> = text.split(' ').collect();
        let time = |ms: &str| ms.parse().map(Duration::from_millis).ok();
        let ailment = match words[..] {
            ["fail", operation, times] => Operation::ALL
                .iter()
                .find(|(name, _)| *name == operation)
                .and_then(|(_, operation)| Some(Self::Fails(*operation, times.parse().ok()?))),
            ["hang", ms] => time(ms).map(Self::Hangs),
            ["slow-flush", ms] => time(ms).map(Self::SlowFlushes),
            _ => None,
        };
        ailment.ok_or_else(|| {
            format!("{text:?} is nothing that befalls a stick, as fail write 6 or hang 5000 are.")
        })
    }
}

/// What a stick suffers from now.
#[derive(Debug, Default)]
pub(super) struct Health {
    failing: [u32; 3],
    hang: Duration,
    slow_flushes: Duration,
}

impl Health {
    pub(super) fn befallen(&mut self, ailment: Ailment) {
        match ailment {
            Ailment::Fails(operation, times) => self.failing[operation as usize] = times,
            Ailment::Hangs(time) => self.hang = time,
            Ailment::SlowFlushes(time) => self.slow_flushes = time,
        }
    }

    /// How much longer a request takes.
    pub(super) fn delay(&mut self, operation: Operation) -> Duration {
        let hang = std::mem::take(&mut self.hang);
        match operation {
            Operation::Flush => hang + self.slow_flushes,
            Operation::Read | Operation::Write => hang,
        }
    }

    /// Whether a request fails.
    pub(super) fn fails(&mut self, operation: Operation) -> bool {
        let left = &mut self.failing[operation as usize];
        let fails = *left > 0;
        if fails && *left < u32::MAX {
            *left -= 1;
        }
        fails
    }
}
