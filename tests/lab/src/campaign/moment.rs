use std::time::Duration;

use serde_json::Value;

use super::{Fault, Job, draw::Draw};

/// What Steady says that it is doing, in the order of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    Preparing,
    Probing,
    Formatting,
    Writing,
    Checking,
    Finishing,
}

impl Phase {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "preparing" => Self::Preparing,
            "probing" => Self::Probing,
            "formatting" => Self::Formatting,
            "writing" => Self::Writing,
            "checking" => Self::Checking,
            "finishing" => Self::Finishing,
            _ => return None,
        })
    }

    /// The phase that an event is about.
    pub(super) fn of(event: &Value) -> Option<Self> {
        Self::named(event["phase"].as_str()?)
    }
}

/// When a fault happens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Moment {
    phase: Phase,
    /// How much of that phase is behind, where that can be told.
    share: f64,
    /// So long after that.
    pub(super) delay: Duration,
}

impl Moment {
    pub(super) fn draw(job: Job, fault: Fault, draw: &mut Draw) -> Self {
        let phases = fault.phases(job).unwrap_or_else(|| job.phases());
        let phase = draw.weighted(phases);
        let longest = match phase {
            Phase::Formatting => 4000.0,
            Phase::Probing | Phase::Finishing => 800.0,
            _ => 150.0,
        };
        Self {
            phase,
            share: draw.share(),
            delay: Duration::from_millis((draw.share() * longest) as u64),
        }
    }

    /// Whether this event says that it has come, or that it is past.
    pub(super) fn has_come(&self, event: &Value) -> bool {
        let Some(phase) = Phase::of(event) else {
            return false;
        };
        if phase != self.phase {
            return phase > self.phase;
        }
        let done = match phase {
            Phase::Writing => &event["confirmed"],
            Phase::Checking => &event["checked"],
            _ => return true,
        };
        match (done.as_u64(), event["total"].as_u64()) {
            (Some(done), Some(total)) => done as f64 >= self.share * total as f64,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_moment_comes_once_so_much_is_done_and_is_not_missed() {
        let moment = Moment {
            phase: Phase::Writing,
            share: 0.5,
            delay: Duration::ZERO,
        };
        let at = |phase: &str, confirmed: u64| {
            let event =
                json!({"event": "progress", "phase": phase, "confirmed": confirmed, "total": 100});
            moment.has_come(&event)
        };
        assert!(!at("preparing", 0));
        assert!(!at("writing", 49));
        assert!(at("writing", 50));
        assert!(at("checking", 100));
        assert!(!moment.has_come(&json!({"event": "phase", "phase": "writing"})));
        assert!(!moment.has_come(&json!({"event": "problem"})));
    }
}
